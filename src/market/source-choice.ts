import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, toBig } from './decimal.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

/**
 * How a source has a market now. `live`: subscribed on a connection that delivers, even if nothing moves. `polled`:
 * over REST. `silent`: neither.
 */
export type Reach = 'live' | 'polled' | 'silent';

export const exclusions = [
  'paused',
  'not_listed',
  'not_trading',
  'contradicted',
  'not_comparable',
  'held',
  'no_price',
  'off_level',
] as const;

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
    const canMake = (candidate: Candidate) => candidate.reach === reach && candidate.exclusion === undefined;
    const settled = candidates.findIndex(
      (candidate, index) => canMake(candidate) && (index === current || candidate.isProven || reach === 'polled'),
    );
    const chosen = settled >= 0 ? settled : candidates.findIndex(canMake);
    if (chosen >= 0) return chosen;
  }
  return current;
}

/** In the median a source over REST counts only where it is the one in use. */
export function isFit(candidate: Candidate | undefined): boolean {
  return candidate?.reach === 'live' && candidate.exclusion === undefined;
}

/** How long a source has been live for a market. */
export class LiveStreak {
  #liveSinceMs: number | undefined;
  #wasLost: boolean;

  /** @param isLater it came while others made the price, and has to prove itself */
  constructor(isLater = false) {
    this.#wasLost = isLater;
  }

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

/** How the source of a ticker that several made begins. */
export const medianMark = 'median(';

/**
 * The median of the bids and the median of the asks; everything else is the first's. The exact values: of an even
 * number the middle of
 * the two in the middle.
 *
 * @param tickers of live sources that agree, the one in use first; not empty
 */
export function medianTicker(tickers: readonly [AcceptedTicker, ...AcceptedTicker[]]): AcceptedTicker {
  const [first] = tickers;
  if (tickers.length === 1) return first;
  const capturedAt = Math.min(...tickers.map((ticker) => ticker.capturedAt)) as EpochMs;
  const source = `${medianMark}${tickers.map((ticker) => ticker.source).join(',')})`;
  return {
    ...first,
    bid: median(tickers.map(({ bid }) => bid)),
    ask: median(tickers.map(({ ask }) => ask)),
    capturedAt,
    source,
  };
}

function median(values: readonly DecimalString[]): DecimalString {
  const sorted = values.map(toBig).sort((a, b) => a.cmp(b));
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return (lower.eq(upper) ? lower : lower.plus(upper).times('0.5')).toFixed() as DecimalString;
}
