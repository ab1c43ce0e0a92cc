import type { EpochMs } from '../ground/clock.ts';

/** A key as far as a serving process must know it. */
export interface KeyEntry {
  /** SHA-256 of the key text, 32 bytes. */
  readonly digest: Uint8Array;
  readonly keyId: string;
  /**
   * The key and its account are active. Expiry is apart: it comes by itself as time goes on, and no write announces it.
   */
  readonly usable: boolean;
  /** The first instant at which the key is no longer valid; `undefined` for never. */
  readonly expiresAt: EpochMs | undefined;
  /** 1 to 1,000,000; `undefined`: the configured limit holds. */
  readonly limitPerMinute: number | undefined;
}

/** Requests of a key refused in one minute (contract, Limits, rule 3). */
export interface BreachRecord {
  readonly keyId: string;
  /** The full minute that the limiter counted in. */
  readonly minuteStart: EpochMs;
  readonly refused: number;
  /** The limit that refused them, requests a minute. */
  readonly limitPerMinute: number;
}
