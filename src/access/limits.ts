import { contractLimits, type LimitFigures } from '../contract/limits.ts';
import type { EpochMs, Randomness } from '../ground/clock.ts';
import { AddressLimiter } from './address-limiter.ts';
import type { KeyMatch } from './key-directory.ts';
import { KeyLimiter } from './key-limiter.ts';
import type { LimitDecision } from './limit-decision.ts';
import { MinuteWindow } from './minute-window.ts';

/** Pages and their assets per address and minute: a page takes about ten requests. */
const pagesPerMinute = 240;

/** A decision: at once where the counters are in memory, soon where they are not. Such a promise never rejects. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * The three counters of the contract. Each counts by itself: using one up changes neither of the others. A
 * request is counted by exactly one of them, with the instant that was taken for it once.
 */
export interface Limits {
  /** A request with a valid key. The key's own limit goes before the configured one. */
  takeForKey(key: KeyMatch, now: EpochMs): MaybePromise<LimitDecision>;
  /** A request outside `/v1` to a counted resource. @param bucket `ClientAddress.limitBucket` */
  takeForAddress(bucket: string, now: EpochMs): MaybePromise<LimitDecision>;
  /** A request whose authentication failed: allowed means 401, refused means 429. @param bucket as above */
  takeForFailedAuthentication(bucket: string, now: EpochMs): MaybePromise<LimitDecision>;
  /**
   * Whether a failed authentication of the address would still be answered 401. Counts nothing.
   *
   * @param bucket as above
   */
  hasFailuresLeft(bucket: string, now: EpochMs): boolean;
  /** A request for a page of the portal, which the contract does not limit. @param bucket as above */
  takeForPage(bucket: string, now: EpochMs): LimitDecision;
  /** Forgets what a slot of the directory has counted. For `KeyDirectory`, when a slot goes to another key. */
  forgetSlot(slot: number): void;
}

/** Counters in this process's memory. */
export class MemoryLimits implements Limits {
  readonly #figures: LimitFigures;
  readonly #keys: KeyLimiter;
  readonly #addresses: AddressLimiter;
  readonly #failures: AddressLimiter;
  readonly #pages: AddressLimiter;

  constructor(randomness: Randomness, figures: LimitFigures = contractLimits) {
    const window = new MinuteWindow();
    this.#figures = figures;
    this.#keys = new KeyLimiter(window);
    this.#addresses = new AddressLimiter(window, randomness);
    this.#failures = new AddressLimiter(window, randomness);
    this.#pages = new AddressLimiter(window, randomness);
  }

  /** Addresses counted in the current minute, in both categories together. */
  get addressesHeld(): number {
    return this.#addresses.size + this.#failures.size;
  }

  /** Gives how much of the current minute the key has used and may use. Counts nothing itself. */
  usageOf({ slot, limitPerMinute }: KeyMatch, now: EpochMs) {
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

  hasFailuresLeft(bucket: string, now: EpochMs): boolean {
    return !this.#failures.isUsedUp(bucket, this.#figures.failedAuthentication, now);
  }

  takeForPage(bucket: string, now: EpochMs): LimitDecision {
    return this.#pages.take(bucket, pagesPerMinute, now);
  }

  forgetSlot(slot: number): void {
    this.#keys.reset(slot);
  }
}
