import type { DecimalString } from './decimal.ts';
import { isPositive, toBig } from './decimal.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

/**
 * How a source has a market now. `live`: subscribed on a connection that delivers, though nothing may move. `polled`: over
 * REST alone. `silent`: neither.
 */
export type Reach = 'live' | 'polled' | 'silent';

export const exclusions = ['not_listed', 'not_trading', 'held', 'no_price'] as const;

/** Why a source makes no price of a market, whatever it sends. The names are metric labels. */
export type Exclusion = (typeof exclusions)[number];

/** One source of a market, at one instant. */
export interface Candidate {
  readonly reach: Reach;
  readonly exclusion: Exclusion | undefined;
  /** It was never lost, or has been live without a break for long enough. */
  readonly isProven: boolean;
}

/**
 * Which of a market's sources, in order of preference, makes its price: a live one before a polled one, the one in use
 * before a better one that has not proven itself again. Where none can, the one in use stays.
 *
 * @returns the index; `undefined` when none is in use and none can be
 */
export function chooseSource(candidates: readonly Candidate[], current: number | undefined): number | undefined {
  for (const reach of ['live', 'polled'] as const) {
    const isFit = (candidate: Candidate) => candidate.reach === reach && candidate.exclusion === undefined;
    const settled = candidates.findIndex(
      (candidate, index) => isFit(candidate) && (index === current || candidate.isProven || reach === 'polled'),
    );
    const chosen = settled >= 0 ? settled : candidates.findIndex(isFit);
    if (chosen >= 0) return chosen;
  }
  return current;
}

/** How long a source has been live for a market. */
export class LiveStreak {
  #liveSinceMs: number | undefined;
  #wasLost = false;

  /**
   * Notes whether it is live, and returns whether it has proven itself.
   *
   * @param nowMs monotonic
   */
  note(isLive: boolean, nowMs: number, returnAfterMs: number): boolean {
    if (!isLive) {
      this.#wasLost ||= this.#liveSinceMs !== undefined;
      this.#liveSinceMs = undefined;
      return false;
    }
    this.#liveSinceMs ??= nowMs;
    return !this.#wasLost || nowMs - this.#liveSinceMs >= returnAfterMs;
  }
}

/**
 * The middle of all sources' middle prices, with the spread of the first; everything else is the first's. The exact values:
 * halves of sums of two prices.
 *
 * @param tickers of fresh sources, the preferred one first; not empty
 */
export function medianTicker(tickers: readonly [AcceptedTicker, ...AcceptedTicker[]]): AcceptedTicker {
  const [first] = tickers;
  if (tickers.length === 1) return first;
  const levels = tickers.map(({ bid, ask }) => toBig(bid).plus(ask)).sort((a, b) => a.cmp(b));
  const upper = levels[levels.length >> 1]!;
  const lower = levels[(levels.length - 1) >> 1]!;
  const level = lower.plus(upper).times('0.5');
  const spread = toBig(first.ask).minus(first.bid);
  const bid = level.minus(spread).times('0.5').toFixed() as DecimalString;
  const ask = level.plus(spread).times('0.5').toFixed() as DecimalString;
  if (!isPositive(bid)) return first;
  const capturedAt = tickers.reduce(
    (oldest, ticker) => (ticker.capturedAt < oldest ? ticker.capturedAt : oldest),
    first.capturedAt,
  );
  return { ...first, bid, ask, capturedAt, source: `median(${tickers.map(({ source }) => source).join(',')})` };
}
