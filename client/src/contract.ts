/**
 * A decimal number as text: plain notation, a point, no exponent (`84631.2`). It holds digits that a
 * JavaScript number loses, so pass it to a decimal library and never to `Number` or `parseFloat`.
 */
export type DecimalString = string;

/** Any text that this version of the client does not know. An editor still suggests the known ones. */
type Unrecognized = string & {};

/** The states of a market that version 1 of the API has today. */
export const knownMarketStatuses = ['trading', 'paused', 'delisted'] as const;
export type KnownMarketStatus = (typeof knownMarketStatuses)[number];
/** Open set: treat a value you do not know as unrecognized, do not trade on it and do not fail. */
export type MarketStatus = KnownMarketStatus | Unrecognized;

/** The states of the service and its parts that version 1 of the API has today. */
export const knownServiceStatuses = ['operational', 'degraded', 'outage', 'maintenance'] as const;
export type KnownServiceStatus = (typeof knownServiceStatuses)[number];
/** Open set: treat a value you do not know as unrecognized and do not fail. */
export type ServiceState = KnownServiceStatus | Unrecognized;

/** The error codes that version 1 of the API has today. */
export const knownErrorCodes = [
  'INVALID_PARAMETER',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'UNKNOWN_SYMBOL',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'MARKET_DATA_UNAVAILABLE',
  'SERVICE_MAINTENANCE',
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'REQUEST_HEADER_FIELDS_TOO_LARGE',
  'INTERNAL_ERROR',
  'SERVICE_OVERLOADED',
] as const;
export type KnownErrorCode = (typeof knownErrorCodes)[number];
/** Open set: for a code you do not know, branch on the HTTP status. */
export type ErrorCode = KnownErrorCode | Unrecognized;

/** Narrows a market's state to the ones this version knows. */
export function isKnownMarketStatus(status: string): status is KnownMarketStatus {
  return (knownMarketStatuses as readonly string[]).includes(status);
}

/** Narrows a state of the service to the ones this version knows. */
export function isKnownServiceStatus(status: string): status is KnownServiceStatus {
  return (knownServiceStatuses as readonly string[]).includes(status);
}

/** Narrows an error code to the ones this version knows. */
export function isKnownErrorCode(code: string): code is KnownErrorCode {
  return (knownErrorCodes as readonly string[]).includes(code);
}

/** `GET /v1/time`. */
export interface ServerTime {
  /** ISO 8601 in UTC with milliseconds. */
  readonly serverTime: string;
  /** The same instant in milliseconds since the Unix epoch. */
  readonly serverTimeMs: number;
}

/** An announced maintenance window: it runs from `from` (included) to `to` (excluded), and `to` can move. */
export interface MaintenanceWindow {
  readonly from: string;
  readonly fromMs: number;
  readonly to: string;
  readonly toMs: number;
  /** The reason, in English. */
  readonly description: string;
}

/** `GET /v1/status`. */
export interface ServiceStatus {
  /** `maintenance` while an announced window runs, else the worst of `api` and the components. */
  readonly status: ServiceState;
  readonly api: ServiceState;
  readonly components: {
    /** The feed that prices come from: `outage` once it is more than five minutes behind. */
    readonly ticker: ServiceState;
  };
  /** The running window, else the nearest announced one, else null. Announced does not mean running. */
  readonly maintenance: MaintenanceWindow | null;
  /** When the feed was last updated; null if never. */
  readonly lastUpdatedAt: string | null;
  readonly lastUpdatedAtMs: number | null;
  readonly serverTime: string;
  readonly serverTimeMs: number;
}

/** An entry of `GET /v1/markets`. */
export interface Market {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly status: MarketStatus;
  /** Decimal places of every price. */
  readonly pricePrecision: number;
  /** Decimal places of every amount of the base currency. */
  readonly amountPrecision: number;
  readonly tickSize: DecimalString;
  /** In the base currency. */
  readonly minOrderSize: DecimalString;
  /** In the quote currency; absent where there is no such minimum. */
  readonly minOrderValue?: DecimalString;
}

/** The answer of `GET /v1/ticker`, and an entry of `GET /v1/tickers`. */
export interface Ticker {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** Final price a client pays for one unit of the base currency, fee and margin included. */
  readonly buyPrice: DecimalString;
  /** Final price a client receives for one unit of the base currency, fee and margin included. */
  readonly sellPrice: DecimalString;
  readonly high24h: DecimalString;
  readonly low24h: DecimalString;
  /** In the base currency. */
  readonly volume24h: DecimalString;
  readonly vwap24h?: DecimalString;
  /** Percent: `0.21` is 0.21 percent. */
  readonly priceChangePercent1h?: DecimalString;
  readonly priceChangePercent24h?: DecimalString;
  readonly priceChangePercent7d?: DecimalString;
  readonly timestamp: string;
  readonly timestampMs: number;
}

/** The body of every error (RFC 9457 with a code and a request id). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly requestId: string;
}

/** The recommended polling intervals, in milliseconds (contract, Limits, rule 5). */
export const pollingIntervalsMs = { tickers: 5_000, ticker: 5_000, markets: 3_600_000, status: 60_000 } as const;

/** Length of a counting window; windows start with the full minute of the server's clock. */
export const limitWindowMs = 60_000;

/** In lower case; `Headers` ignores case. */
export const headerNames = {
  apiKey: 'x-exchange-apikey',
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
  retryAfter: 'retry-after',
  requestId: 'x-request-id',
  feedStatus: 'x-feed-status',
} as const;
