import { parentPort, workerData } from 'node:worker_threads';
import type { KeyMemory } from '../access/key-directory.ts';
import { KeyReader } from '../access/key-reader.ts';
import type { EpochMs } from '../clock.ts';
import { Follower } from './follower.ts';
import type { NewsOrigin } from './messages.ts';

/** What a thread that looks keys up is told. */
export interface LookingData {
  readonly keys: KeyMemory;
  readonly news: NewsOrigin;
  readonly now: EpochMs;
  /** Valid all the while, with their ids. Each has now one of the limits, now the other, and its expiry changes along. */
  readonly steady: readonly (readonly [key: string, keyId: string])[];
  readonly steadyLimits: readonly number[];
  /** Revoked one after the other; `revoked` says how many are by now. */
  readonly doomed: readonly string[];
  readonly revoked: Int32Array<SharedArrayBuffer>;
  /** Added one after the other; `added` says how many are by now. */
  readonly coming: readonly (readonly [key: string, keyId: string])[];
  readonly added: Int32Array<SharedArrayBuffer>;
  readonly end: Int32Array<SharedArrayBuffer>;
}

export interface Looked {
  readonly looks: number;
  readonly faults: readonly string[];
}

const { keys, news, now, steady, steadyLimits, doomed, revoked, coming, added, end } = workerData as LookingData;
const reader = new KeyReader(keys);
const follower = new Follower(news, ({ keys: grown }) => {
  for (const growth of grown) reader.grow(growth);
});
const faults: string[] = [];
let looks = 0;

function lookUp(key: string): ReturnType<KeyReader['find']> {
  looks++;
  follower.catchUp();
  return reader.find(key, now);
}

function round(turn: number): void {
  for (const [key, keyId] of steady) {
    const match = lookUp(key);
    if (match === undefined) faults.push(`${keyId} was not found`);
    else if (!steadyLimits.includes(match.limitPerMinute ?? 0)) {
      faults.push(`${keyId} has limit ${match.limitPerMinute}`);
    } else if (reader.keyIdOf(match.slot) !== keyId) faults.push(`${keyId} is ${reader.keyIdOf(match.slot)}`);
  }
  const gone = Atomics.load(revoked, 0);
  if (gone > 0 && lookUp(doomed[turn % gone]!) !== undefined) faults.push('a revoked key was found');
  const there = Atomics.load(added, 0);
  if (there > 0) {
    const [key, keyId] = coming[turn % there]!;
    const match = lookUp(key);
    if (match === undefined || reader.keyIdOf(match.slot) !== keyId) faults.push(`${keyId}, added, was not found`);
  }
}

parentPort?.postMessage('started');
for (let turn = 0; Atomics.load(end, 0) === 0 && faults.length < 10; turn++) round(turn);
parentPort?.postMessage({ looks, faults } satisfies Looked);
