import type { EpochMs } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamMarket, UpstreamTicker } from '../market/upstream.ts';

/** How a market is to be listed. */
export type ExpectedMarket = Pick<UpstreamMarket, 'symbol' | 'pricePrecision' | 'amountPrecision' | 'status'> & {
  readonly tickSize: string;
};

/** The required values of a ticker, as the exchange writes them. */
export type Digits = Record<'bid' | 'ask' | 'high24h' | 'low24h' | 'volume24h', string>;

/** Digits to expect of one market on each path. */
export type ExpectedDigits = Readonly<Record<UpstreamTicker['path'], Digits>>;

/** A message that no connector can read. */
export type Garbage = 'json' | 'binary' | 'utf8' | 'nested' | 'channel' | 'symbol';

/**
 * A fault that clients of an exchange can meet. The simulator's faults of these names are described in its catalogue.
 */
export type ExchangeFault =
  | { readonly fault: 'mute' | 'freeze' | 'no-heartbeat' | 'reset' }
  | { readonly fault: 'reject' | 'mute-symbol'; readonly symbol: MarketSymbol }
  | { readonly fault: 'close'; readonly code: number }
  | { readonly fault: 'garbage'; readonly kind: Garbage }
  | { readonly fault: 'oversized'; readonly bytes: number }
  /**
   * REST refuses everything until an instant that stands in its words; `own`: in the exchange's own shape, if known.
   */
  | { readonly fault: 'ban'; readonly status: 403 | 418 | 429 | 'own'; readonly until: EpochMs }
  | { readonly fault: 'rest-429'; readonly retryAfterS: number; readonly noRetryAfter: boolean };

/** An exchange against which the guarantees of every connector are checked: the simulated one or a recording. */
export interface ExchangeUnderTest {
  readonly restUrl: string;
  readonly liveUrl: string;
  /** Every market of its quote currency, two or more. */
  readonly markets: readonly ExpectedMarket[];
  /** Ticker subscriptions over all open connections. */
  readonly subscriptions: number;
  /** REST requests since the start. */
  readonly requestsTotal: number;
  /** WebSockets asked for since the start. */
  readonly connectsTotal: number;
  /** Sends a price of this market from now on, live and over REST, and returns its digits. */
  price(symbol: MarketSymbol): ExpectedDigits;
  /** Resolves when the fault is in force. */
  set(fault: ExchangeFault): Promise<void>;
  /** Ends every fault. */
  clear(): Promise<void>;
  /** Sends everything that a connection can get at once, without a turn of the event loop. */
  burst(): void;
  stop(): Promise<void>;
}

/** The digits of a ticker. */
export function digitsOf({ bid, ask, high24h, low24h, volume24h }: UpstreamTicker) {
  return { bid, ask, high24h, low24h, volume24h };
}

/** Words for a ban that no exchange has. */
export function bannedWords(until: EpochMs): string {
  return `Enough: this address is banned, its requests are taken again from ${until} on.`;
}
