import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../support/fake-clock.ts';
import { Wire } from '../support/wire.ts';
import { sized } from './full-size.ts';
import { assertRecovered, assertSound, startHealthy } from './oracle.ts';

test('a flood of addresses is counted once per address and once per /64, and forgotten with its minute (fault row 30)', async (t) => {
  const clock = new FakeClock();
  const api = await startHealthy({ clock, trustedProxies: ['127.0.0.0/8'] });
  t.after(() => api.stop());
  const count = sized(3000, 100_000);
  const wire = await Wire.open(api.port);
  const ask = async (addresses: readonly string[]) => {
    for (let at = 0; at < addresses.length; at += 100) {
      const requests = addresses.slice(at, at + 100).map((address) => {
        const headers = { Connection: 'keep-alive', 'X-Forwarded-For': address };
        return api.requestText('/nothing', { method: 'HEAD', key: null, headers });
      });
      for (const response of await wire.askAll(requests)) assertSound(response, false);
    }
  };
  const numbers = Array.from({ length: count }, (_, index) => index);
  await ask(numbers.map((index) => `11.${index >> 16}.${(index >> 8) & 255}.${index & 255}`));
  assert.equal(api.limits.addressesHeld, count);
  await ask(numbers.map((index) => `2001:db8:1:2:${(index >> 8).toString(16)}::${(index & 255).toString(16)}`));
  assert.equal(api.limits.addressesHeld, count + 1, 'one for the whole /64');
  await ask(numbers.map((index) => `203.0.113.9:${index % 65_536}`));
  assert.equal(api.limits.addressesHeld, count + 2, 'one whatever the port');
  const { headers } = await api.get('/', { key: null, headers: { 'X-Forwarded-For': '203.0.113.9' } });
  assert.equal(Number(headers['x-ratelimit-remaining']), 1_000_000 - count - 1);
  clock.jump(60_000);
  await ask(['203.0.113.9']);
  assert.equal(api.limits.addressesHeld, 1);
  wire.close();
  await assertRecovered(api);
});
