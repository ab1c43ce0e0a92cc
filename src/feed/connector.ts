import type { EpochMs } from '../clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamMarket, UpstreamMarketStatus, UpstreamTicker } from '../market/upstream.ts';

/**
 * One exchange as the feed sees it. A second exchange is one folder that implements this. The
 * supervisor owns every decision (when to connect, what is stale, what to poll); a connector only
 * speaks the exchange's protocol and keeps its pace.
 *
 * Every method that asks the exchange throws `UpstreamError`.
 */
export interface ExchangeConnector {
  /** A metric label, for example `kraken`. */
  readonly id: string;
  /** All markets of the configured quote currencies. Also teaches the connector its names: call it first. */
  loadCatalogue(signal: AbortSignal): Promise<Catalogue>;
  /** The current tickers of these symbols, `path: 'fallback'`. Symbols the exchange does not know are left out. */
  pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]>;
  /** Candles of the last while, oldest first, the running one last. Goes behind every other request. */
  loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]>;
  /**
   * Opens a live connection at once. Exactly one `closed` event ends it, and no event follows that or
   * a call of `terminate()`. Events come synchronously as frames arrive: nothing is queued.
   */
  openLive(listener: LiveListener): LiveConnection;
}

export interface Catalogue {
  readonly markets: readonly UpstreamMarket[];
  /** Pairs that should be markets and lack something we need. */
  readonly skipped: readonly SkippedPair[];
}

export interface SkippedPair {
  /** As the exchange writes it. */
  readonly name: string;
  readonly reason: string;
}

export type CandleInterval = 'hour' | 'minute';

export interface Candle {
  /** The candle's start. */
  readonly openedAt: EpochMs;
  readonly open: DecimalString;
}

export interface LiveConnection {
  /** Asks for tickers; each symbol is answered by `accepted` or `rejected` within the connector's deadline. */
  subscribe(symbols: readonly MarketSymbol[]): void;
  unsubscribe(symbols: readonly MarketSymbol[]): void;
  /** Ends and renews these subscriptions: a new snapshot follows. */
  resubscribe(symbols: readonly MarketSymbol[]): void;
  /** Asks for a sign of life; it comes as a `frame` event. */
  ping(): void;
  /** Drops the connection at once, without a closing handshake that a frozen peer would never answer. */
  terminate(): void;
}

export type LiveListener = (event: LiveEvent) => void;

export type LiveEvent =
  | { readonly type: 'opened' }
  /** Something arrived, whatever it is. Comes before what the frame means. */
  | { readonly type: 'frame' }
  | { readonly type: 'ticker'; readonly snapshot: boolean; readonly tickers: readonly UpstreamTicker[] }
  | { readonly type: 'accepted'; readonly symbol: MarketSymbol }
  | { readonly type: 'rejected'; readonly symbol: MarketSymbol; readonly reason: SubscriptionRefusal }
  /** The catalogue as it changes: a full snapshot, or the pairs that changed. */
  | { readonly type: 'instruments'; readonly pairs: readonly LivePair[] }
  /** The exchange's own word on its state, for example `online` or `maintenance`. */
  | { readonly type: 'system'; readonly status: string }
  /** A frame, or a part of one, that was left aside. */
  | { readonly type: 'dropped'; readonly reason: DroppedFrame }
  | {
      readonly type: 'closed';
      readonly reason: CloseReason;
      /** For the log; holds no URL. */
      readonly detail: string;
      readonly retryAfterMs: number | undefined;
    };

/** `refused`: the exchange said no. `unanswered`: it said nothing in time. */
export type SubscriptionRefusal = 'refused' | 'unanswered';

/** A pair the live connection tells of. */
export interface LivePair {
  /** As the exchange writes it, for example `BTC/EUR`. */
  readonly name: string;
  /** `undefined`: not in the last catalogue (new, or of a quote currency we do not take). */
  readonly symbol: MarketSymbol | undefined;
  /** Its quote currency is one we take. */
  readonly ours: boolean;
  /** `delisted` is only a hint: the catalogue decides. */
  readonly status: UpstreamMarketStatus | 'delisted';
}

/** Why a frame was left aside. The names are metric labels. */
export type DroppedFrame =
  | 'binary'
  | 'not_utf8'
  | 'malformed'
  | 'oversized'
  | 'unknown_kind'
  | 'unknown_symbol'
  | 'late'
  | 'failed';

/** Why a connection ended. The names are metric labels. */
export type CloseReason = 'closed' | 'network' | 'refused' | 'connect_timeout' | 'oversized' | 'protocol';
