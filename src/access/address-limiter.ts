import { hash } from 'node:crypto';
import type { EpochMs, Randomness } from '../ground/clock.ts';
import { decide, type LimitDecision } from './limit-decision.ts';
import type { MinuteWindow } from './minute-window.ts';

const defaultBucketsMax = 250_000;
/** Hexadecimal digits of a digest that name a shared counter: 65,536 of them. */
const sharedNameLength = 4;

/**
 * Requests a minute per address bucket (`ClientAddress.limitBucket`). Counters live for one minute. Their number is
 * capped: addresses beyond it share counters by a hash that no client can predict, so that a flood of addresses costs
 * neither unbounded memory nor the limit. Then an address may pay for another's requests, but never goes uncounted.
 */
export class AddressLimiter {
  readonly #window: MinuteWindow;
  readonly #secret: string;
  readonly #bucketsMax: number;
  #current = 0;
  #counters = new Map<string, { used: number }>();

  constructor(window: MinuteWindow, randomness: Randomness, bucketsMax: number = defaultBucketsMax) {
    this.#window = window;
    this.#secret = Buffer.from(randomness.bytes(16)).toString('hex');
    this.#bucketsMax = bucketsMax;
  }

  /** Counters held now. */
  get size(): number {
    return this.#counters.size;
  }

  /** Counts one request of the bucket, unless its minute is used up. */
  take(bucket: string, limit: number, now: EpochMs): LimitDecision {
    const window = this.#enter(now);
    const counter = this.#counterOf(bucket);
    const { used } = counter;
    if (used < limit) counter.used++;
    return decide(used, limit, window, now);
  }

  /** Whether the bucket's minute is used up. Counts nothing itself. */
  isUsedUp(bucket: string, limit: number, now: EpochMs): boolean {
    this.#enter(now);
    const counter = this.#counters.get(bucket) ?? this.#counters.get(this.#sharedNameOf(bucket));
    return counter !== undefined && counter.used >= limit;
  }

  #enter(now: EpochMs): number {
    const window = this.#window.at(now);
    if (window !== this.#current) {
      this.#current = window;
      this.#counters = new Map();
    }
    return window;
  }

  #counterOf(bucket: string): { used: number } {
    const isOwn = this.#counters.has(bucket) || this.#counters.size < this.#bucketsMax;
    const name = isOwn ? bucket : this.#sharedNameOf(bucket);
    const counter = this.#counters.get(name) ?? { used: 0 };
    this.#counters.set(name, counter);
    return counter;
  }

  /** Never equal to a bucket: it starts with a character that no address has. */
  #sharedNameOf(bucket: string): string {
    return `#${hash('sha256', this.#secret + bucket, 'hex').slice(0, sharedNameLength)}`;
  }
}
