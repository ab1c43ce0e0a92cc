import type { Clock } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { RejectionReason, UpstreamTicker } from '../market/upstream.ts';

/** How long values that are refused for one reason are only counted after one of them was logged. */
const countedForMs = 600_000;

/**
 * Reasons that lie in the values. The others lie in their order, or are the guard's and the operator's, who say so
 * themselves.
 */
const loggedReasons: ReadonlySet<RejectionReason> = new Set([
  'bid_or_ask_missing',
  'bid_or_ask_not_positive',
  'crossed',
  'absurd_digits',
  'statistics_missing',
  'high_below_low',
]);

interface Logged {
  readonly atMs: number;
  /** Refused since, and not logged. */
  more: number;
}

/**
 * Logs the first value that is refused for a reason, with its digits, then one each ten minutes with how many were
 * refused since.
 */
export class RefusedValues {
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logged = new Map<RejectionReason, Logged>();

  constructor(log: Log, clock: Pick<Clock, 'monotonicMs'>) {
    this.#log = log;
    this.#clock = clock;
  }

  refused({ symbol, path, bid, ask, high24h, low24h, volume24h }: UpstreamTicker, reason: RejectionReason): void {
    if (!loggedReasons.has(reason)) return;
    const nowMs = this.#clock.monotonicMs();
    const last = this.#logged.get(reason);
    if (last !== undefined && nowMs - last.atMs < countedForMs) {
      last.more++;
      return;
    }
    this.#logged.set(reason, { atMs: nowMs, more: 0 });
    this.#log.warn(
      { market: symbol, reason, path, bid, ask, high24h, low24h, volume24h, refusedSince: last?.more ?? 0 },
      'a value of the exchange is not taken; more refused for the same reason are counted',
    );
  }
}
