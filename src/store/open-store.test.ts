import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soon } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { silentLog } from '../log.ts';
import { openStoreWhenThere } from './open-store.ts';

/** A start that waits for a server that is not there. */
async function waiting() {
  const clock = new FakeClock();
  const abort = new AbortController();
  const warned: number[] = [];
  const log = { ...silentLog, warn: () => void warned.push(clock.monotonicMs()) };
  const url = `postgres://nobody@127.0.0.1:${await fixedPort()}/none?sslmode=disable`;
  const options = { url, clock, randomness: seededRandomness(1), isSoleService: true };
  const opened = openStoreWhenThere(options, log, abort.signal);
  opened.catch(() => {});
  /** Until the next try has failed, or the waiting is over. */
  const tried = () => soon('a try that failed', () => clock.pendingTimers > 0);
  return { clock, abort, warned, opened, tried };
}

test('a start waits for a server that cannot be reached, and says so at once and every half a minute', async () => {
  const { clock, abort, warned, opened, tried } = await waiting();
  for (let seconds = 0; seconds <= 70; seconds += 5) {
    await tried();
    await clock.advance(5_000);
  }
  await tried();
  assert.equal(warned.length, 3, `said at ${warned.join(', ')} ms`);
  assert.equal(warned[0], 0);
  abort.abort();
  await assert.rejects(opened, { reason: 'unreachable' });
});

test('a start that is ended while it waits fails with what it waited for', async () => {
  const { abort, opened, tried } = await waiting();
  await tried();
  abort.abort();
  await assert.rejects(opened, { reason: 'unreachable' });
});

test('what waiting cannot mend ends the start at once', async () => {
  const clock = new FakeClock();
  const options = { url: 'sqlite:/dev/null/mdapi.sqlite', clock, randomness: seededRandomness(1) };
  await assert.rejects(openStoreWhenThere(options, silentLog), { name: 'StoreError' });
  assert.equal(clock.pendingTimers, 0);
});
