import assert from 'node:assert/strict';
import { asEpochMs } from '../clock.ts';
import { openEngine, storeTest } from './store.testing.ts';

storeTest('the most refused keys come first, of the minutes asked for alone', async (t) => {
  const { store } = await openEngine(t);
  const minute = (keyId: string, number: number, refused: number) => ({
    keyId,
    minuteStart: asEpochMs(number * 60_000),
    refused,
    limitPerMinute: 60,
  });
  await store.breaches.add([
    minute('key_old', 1, 900),
    minute('key_a', 2, 5),
    minute('key_a', 3, 6),
    minute('key_b', 3, 40),
    minute('key_c', 3, 11),
  ]);
  assert.deepEqual(await store.breaches.mostRefused(asEpochMs(60_000), 3), [
    { keyId: 'key_b', minutes: 1, refused: 40 },
    { keyId: 'key_a', minutes: 2, refused: 11 },
    { keyId: 'key_c', minutes: 1, refused: 11 },
  ]);
  assert.equal((await store.breaches.mostRefused(asEpochMs(0), 1))[0]?.keyId, 'key_old');
});
