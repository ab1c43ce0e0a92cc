import type { Clock, EpochMs } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { CatalogueGaps, ListedMarket, ListedStatus, MarketTerms, UpstreamTicker } from '../market/upstream.ts';
import type { Ban } from './ban.ts';

/**
 * One exchange as the feed uses it. When to connect, what is stale and what to poll is decided by the supervisor; a
 * connector implements the exchange's protocol and keeps its rate limits.
 *
 * Every method that returns a promise rejects with `UpstreamError`.
 */
export interface ExchangeConnector {
  /** The id of its source in the configuration. */
  readonly id: string;
  /** How often the catalogue is loaded, where that is the only way to see that a market halts. */
  readonly catalogueReloadMs?: number;
  /** It sends its catalogue by itself, whole: one that is announced is taken over no later than this. */
  readonly catalogueSpacingMs?: number;
  /** No request, connection or message while it lasts; absent where nobody can ban us. */
  readonly ban?: Ban;
  /** Markets whose names the exchange refuses in polls, with its words. */
  readonly refusedNames?: ReadonlyMap<MarketSymbol, string>;
  /**
   * All markets of the configured quote currencies. The other methods accept the symbols of the catalogues loaded so
   * far.
   */
  loadCatalogue(signal: AbortSignal): Promise<Catalogue>;
  /** The current tickers of these symbols, `path: 'fallback'`. Symbols unknown to the exchange are left out. */
  pollTickers(symbols: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]>;
  /**
   * The latest candles, oldest first: 170 hours or 62 minutes, with the current one. Asked for after everything else.
   * Left out where there are none.
   */
  loadCandles?(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal): Promise<readonly Candle[]>;
  /**
   * Opens a live connection at once. Exactly one `closed` event ends it, and no event follows that one or a call of
   * `terminate()`. Events are emitted synchronously as frames arrive: nothing is queued.
   */
  openLive(listener: LiveListener): LiveConnection;
}

/** Everything that a connector is constructed with, from the configuration and the process. */
export interface ConnectorOptions {
  /** The id of its source, for logs and metrics; two sources can be of one kind. */
  readonly id: string;
  /** `rest` has no slash at its end; `ws` has its path. */
  readonly urls: ConnectorUrls;
  /** Quote currencies whose pairs become markets. */
  readonly quotes: readonly CurrencyCode[];
  /** Which of those markets. */
  readonly symbols: 'all' | readonly MarketSymbol[];
  /**
   * The operator's names of assets that this exchange names otherwise; `undefined` for one to leave out with its
   * markets.
   */
  readonly assets?: AssetNames;
  readonly clock: Clock;
  /** For one REST answer; a catalogue may take three times that. */
  readonly requestTimeoutMs: number;
  /** A larger frame ends the connection. */
  readonly frameBytesMax: number;
  /** Markets that one session takes, at most; as the connector knows its exchange where left out. */
  readonly streamsPerSession?: number | undefined;
  /** One that outlives the connector; its own where left out. */
  readonly ban?: Ban;
}

/** By the exchange's own name. */
export type AssetNames = ReadonlyMap<CurrencyCode, CurrencyCode | undefined>;

/** The addresses of an exchange. */
export interface ConnectorUrls {
  readonly rest: string;
  readonly ws: string;
}

export interface Catalogue extends CatalogueGaps {
  readonly markets: readonly ListedMarket[];
}

export type CandleInterval = 'hour' | 'minute';

export interface Candle {
  /** The candle's start. */
  readonly openedAt: EpochMs;
  readonly open: DecimalString;
}

export interface LiveConnection {
  /** How many sessions with the exchange it has; one where left out. */
  readonly sessions?: number;
  /** Subscribes to tickers. Each symbol gets an `accepted` or `rejected` event within the connector's deadline. */
  subscribe(symbols: readonly MarketSymbol[]): void;
  /** Subscribing to the same symbols right after that renews their subscriptions: a new snapshot follows. */
  unsubscribe(symbols: readonly MarketSymbol[]): void;
  /** Requests an answer of any kind, which arrives as a `frame` event. */
  ping(): void;
  /** Drops the connection at once, without a closing handshake, which a frozen peer never answers. */
  terminate(): void;
}

export type LiveListener = (event: LiveEvent) => void;

export type LiveEvent =
  | { readonly type: 'opened' }
  /** A frame of any kind arrived. Precedes the events of its content. */
  | { readonly type: 'frame' }
  | { readonly type: 'ticker'; readonly isSnapshot: boolean; readonly tickers: readonly UpstreamTicker[] }
  /**
   * Every market that has a price was told, and a change that went missing from now on would show: no update has to
   * prove that this connection brings them.
   */
  | { readonly type: 'whole' }
  /** These markets have no price any more. */
  | { readonly type: 'withdrawn'; readonly symbols: readonly MarketSymbol[] }
  | { readonly type: 'accepted'; readonly symbol: MarketSymbol }
  | { readonly type: 'rejected'; readonly symbol: MarketSymbol; readonly reason: SubscriptionRefusal }
  /** Catalogue changes: all pairs, or those that changed. */
  | { readonly type: 'instruments'; readonly pairs: readonly LivePair[] }
  /**
   * The state that the exchange announces for itself, for example `online` or `maintenance`, and whether it takes every
   * order.
   */
  | { readonly type: 'system'; readonly status: string; readonly isTrading: boolean }
  /** The exchange announced the end of this connection: it is to be replaced before that. */
  | { readonly type: 'ending'; readonly detail: string }
  /** A frame, or a part of one, was ignored. */
  | { readonly type: 'dropped'; readonly reason: DroppedFrame }
  | {
      readonly type: 'closed';
      readonly reason: CloseReason;
      /** For the log; holds no URL. */
      readonly detail: string;
      readonly retryAfterMs: number | undefined;
    };

/**
 * Why a market is not subscribed.
 *
 * - `refused`: the exchange says that it does not stream it
 * - `unclear`: refused, but not in words that blame the market
 * - `full`: no session takes it
 * - `lost`: its session ended, and others of the connection go on
 * - `unanswered`: no answer within the deadline
 */
export type SubscriptionRefusal = 'refused' | 'unclear' | 'full' | 'lost' | 'unanswered';

/** A pair in a catalogue change on the live connection. */
export interface LivePair {
  /** The name that the exchange writes, for example `BTC/EUR`. */
  readonly name: string;
  /** `undefined`: in no catalogue so far (new, or of a quote currency that is not configured). */
  readonly symbol: MarketSymbol | undefined;
  /** Its quote currency is configured. */
  readonly isOurs: boolean;
  /** `ended` only pauses and causes a reload: what is delisted is decided by the catalogue. */
  readonly status: ListedStatus;
  /** Announced terms, of a pair with a symbol. */
  readonly terms?: Partial<MarketTerms> | undefined;
}

/** Why a frame was ignored. The names are metric labels. */
export type DroppedFrame =
  | 'binary'
  | 'not_utf8'
  | 'malformed'
  | 'oversized'
  | 'unknown_kind'
  | 'unknown_symbol'
  | 'late'
  | 'crossed'
  | 'old_statistics'
  | 'failed';

/** Why a connection ended. The names are metric labels. */
export type CloseReason = 'closed' | 'network' | 'refused' | 'connect_timeout' | 'oversized' | 'protocol';
