import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../clock.ts';
import type { Counted, CountingData } from './counting-thread.testing.ts';
import { freeLocksOf, type LimitsMemory, MemoryLimits } from './limits.ts';
import { mainThread, sharedWords, ThreadLock } from './thread-lock.ts';

const startMs = Date.parse('2026-11-21T10:00:30.000Z');
const minuteMs = 60_000;

/** Counters with room for all slots that are counted, as the thread that starts the others has made it. */
function counters(): LimitsMemory {
  const limits = new MemoryLimits(seededRandomness(3));
  limits.counterSegment(1);
  return limits.memory;
}

async function startCounting(t: TestContext, memory: LimitsMemory, owner: number, clock: CountingData['clock']) {
  const workerData: CountingData = { memory, owner, clock, startMs };
  const worker = new Worker(new URL('./counting-thread.testing.ts', import.meta.url), { workerData });
  t.after(() => worker.terminate());
  assert.deepEqual(await once(worker, 'message'), ['started']);
  return worker;
}

test('threads that count together admit exactly the smaller of what was sent and the limit, minute by minute', async (t) => {
  const memory = counters();
  const clock = sharedWords(8);
  const workers = await Promise.all([2, 3, 4].map((owner) => startCounting(t, memory, owner, clock)));
  const results = workers.map((worker) => once(worker, 'message') as Promise<[Counted]>);
  /** All threads go by the new time before there is another: none of them is minutes behind. */
  const moveTo = async (passedMs: number) => {
    Atomics.store(clock, 0, passedMs);
    await eventually('all threads know', () => [2, 3, 4].every((owner) => Atomics.load(clock, owner) === passedMs));
  };
  for (let window = 0; window < 150; window++) {
    // The turn of a minute, and now and then back over it.
    await moveTo(window * minuteMs + 30_000);
    if (window % 5 === 0) await moveTo(window * minuteMs + 29_000);
  }
  Atomics.store(clock, 0, -1);
  const counted = (await Promise.all(results)).map(([each]) => each);
  const names = new Set(counted.flatMap((each) => Object.keys(each)));
  let used = 0;
  for (const name of names) {
    const parts = counted.flatMap((each) => each[name] ?? []);
    const limit = parts[0]!.limit;
    const sent = parts.reduce((sum, part) => sum + part.sent, 0);
    const remaining = parts.flatMap((part) => part.remaining).sort((a, b) => b - a);
    const admitted = Math.min(sent, limit);
    assert.deepEqual(
      remaining,
      Array.from({ length: admitted }, (_, index) => limit - 1 - index),
      name,
    );
    for (const part of parts)
      assert.deepEqual(
        part.remaining,
        part.remaining.toSorted((a, b) => b - a),
      );
    if (sent > limit && parts.length > 1) used++;
  }
  assert.ok(used > 200, `only ${used} counters were used up by several threads`);
});

test('a lock whose thread was ended in the midst of it is freed, and counting goes on', async (t) => {
  const memory = counters();
  const limits = new MemoryLimits(memory);
  for (let owner = 2; owner < 12; owner++) {
    const worker = await startCounting(t, memory, owner, sharedWords(64));
    await worker.terminate();
    freeLocksOf(owner, memory);
    const now = (startMs + owner * minuteMs) as EpochMs;
    assert.equal(limits.takeForAddress('192.0.2.1', now).remaining, 29);
    assert.equal(limits.takeForFailedAuthentication('192.0.2.1', now).remaining, 9);
  }
});

test('a lock is freed for the thread that is gone and for no other, and who waits for it gets it', async (t) => {
  const { control } = counters().addresses;
  new ThreadLock(control, 0, 7).acquire();
  const waiting = `const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.url).then(({ ThreadLock }) => {
      const lock = new ThreadLock(workerData.control, 0, 8);
      parentPort.postMessage('waits');
      lock.acquire();
      lock.release();
      parentPort.postMessage('had it');
    });`;
  const url = new URL('./thread-lock.ts', import.meta.url).href;
  const worker = new Worker(waiting, { eval: true, workerData: { control, url } });
  t.after(() => worker.terminate());
  assert.deepEqual(await once(worker, 'message'), ['waits']);
  const memory = { ...counters(), addresses: { ...counters().addresses, control } };
  freeLocksOf(mainThread, memory);
  freeLocksOf(8, memory);
  assert.equal(control[0]! >>> 1, 7);
  freeLocksOf(7, memory);
  assert.deepEqual(await once(worker, 'message'), ['had it']);
  assert.equal(control[0], 0);
});
