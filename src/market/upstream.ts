import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from './decimal.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';

/** A market as the upstream lists it. */
export interface UpstreamMarket {
  readonly symbol: MarketSymbol;
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
  /** `trading` only when the upstream takes every kind of order; any other or unknown state is `paused`. */
  readonly status: UpstreamMarketStatus;
  /** Decimal places of a price, 0 to 18. */
  readonly pricePrecision: number;
  /** Decimal places of a base amount, 0 to 18. */
  readonly amountPrecision: number;
  readonly tickSize: DecimalString;
  readonly minOrderSize: DecimalString;
  /** `undefined` when the upstream has no such minimum. */
  readonly minOrderValue: DecimalString | undefined;
}

/** A market in a load of the upstream's list. */
export interface ListedMarket extends Omit<UpstreamMarket, 'status'> {
  readonly status: ListedStatus;
}

/** The values that an exchange fixes for a market, beside its names and its state. */
export type MarketTerms = Omit<UpstreamMarket, 'symbol' | 'base' | 'quote' | 'status'>;

/** A change that an exchange announced of a market between two loads of its list. */
export type MarketChange = Partial<MarketTerms & Pick<UpstreamMarket, 'status'>>;

/** A pair that should be a market, and is not offered. */
export interface SkippedPair {
  /** The name that the exchange writes. */
  readonly name: string;
  readonly symbol: MarketSymbol;
  /** One phrase without a full stop. */
  readonly reason: string;
}

/** The name under which those of the latest load are stored. */
export const skippedPairsName = 'skippedPairs';

/** Gaps in a load of the catalogue. */
export interface CatalogueGaps {
  /** Listed, so not missing; but not readable, or under the live name of another pair. */
  readonly skipped: readonly SkippedPair[];
  /** False when a part of the answer is missing: then the absence of a market proves nothing. */
  readonly isComplete: boolean;
}

/** The result of a load of the catalogue. */
export interface CatalogueReport {
  /**
   * Markets that it lacks are missing. False for a load that is not complete, or lacks so much that it looks faulty.
   */
  readonly isEvidence: boolean;
  /** Markets that are not taken, because they wait for the operator, were rejected or are too many. */
  readonly withheld: ReadonlySet<MarketSymbol>;
  /** How many known markets it lacks. */
  readonly lacking: number;
  /** Markets that are delisted for good: the feed drops them. */
  readonly delisted: readonly MarketSymbol[];
}

export type UpstreamMarketStatus = 'trading' | 'paused';

/** `ended`: it is listed after its end. It may come to life again, and nothing says that it will. */
export type ListedStatus = UpstreamMarketStatus | 'ended';

/** How data arrives: over the live connection, or polled over REST while that one is unreliable. */
export type FeedPath = 'live' | 'fallback';

/**
 * One market's best prices and 24-hour statistics as the upstream sent them: every digit of the wire, not validated.
 */
export interface UpstreamTicker {
  readonly symbol: MarketSymbol;
  /** `undefined`: the upstream sent none, or something that is not a decimal. */
  readonly bid: DecimalString | undefined;
  readonly ask: DecimalString | undefined;
  readonly last: DecimalString | undefined;
  readonly high24h: DecimalString | undefined;
  readonly low24h: DecimalString | undefined;
  /** In the base currency. */
  readonly volume24h: DecimalString | undefined;
  readonly vwap24h: DecimalString | undefined;
  /** In percentage points: `0.21` is 0.21 percent. */
  readonly priceChangePercent24h: DecimalString | undefined;
  readonly path: FeedPath;
  /** The upstream's own time of these values, truncated to milliseconds; `undefined` when it gave none. */
  readonly upstreamTime: EpochMs | undefined;
  /** The earliest instant these values can be from: when the poll was sent, or when the live frame arrived. */
  readonly askedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/** The values that a source can leave out; `positive`: anything else it sends is no value. */
export const optionalValues = {
  last: 'positive',
  vwap24h: 'positive',
  priceChangePercent24h: 'any',
} as const satisfies {
  readonly [Name in keyof UpstreamTicker]?: 'positive' | 'any';
};
export type OptionalValue = keyof typeof optionalValues;
export const optionalNames = Object.keys(optionalValues) as readonly OptionalValue[];

/** Prices of a market at fixed distances in the past: of the upstream's last trades, or from the record. */
export interface ReferencePrices {
  readonly price1hAgo: DecimalString | undefined;
  readonly price24hAgo: DecimalString | undefined;
  readonly price7dAgo: DecimalString | undefined;
  /**
   * From the record: the start of the minute that they are for, see `referenceInstants`. They are middles of bid and
   * ask, and the change is that of the middle. `undefined`: of last trades.
   */
  readonly recordedFor?: EpochMs | undefined;
}

/** How many units of `quote` one unit of `base` is worth, midway between buying and selling. */
export interface ConversionRate {
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
  readonly mid: DecimalString;
  /** The id of its source: `cnb`, `ecb`, `json` or `exchange`. */
  readonly source: string;
  /** The calendar day a daily fixing is for, `YYYY-MM-DD`; `undefined` for a source that gives none. */
  readonly fixingDate: string | undefined;
  /** When it was last read successfully from its source. */
  readonly refreshedAt: EpochMs;
}

/** Why a ticker was rejected. The names are metric labels. */
export type RejectionReason =
  | 'unknown_market'
  | 'bid_or_ask_missing'
  | 'bid_or_ask_not_positive'
  | 'crossed'
  | 'absurd_digits'
  | 'statistics_missing'
  | 'high_below_low'
  | 'out_of_order'
  | 'older_than_live'
  /** By the guard, which asks for confirmation. */
  | 'held'
  /** By the operator. */
  | 'on_hold';

/** Takes what the feed delivers to the market room, in the order of arrival. */
export interface FeedSink {
  /** A non-empty load of the upstream's catalogue. */
  catalogueLoaded(markets: readonly ListedMarket[], at: EpochMs, gaps?: CatalogueGaps): CatalogueReport;
  /** A market's state, or some of its terms, changed between two loads. */
  marketChanged(symbol: MarketSymbol, change: MarketChange, at: EpochMs): void;
  /** Returns why the ticker was rejected, or `undefined` when it was taken. */
  tickerReceived(ticker: UpstreamTicker): RejectionReason | undefined;
  /** The source says that the market has no price any more. */
  priceWithdrawn(symbol: MarketSymbol, at: EpochMs): void;
  referencePricesChanged(symbol: MarketSymbol, prices: ReferencePrices): void;
  /**
   * The feed as a whole proved current at this instant (a live price update, or a successful fallback poll).
   *
   * @param path `live` where a live connection that delivers brought it
   * @param pollEveryMs how soon the next poll follows, where it was polled
   */
  feedCurrent(path: FeedPath, at: EpochMs, pollEveryMs?: number): void;
  /** The feed as a whole switched to this path. */
  feedPathChanged(path: FeedPath, at: EpochMs): void;
}
