import { parentPort, workerData } from 'node:worker_threads';
import type { EpochMs } from '../clock.ts';
import type { LimitDecision } from './limit-decision.ts';
import { type LimitsMemory, MemoryLimits } from './limits.ts';

/** What a thread that counts is told. */
export interface CountingData {
  readonly memory: LimitsMemory;
  readonly owner: number;
  /** The first word: milliseconds since `startMs`, moved by the test; negative: the end. Then what each owner read last. */
  readonly clock: Int32Array<SharedArrayBuffer>;
  readonly startMs: number;
}

/** What was counted, by category, name and window. */
export interface Counted {
  readonly [counter: string]: { readonly limit: number; sent: number; readonly remaining: number[] };
}

const countedKeys = [1, 2, 70_000] as const;
const countedAddresses = ['192.0.2.1', '2001:db8::/64', 'unknown'] as const;

const { memory, owner, clock, startMs } = workerData as CountingData;
const limits = new MemoryLimits(memory, { key: 50, address: 30, failedAuthentication: 10 }, owner);
const counted: Record<string, { limit: number; sent: number; remaining: number[] }> = {};

function note(name: string, { allowed, limit, remaining, resetSeconds }: LimitDecision): void {
  const counter = `${name} ${resetSeconds}`;
  counted[counter] ??= { limit, sent: 0, remaining: [] };
  counted[counter].sent++;
  if (allowed) counted[counter].remaining.push(remaining);
}

parentPort?.postMessage('started');
for (let passedMs = Atomics.load(clock, 0); passedMs >= 0; passedMs = Atomics.load(clock, 0)) {
  Atomics.store(clock, owner, passedMs);
  const now = (startMs + passedMs) as EpochMs;
  for (const slot of countedKeys) {
    note(`key ${slot}`, limits.takeForKey({ slot, limitPerMinute: slot === 2 ? 1_000 : undefined }, now));
  }
  for (const bucket of countedAddresses) {
    note(`address ${bucket}`, limits.takeForAddress(bucket, now));
    note(`failure ${bucket}`, limits.takeForFailedAuthentication(bucket, now));
  }
}
parentPort?.postMessage(counted);
