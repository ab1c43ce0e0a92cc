import type { EpochMs, Randomness } from '../clock.ts';
import { decide, type LimitDecision } from './limit-decision.ts';
import type { MinuteWindow } from './minute-window.ts';

const overflowCounters = 1 << 16;
const defaultBucketsMax = 250_000;

/**
 * Requests a minute per address bucket. Buckets live for one window. Their number is capped: addresses beyond it
 * share hashed counters, so that a flood of addresses costs neither unbounded memory nor the limit. Then an
 * address may pay for another's requests, but never goes uncounted.
 */
export class AddressLimiter {
  readonly #window: MinuteWindow;
  readonly #bucketsMax: number;
  readonly #seed: number;
  readonly #overflow = new Uint32Array(overflowCounters);
  #counts = new Map<string, number>();
  #overflowUsed = false;
  #windowNumber = -1;

  /** @param bucketsMax about 100 bytes each; 250,000 when left out */
  constructor(window: MinuteWindow, randomness: Randomness, bucketsMax: number = defaultBucketsMax) {
    this.#window = window;
    this.#bucketsMax = bucketsMax;
    // Unknown to clients: nobody can look for an address that shares a counter with somebody else's.
    this.#seed = new DataView(Uint8Array.from(randomness.bytes(4)).buffer).getInt32(0);
  }

  /** Buckets held now. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts one request of the bucket, unless its minute is used up. */
  take(bucket: string, limit: number, now: EpochMs): LimitDecision {
    const windowNumber = this.#window.at(now);
    if (windowNumber !== this.#windowNumber) this.#startWindow(windowNumber);
    return decide(this.#count(bucket, limit), limit, windowNumber, now);
  }

  /** Whether the bucket's minute is used up. Counts nothing itself. */
  isUsedUp(bucket: string, limit: number, now: EpochMs): boolean {
    if (this.#window.at(now) !== this.#windowNumber) return false;
    const known = this.#counts.get(bucket);
    if (known !== undefined || this.#counts.size < this.#bucketsMax) return (known ?? 0) >= limit;
    return this.#overflow[hashOf(bucket, this.#seed) & (overflowCounters - 1)]! >= limit;
  }

  #count(bucket: string, limit: number): number {
    const known = this.#counts.get(bucket);
    if (known === undefined && this.#counts.size >= this.#bucketsMax) return this.#countOverflow(bucket, limit);
    const used = known ?? 0;
    if (used < limit) this.#counts.set(bucket, used + 1);
    return used;
  }

  #countOverflow(bucket: string, limit: number): number {
    const index = hashOf(bucket, this.#seed) & (overflowCounters - 1);
    const used = this.#overflow[index]!;
    if (used < limit) this.#overflow[index] = used + 1;
    this.#overflowUsed = true;
    return used;
  }

  #startWindow(windowNumber: number): void {
    this.#windowNumber = windowNumber;
    this.#counts = new Map();
    if (this.#overflowUsed) this.#overflow.fill(0);
    this.#overflowUsed = false;
  }
}

/** FNV-1a over the characters, begun at the seed and mixed at the end so that low bits depend on all of them. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 13;
}
