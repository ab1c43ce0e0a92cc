import type { EpochMs } from '../ground/clock.ts';
import { clockDriftMs } from './data-flow.ts';
import { type DecimalString, isAbove, isPositive } from './decimal.ts';
import {
  type OptionalValue,
  optionalNames,
  optionalValues,
  type RejectionReason,
  type UpstreamTicker,
} from './upstream.ts';

/** The last good values of a market, and the times that order its frames. */
export interface AcceptedTicker extends Pick<UpstreamTicker, OptionalValue> {
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  readonly high24h: DecimalString;
  readonly low24h: DecimalString;
  readonly volume24h: DecimalString;
  /** The id of the source that sent it, or `median(…)` of several. */
  readonly source: string;
  /**
   * The ticker's public time. Never goes back for a market unless the wall clock does, and is never later than its
   * receipt.
   */
  readonly capturedAt: EpochMs;
  /** When the last live frame arrived, and the upstream time in it. */
  readonly liveReceivedAt: EpochMs | undefined;
  readonly liveUpstreamTime: EpochMs | undefined;
}

/** The values of a ticker, beside whose it is and when it came. */
export const valueNames = ['bid', 'ask', 'high24h', 'low24h', 'volume24h', ...optionalNames] as const;

type Judgement = { readonly accepted: AcceptedTicker } | { readonly rejected: RejectionReason };

/**
 * Decides whether an upstream ticker replaces the last good one. A value that is missing, not positive, crossed, out of
 * order or older than what is known never does.
 *
 * @param previous the last good one of the same source
 */
export function judgeTicker(ticker: UpstreamTicker, previous: AcceptedTicker | undefined, source: string): Judgement {
  const { bid, ask, high24h, low24h, volume24h } = ticker;
  if (bid === undefined || ask === undefined) return { rejected: 'bid_or_ask_missing' };
  if ([bid, ask, high24h, low24h, volume24h].some(isAbsurd)) return { rejected: 'absurd_digits' };
  if (!isPositive(bid) || !isPositive(ask)) return { rejected: 'bid_or_ask_not_positive' };
  if (isAbove(bid, ask)) return { rejected: 'crossed' };
  if (volume24h === undefined || volume24h.startsWith('-')) return { rejected: 'statistics_missing' };
  if (!isStatistic(high24h, volume24h) || !isStatistic(low24h, volume24h)) return { rejected: 'statistics_missing' };
  if (isAbove(low24h, high24h)) return { rejected: 'high_below_low' };
  const stale = staleness(ticker, previous);
  if (stale !== undefined) return { rejected: stale };
  const live = ticker.path === 'live';
  return {
    accepted: {
      bid,
      ask,
      high24h,
      low24h,
      volume24h,
      ...optionalOf(ticker),
      source,
      capturedAt: captureTime(ticker, previous),
      liveReceivedAt: live ? ticker.receivedAt : previous?.liveReceivedAt,
      liveUpstreamTime: live ? clampedUpstreamTime(ticker) : previous?.liveUpstreamTime,
    },
  };
}

function optionalOf(ticker: UpstreamTicker): Pick<UpstreamTicker, OptionalValue> {
  const taken = {} as { -readonly [Name in OptionalValue]: UpstreamTicker[Name] };
  for (const name of optionalNames) {
    const value = ticker[name];
    taken[name] = value !== undefined && (optionalValues[name] === 'any' || isPositive(value)) ? value : undefined;
  }
  return taken;
}

/** No price of any market has this many digits: 61 of them are a number that was mistaken for another. */
const digitsMax = 40;

function isAbsurd(value: DecimalString | undefined): boolean {
  return value !== undefined && value.length > digitsMax && value.replace(/\D/g, '').length > digitsMax;
}

/** A high or low of zero is valid only for a market without any trade. */
function isStatistic(value: DecimalString | undefined, volume24h: DecimalString): value is DecimalString {
  return value !== undefined && (isPositive(value) || (!value.startsWith('-') && !isPositive(volume24h)));
}

/**
 * Times in polled answers can have whole seconds, as their age in a cache has, and the two servers of an exchange
 * differ a little.
 */
const polledTimeMsMax = 2_000;

function staleness(ticker: UpstreamTicker, previous: AcceptedTicker | undefined): RejectionReason | undefined {
  if (previous === undefined) return undefined;
  const { upstreamTime, path } = ticker;
  const { liveUpstreamTime } = previous;
  if (path === 'fallback' && isDuringPoll(ticker, previous.liveReceivedAt)) return 'older_than_live';
  // A cache had this answer before the last one was made.
  if (path === 'fallback' && isDuringPoll(ticker, previous.capturedAt, polledTimeMsMax)) return 'out_of_order';
  if (upstreamTime === undefined || liveUpstreamTime === undefined) return undefined;
  // A known time ahead of the clock is from before the clock was set back, and orders nothing.
  if (liveUpstreamTime > ticker.receivedAt) return undefined;
  const tolerated = path === 'live' ? 0 : polledTimeMsMax;
  return upstreamTime + tolerated < liveUpstreamTime ? 'out_of_order' : undefined;
}

/**
 * Whether an instant is between a request and its answer. One after that is from before the wall clock was set back,
 * and ignored.
 */
function isDuringPoll({ askedAt, receivedAt }: UpstreamTicker, at: EpochMs | undefined, toleratedMs = 0): boolean {
  return at !== undefined && askedAt + toleratedMs < at && at <= receivedAt;
}

function captureTime(ticker: UpstreamTicker, previous: AcceptedTicker | undefined): EpochMs {
  const own = clampedUpstreamTime(ticker) ?? ticker.askedAt;
  if (previous === undefined || previous.capturedAt <= own) return own;
  // A time far ahead of the receipt is from before the wall clock was set back.
  return previous.capturedAt > ticker.receivedAt + clockDriftMs ? ticker.receivedAt : previous.capturedAt;
}

/** The upstream's time, at most that of the receipt. One before 1970 is ignored: the contract cannot express it. */
function clampedUpstreamTime({ upstreamTime, receivedAt }: UpstreamTicker): EpochMs | undefined {
  if (upstreamTime === undefined || upstreamTime < 0) return undefined;
  return upstreamTime > receivedAt ? receivedAt : upstreamTime;
}
