import type { EpochMs, Randomness } from '../clock.ts';
import { type LimitCategory, limitTable } from '../contract/limits.ts';
import { AddressLimiter, type AddressMemory, freeAddressLockOf, newAddressMemory } from './address-limiter.ts';
import type { KeyMatch } from './key-directory.ts';
import {
  type CounterSegment,
  freeSweepLockOf,
  type KeyCounterMemory,
  KeyLimiter,
  newKeyCounterMemory,
} from './key-limiter.ts';
import type { LimitDecision } from './limit-decision.ts';
import { MinuteWindow } from './minute-window.ts';
import { mainThread } from './thread-lock.ts';

/** Requests a minute in each category. */
export type LimitFigures = Readonly<Record<LimitCategory, number>>;

/** The contract's figures. */
export const contractLimits: LimitFigures = {
  key: limitTable.key.requestsPerMinute,
  address: limitTable.address.requestsPerMinute,
  failedAuthentication: limitTable.failedAuthentication.requestsPerMinute,
};

/** A decision, at once where the counters are at hand, and otherwise soon. Such a promise never rejects. */
export type Verdict = LimitDecision | Promise<LimitDecision>;

/**
 * The three counters of the contract. Each counts by itself: using one up changes neither of the others. A
 * request is counted by exactly one of them, with the instant that was taken for it once.
 */
export interface Limits {
  /** A request with a valid key. The key's own limit goes before the configured one. */
  takeForKey(key: KeyMatch, now: EpochMs): Verdict;
  /** A request outside `/v1` to a counted resource. @param bucket `ClientAddress.limitBucket` */
  takeForAddress(bucket: string, now: EpochMs): Verdict;
  /** A request whose authentication failed: allowed means 401, refused means 429. @param bucket as above */
  takeForFailedAuthentication(bucket: string, now: EpochMs): Verdict;
  /** Forgets what a slot of the directory has counted. For `KeyDirectory`, when a slot goes to another key. */
  forgetSlot(slot: number): void;
}

/** A key in the current minute, as this process counted it. */
export interface KeyUsage {
  readonly used: number;
  readonly limitPerMinute: number;
}

/** All that `MemoryLimits` knows. Threads of a process that are given the same memory count together, exactly. */
export interface LimitsMemory {
  readonly window: Int32Array<SharedArrayBuffer>;
  readonly keys: KeyCounterMemory;
  readonly addresses: AddressMemory;
  readonly failures: AddressMemory;
}

/** Memory in which nothing was counted yet. Nearly all of it is set aside only. */
export function newLimitsMemory(randomness: Randomness): LimitsMemory {
  return {
    window: new MinuteWindow().memory,
    keys: newKeyCounterMemory(),
    addresses: newAddressMemory(randomness),
    failures: newAddressMemory(randomness),
  };
}

/** Lets go of what a thread held that is gone, so that the others do not wait for it. */
export function freeLocksOf(owner: number, { keys, addresses, failures }: LimitsMemory): void {
  freeSweepLockOf(owner, keys);
  freeAddressLockOf(owner, addresses);
  freeAddressLockOf(owner, failures);
}

/** Counters in this process's memory. */
export class MemoryLimits implements Limits {
  readonly #figures: LimitFigures;
  readonly #memory: LimitsMemory;
  readonly #keys: KeyLimiter;
  readonly #addresses: AddressLimiter;
  readonly #failures: AddressLimiter;

  /**
   * @param origin the memory to count in, or what secrets of a memory of its own are made with
   * @param owner the number of this thread; see `ThreadLock`
   */
  constructor(origin: LimitsMemory | Randomness, figures: LimitFigures = contractLimits, owner: number = mainThread) {
    this.#figures = figures;
    this.#memory = 'window' in origin ? origin : newLimitsMemory(origin);
    const window = new MinuteWindow(this.#memory.window);
    this.#keys = new KeyLimiter(window, this.#memory.keys, owner);
    this.#addresses = new AddressLimiter(window, this.#memory.addresses, owner);
    this.#failures = new AddressLimiter(window, this.#memory.failures, owner);
  }

  /** As it is now: segments of counters are added as keys are. */
  get memory(): LimitsMemory {
    return { ...this.#memory, keys: this.#keys.memory };
  }

  /** The counters of a segment of slots, made if there are none yet. Only one thread may make any. */
  counterSegment(index: number): CounterSegment {
    return this.#keys.segment(index);
  }

  /** Takes over a segment that another thread made. */
  adoptCounterSegment(index: number, segment: CounterSegment): void {
    this.#keys.adopt(index, segment);
  }

  /** Addresses counted in the current minute, in both categories together. */
  get addressesHeld(): number {
    return this.#addresses.size + this.#failures.size;
  }

  /** What the key has used of the current minute, and how much it may use. Counts nothing itself. */
  usageOf({ slot, limitPerMinute }: KeyMatch, now: EpochMs): KeyUsage {
    return { used: this.#keys.used(slot, now), limitPerMinute: limitPerMinute ?? this.#figures.key };
  }

  /** The keys' slots that were used most in the current minute, most first, at most `count`. */
  busiest(now: EpochMs, count: number): ReturnType<KeyLimiter['busiest']> {
    return this.#keys.busiest(now, count);
  }

  takeForKey(key: KeyMatch, now: EpochMs): LimitDecision {
    return this.#keys.take(key.slot, key.limitPerMinute ?? this.#figures.key, now);
  }

  takeForAddress(bucket: string, now: EpochMs): LimitDecision {
    return this.#addresses.take(bucket, this.#figures.address, now);
  }

  takeForFailedAuthentication(bucket: string, now: EpochMs): LimitDecision {
    return this.#failures.take(bucket, this.#figures.failedAuthentication, now);
  }

  forgetSlot(slot: number): void {
    this.#keys.reset(slot);
  }
}
