import type { EpochMs, Randomness } from '../clock.ts';
import { type BucketIdentity, type BucketKind, bucketIdentity } from './bucket-identity.ts';
import { type HashKey, keyedHash, newHashKey } from './keyed-hash.ts';
import { decide, type LimitDecision } from './limit-decision.ts';
import type { MinuteWindow } from './minute-window.ts';
import { freeLockOf, mainThread, sharedWords, ThreadLock } from './thread-lock.ts';

const overflowCounters = 1 << 16;
const overflowWords = 2;
const defaultBucketsMax = 250_000;

/** An entry of the table: the bucket's two words, the stamp that says since when and what it is, and the count. */
const entryWords = 4;
const inEntry = { high: 0, low: 1, stamp: 2, count: 3 } as const;
const inControl = { lock: 0, window: 1, generation: 2, size: 3 } as const;
const controlWords = 16;
/** A stamp is the generation above the kind of bucket. */
const kindBits = 2;

/** All that an address limiter knows. Threads that are given the same memory count together. */
export interface AddressMemory {
  readonly bucketsMax: number;
  readonly hashKey: HashKey;
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly table: Int32Array<SharedArrayBuffer>;
  readonly overflow: Int32Array<SharedArrayBuffer>;
}

/**
 * @param bucketsMax 250,000 when left out. Room for twice as many is set aside, 32 bytes a bucket, of which only what is
 *   used takes memory.
 */
export function newAddressMemory(randomness: Randomness, bucketsMax: number = defaultBucketsMax): AddressMemory {
  return {
    bucketsMax,
    // Unknown to clients: nobody can look for addresses that meet in the table, or in a counter with somebody else's.
    hashKey: newHashKey(randomness),
    control: sharedWords(controlWords),
    table: sharedWords(2 ** Math.ceil(Math.log2(2 * bucketsMax + 2)) * entryWords),
    overflow: sharedWords(overflowCounters * overflowWords),
  };
}

/**
 * Requests a minute per address bucket, in a table of open addressing that threads can share. Buckets live for one window:
 * each window has its generation, and an entry of another one is an empty place. Within a window entries are only
 * added, so that nothing is ever taken out. Their number is capped: addresses beyond it
 * share hashed counters, so that a flood of addresses costs neither unbounded memory nor the limit. Then an
 * address may pay for another's requests, but never goes uncounted.
 */
export class AddressLimiter {
  readonly #window: MinuteWindow;
  readonly #memory: AddressMemory;
  readonly #lock: ThreadLock;

  /**
   * @param origin the memory to count in, or what the secret of a memory of its own is made with
   * @param owner the number of this thread; see `ThreadLock`
   */
  constructor(window: MinuteWindow, origin: AddressMemory | Randomness, owner: number = mainThread) {
    this.#window = window;
    this.#memory = 'table' in origin ? origin : newAddressMemory(origin);
    this.#lock = new ThreadLock(this.#memory.control, inControl.lock, owner);
  }

  /** Buckets held now. */
  get size(): number {
    return Atomics.load(this.#memory.control, inControl.size);
  }

  /** Counts one request of the bucket, unless its minute is used up. */
  take(bucket: string, limit: number, now: EpochMs): LimitDecision {
    const identity = bucketIdentity(bucket);
    this.#lock.acquire();
    try {
      // Read with the lock held, so that the table never goes back to a window it has left.
      const windowNumber = this.#window.at(now);
      if (windowNumber !== this.#memory.control[inControl.window]) this.#startWindow(windowNumber);
      return decide(this.#count(identity, limit), limit, windowNumber, now);
    } finally {
      this.#lock.release();
    }
  }

  /** Whether the bucket's minute is used up. Counts nothing itself. */
  isUsedUp(bucket: string, limit: number, now: EpochMs): boolean {
    const identity = bucketIdentity(bucket);
    this.#lock.acquire();
    try {
      return this.#window.at(now) === this.#memory.control[inControl.window] && this.#used(identity) >= limit;
    } finally {
      this.#lock.release();
    }
  }

  #used(identity: BucketIdentity): number {
    const { table, control, bucketsMax, overflow } = this.#memory;
    const entry = this.#entryOf(identity);
    if (this.#isCurrent(entry)) return table[entry + inEntry.count]!;
    return control[inControl.size]! < bucketsMax ? 0 : this.#usedInOverflow(overflow, this.#overflowOf(identity));
  }

  #count(identity: BucketIdentity, limit: number): number {
    const { table, control, bucketsMax } = this.#memory;
    const entry = this.#entryOf(identity);
    if (!this.#isCurrent(entry)) {
      if (control[inControl.size]! >= bucketsMax) return this.#countOverflow(identity, limit);
      this.#enter(entry, identity);
    }
    const used = table[entry + inEntry.count]!;
    if (used < limit) table[entry + inEntry.count] = used + 1;
    return used;
  }

  #countOverflow(identity: BucketIdentity, limit: number): number {
    const { overflow, control } = this.#memory;
    const at = this.#overflowOf(identity);
    const used = this.#usedInOverflow(overflow, at);
    if (used >= limit) return used;
    overflow[at + 1] = used + 1;
    overflow[at] = control[inControl.generation]!;
    return used;
  }

  #usedInOverflow(overflow: Int32Array, at: number): number {
    return overflow[at] === this.#memory.control[inControl.generation] ? overflow[at + 1]! : 0;
  }

  #overflowOf({ high, low }: BucketIdentity): number {
    return (keyedHash(this.#memory.hashKey, high, low) >>> 16) * overflowWords;
  }

  /** Where the bucket's entry is, or the empty place where it would be. */
  #entryOf({ kind, high, low }: BucketIdentity): number {
    const { table, hashKey } = this.#memory;
    const stamp = this.#stampOf(kind);
    const mask = table.length - 1;
    for (let at = (keyedHash(hashKey, high, low) * entryWords) & mask; ; at = (at + entryWords) & mask) {
      if (!this.#isCurrent(at)) return at;
      if (table[at] === high && table[at + inEntry.low] === low && table[at + inEntry.stamp] === stamp) return at;
    }
  }

  /** The stamp comes last: before it the place is empty, should this thread end here. */
  #enter(entry: number, { kind, high, low }: BucketIdentity): void {
    const { table, control } = this.#memory;
    table[entry + inEntry.high] = high;
    table[entry + inEntry.low] = low;
    table[entry + inEntry.count] = 0;
    table[entry + inEntry.stamp] = this.#stampOf(kind);
    control[inControl.size]!++;
  }

  #isCurrent(entry: number): boolean {
    const { table, control } = this.#memory;
    return table[entry + inEntry.stamp]! >> kindBits === control[inControl.generation];
  }

  #stampOf(kind: BucketKind): number {
    return (this.#memory.control[inControl.generation]! << kindBits) | kind;
  }

  /** The window comes last: should this thread end here, the next one starts it again. */
  #startWindow(windowNumber: number): void {
    const { control } = this.#memory;
    control[inControl.generation]!++;
    control[inControl.size] = 0;
    control[inControl.window] = windowNumber;
  }
}

/** Frees what a thread held that is gone. */
export function freeAddressLockOf(owner: number, { control }: AddressMemory): void {
  freeLockOf(owner, control, inControl.lock);
}
