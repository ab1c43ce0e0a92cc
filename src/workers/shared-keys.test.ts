import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { digestOf, generateApiKey } from '../access/api-key.ts';
import { KeyDirectory, type KeyEntry } from '../access/key-directory.ts';
import { sharedWords } from '../access/thread-lock.ts';
import { type EpochMs, systemClock } from '../clock.ts';
import { Broadcast } from './broadcast.ts';
import type { Looked, LookingData } from './looking-thread.testing.ts';

const now = 1_800_000_000_000 as EpochMs;
const randomness = seededRandomness(8);
const passersBy = 30_000;
const steadyLimits = [111, 222];
/** Both after `now`. Of one with the upper word of one and the lower of the other nothing would be left. */
const expiries = [420 * 2 ** 32, 420 * 2 ** 32 - 1] as EpochMs[];

function keysNamed(prefix: string, count: number): [key: string, keyId: string][] {
  return Array.from({ length: count }, (_, index) => [generateApiKey(randomness), `${prefix}${index}`]);
}

function entryOf(key: string, keyId: string, rest: Partial<KeyEntry> = {}): KeyEntry {
  const digest = digestOf(key as Parameters<typeof digestOf>[0]);
  return { digest, keyId, usable: true, expiresAt: undefined, limitPerMinute: undefined, ...rest };
}

/** A digest of nobody's key, which shares its place in the index with many others. */
function strangerOf(number: number): Uint8Array {
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  view.setUint32(0, Math.imul(number % 8_000, 2_654_435_761));
  view.setUint32(4, number);
  return digest;
}

test('while keys come, change and go, threads find every valid key, its limit and its id, and no revoked one', async (t) => {
  const directory = new KeyDirectory();
  const broadcast = new Broadcast(systemClock);
  directory.tellGrowth((growth) => broadcast.tellGrowth(growth));
  // Ids of both kinds: such as the store makes, and others.
  const steady = [...keysNamed('key_0123456789ABCD', 4), ...keysNamed('another program’s ', 4)].map(
    ([key, keyId]) => [key, keyId.startsWith('key_') ? `${keyId}X`.slice(0, 20) : keyId] as const,
  );
  const doomed = keysNamed('doomed ', 400);
  const coming = keysNamed('coming ', 400);
  for (const [key, keyId] of steady) directory.upsert(entryOf(key, keyId, { limitPerMinute: steadyLimits[0] }));
  for (const [key, keyId] of doomed) directory.upsert(entryOf(key, keyId));
  const changes = [0, 1].flatMap((turn) =>
    steady.map(([key, keyId]) =>
      entryOf(key, keyId, { limitPerMinute: steadyLimits[turn]!, expiresAt: expiries[turn]! }),
    ),
  );
  const [revoked, added, end] = [sharedWords(1), sharedWords(1), sharedWords(1)];

  const start = async () => {
    const { origin } = broadcast.subscribe(() => []);
    const told = { revoked, added, end, now, steady, steadyLimits, doomed: doomed.map(([key]) => key), coming };
    const workerData: LookingData = { keys: directory.memory(), news: origin, ...told };
    const url = new URL('./looking-thread.testing.ts', import.meta.url);
    const worker = new Worker(url, { workerData, transferList: [origin.port] });
    t.after(() => worker.terminate());
    assert.deepEqual(await once(worker, 'message'), ['started']);
    return { looked: once(worker, 'message') as Promise<[Looked]> };
  };
  const threads = await Promise.all([start(), start()]);

  for (let number = 0; number < passersBy; number++) {
    directory.upsert({ ...entryOf('', `stranger ${number}`), digest: strangerOf(number) });
    // Most go again, so that the index both grows and moves its places up.
    if (number % 3 !== 0) directory.remove(strangerOf(number));
    for (let time = 0; time < 40; time++) directory.upsert(changes[(number + time) % changes.length]!);
    if (number % 75 === 0) {
      const step = number / 75;
      const [gone] = doomed[step]!;
      directory.remove(digestOf(gone as Parameters<typeof digestOf>[0]));
      Atomics.store(revoked, 0, step + 1);
      directory.upsert(entryOf(...coming[step]!));
      Atomics.store(added, 0, step + 1);
    }
    if (number % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  Atomics.store(end, 0, 1);
  const looked = (await Promise.all(threads.map(({ looked: result }) => result))).map(([each]) => each);
  assert.deepEqual(
    looked.flatMap(({ faults }) => faults),
    [],
  );
  for (const { looks } of looked) assert.ok(looks > 10_000, `${looks} looks`);
  t.diagnostic(`${looked.map(({ looks }) => looks).join(' and ')} looks`);
});
