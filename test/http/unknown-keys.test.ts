import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../support/fake-clock.ts';
import { ListenerHarness } from '../support/listener-harness.ts';

test('an unknown key has the store read before it is refused, until the failures of its address are used up (fault row 22)', async (t) => {
  let reads = 0;
  const look = async () => void reads++;
  const clock = new FakeClock('2026-11-21T10:00:00.000Z');
  const api = await ListenerHarness.start({ clock, look, trustedProxies: ['127.0.0.1'] });
  t.after(() => api.stop());
  const guess = (address: string) => {
    const headers = { 'X-Forwarded-For': address };
    return api.get('/v1/time', { key: 'mdk_wrong', headers }).then(({ status }) => status);
  };
  for (let count = 1; count <= 10; count++) assert.equal(await guess('198.51.100.1'), 401);
  assert.equal(reads, 10);
  for (let count = 1; count <= 5; count++) assert.equal(await guess('198.51.100.1'), 429);
  assert.equal(reads, 10, 'what is refused anyway costs the store nothing');
  assert.equal(await guess('198.51.100.2'), 401);
  assert.equal(reads, 11);
  clock.jump(60_000);
  assert.equal(await guess('198.51.100.1'), 401);
  assert.equal(reads, 12);
});
