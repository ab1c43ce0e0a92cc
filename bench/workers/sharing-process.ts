import { digestOf, generateApiKey } from '../../src/access/api-key.ts';
import { KeyDirectory, type KeyFinder } from '../../src/access/key-directory.ts';
import { KeyReader } from '../../src/access/key-reader.ts';
import { MemoryLimits } from '../../src/access/limits.ts';
import { systemClock, systemRandomness } from '../../src/clock.ts';
import { median } from '../report/statistics.ts';

/** Nanoseconds of one thread for one request's part, nobody else using the memory. */
export interface SharingReport {
  readonly findNs: number;
  readonly readNs: number;
  readonly keyNs: number;
  readonly addressNs: number;
}

const count = 20_000;
const rounds = 31;

// A process of its own.
const now = systemClock.now();
const directory = new KeyDirectory();
const keys = Array.from({ length: count }, () => generateApiKey(systemRandomness));
for (const key of keys) {
  const entry = { usable: true, expiresAt: undefined, limitPerMinute: 1_000_000 };
  directory.upsert({ ...entry, digest: digestOf(key), keyId: `key_${key.slice(4, 20)}` });
}
const reader = new KeyReader(directory.memory());
const limits = new MemoryLimits(systemRandomness);
const matches = keys.map((key) => directory.find(key, now)!);
const addresses = Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

const lookUp = (finder: KeyFinder) => () => {
  for (const key of keys) finder.find(key, now);
};
const report: SharingReport = {
  findNs: nanosecondsOf(lookUp(directory)),
  readNs: nanosecondsOf(lookUp(reader)),
  keyNs: nanosecondsOf(() => {
    for (const match of matches) limits.takeForKey(match, now);
  }),
  addressNs: nanosecondsOf(() => {
    for (const address of addresses) limits.takeForAddress(address, now);
  }),
};
process.stdout.write(`${JSON.stringify(report)}\n`);

function nanosecondsOf(pass: () => void): number {
  pass();
  const taken = Array.from({ length: rounds }, () => {
    const beganMs = performance.now();
    pass();
    return ((performance.now() - beganMs) * 1e6) / count;
  });
  return median(taken);
}
