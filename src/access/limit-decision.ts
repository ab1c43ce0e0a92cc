import { limitWindowMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';

/** The outcome of counting one request, as its response's headers report it (contract, Limits, rule 4). */
export interface LimitDecision {
  /** False: the request is over the limit and was not counted. */
  readonly allowed: boolean;
  /** `X-RateLimit-Limit`. */
  readonly limit: number;
  /** `X-RateLimit-Remaining`: 0 or more. */
  readonly remaining: number;
  /** `X-RateLimit-Reset`: the end of the window in Unix seconds, always a full minute. */
  readonly resetSeconds: number;
  /**
   * `Retry-After` of a refusal: `resetSeconds` minus now, rounded up, 1 or more. A client that waits this long is in a
   * new window.
   */
  readonly retryAfterSeconds: number;
}

/**
 * @param used requests counted in this window before this one
 * @param now by the clock whose window it is
 * @param windowMs length of a window; the contract's minute unless given
 */
export function decide(
  used: number,
  limit: number,
  windowNumber: number,
  now: EpochMs,
  windowMs: number = limitWindowMs,
): LimitDecision {
  const resetSeconds = ((windowNumber + 1) * windowMs) / 1_000;
  return {
    allowed: used < limit,
    limit,
    remaining: used < limit ? limit - used - 1 : 0,
    resetSeconds,
    retryAfterSeconds: Math.max(1, Math.ceil(resetSeconds - now / 1_000)),
  };
}
