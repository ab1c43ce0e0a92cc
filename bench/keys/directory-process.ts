import { readFileSync } from 'node:fs';
import { generateApiKey } from '../../src/access/api-key.ts';
import { KeyDirectory } from '../../src/access/key-directory.ts';
import { KeyDirectoryLoader } from '../../src/access/key-directory-loader.ts';
import { MemoryLimits } from '../../src/access/limits.ts';
import { type EpochMs, systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { median } from '../report/statistics.ts';

/** What one process found with one database. */
export interface DirectoryReport {
  readonly held: number;
  readonly loadMs: number;
  readonly knownNs: number;
  readonly unknownNs: number;
  /** Counting one request, once its key or its address is known. */
  readonly keyCountNs: number;
  readonly addressCountNs: number;
}

const lookUpsMin = 100_000;

// A process of its own: takes a database, some of its keys and how often to look them all up.
const [databasePath = '', sampleFile = '', roundsText = ''] = process.argv.slice(2);
const rounds = Number(roundsText);
const store = await openStore({ url: `sqlite:${databasePath}`, clock: systemClock, randomness: systemRandomness });
const counters = new MemoryLimits(systemRandomness);
const directory = new KeyDirectory((slot) => counters.forgetSlot(slot));
const loader = new KeyDirectoryLoader(directory, store);

const startedMs = performance.now();
await loader.refresh();
const loadMs = performance.now() - startedMs;

const known = shuffled(readFileSync(sampleFile, 'utf8').split('\n'));
const unknown = known.map(() => generateApiKey(systemRandomness));
// Both warmed up before either is timed.
lookUp(known, known.length);
lookUp(unknown, 0);
const knownNs = median(Array.from({ length: rounds }, () => lookUp(known, known.length)));
const unknownNs = median(Array.from({ length: rounds }, () => lookUp(unknown, 0)));
const addresses = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 8}.${index & 255}.1`);
const countAddresses = () => count(addresses, (address, now) => counters.takeForAddress(address, now));
const matches = known.map((key) => directory.find(key, systemClock.now())!);
const countKeys = () => count(matches, (match, now) => counters.takeForKey(match, now));
countAddresses();
countKeys();
const addressCountNs = median(Array.from({ length: rounds }, countAddresses));
const keyCountNs = median(Array.from({ length: rounds }, countKeys));
const report: DirectoryReport = { held: directory.size, loadMs, knownNs, unknownNs, keyCountNs, addressCountNs };
process.stdout.write(`${JSON.stringify(report)}\n`);
await store.close();

/** Clients do not come in the order in which their keys were made, which is the order in memory. */
function shuffled(keys: readonly string[]): string[] {
  return keys
    .map((key) => ({ key, place: systemRandomness.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ key }) => key);
}

/** Nanoseconds a look-up, digest included. */
function lookUp(keys: readonly string[], expected: number): number {
  const now = systemClock.now();
  // A few keys are looked up over and over, or the time would be too short to take.
  const passes = Math.ceil(lookUpsMin / keys.length);
  let found = 0;
  const beganMs = performance.now();
  for (let pass = 0; pass < passes; pass++) {
    for (const key of keys) if (directory.find(key, now) !== undefined) found++;
  }
  const tookMs = performance.now() - beganMs;
  if (found !== expected * passes) throw new Error(`${found} keys found in ${passes} passes, not ${expected} in each`);
  return (tookMs * 1e6) / (keys.length * passes);
}

/** Nanoseconds to count a request of each. */
function count<Counted>(all: readonly Counted[], take: (counted: Counted, now: EpochMs) => unknown): number {
  const now = systemClock.now();
  const passes = Math.ceil(lookUpsMin / all.length);
  const beganMs = performance.now();
  for (let pass = 0; pass < passes; pass++) for (const counted of all) take(counted, now);
  return ((performance.now() - beganMs) * 1e6) / (all.length * passes);
}
