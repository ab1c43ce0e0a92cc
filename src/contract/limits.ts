/** The three independent counters (contract, Limits). The names are the configuration's. */
export type LimitCategory = keyof typeof limitTable;

/** The contract's limits: requests in one window, and what is counted. */
export const limitTable = {
  key: {
    name: 'API key',
    requestsPerMinute: 60,
    counting: 'Per valid key, shared by all endpoints',
  },
  address: {
    name: 'Requests without a key',
    requestsPerMinute: 30,
    counting: 'Per IP address, for the root path and the description document',
  },
  failedAuthentication: {
    name: 'Failed authentication',
    requestsPerMinute: 10,
    counting: 'Per IP address, only for requests whose authentication failed',
  },
};

/** Requests per minute in each category, as a service has them configured. */
export type LimitFigures = Readonly<Record<LimitCategory, number>>;

/** The contract's figures. */
export const contractLimits: LimitFigures = {
  key: limitTable.key.requestsPerMinute,
  address: limitTable.address.requestsPerMinute,
  failedAuthentication: limitTable.failedAuthentication.requestsPerMinute,
};

/** The most requests a minute that an operator can allow; the contract's figures are defaults. */
export const configuredLimitMax = 1_000_000;

/** The `detail` of a 429. `name` is that of the limit, `perMinute` its figure. */
export function limitDetail(name: string, perMinute: number): string {
  return `${name}: the limit of ${perMinute} requests per minute is used up.`;
}

/** Length of a counting window. Windows start at the full minute of the wall clock. */
export const limitWindowMs = 60_000;

/** Names of the headers the contract gives a meaning to, in the spelling of the contract. */
export const headerNames = {
  apiKey: 'X-EXCHANGE-APIKEY',
  requestId: 'X-Request-Id',
  rateLimitLimit: 'X-RateLimit-Limit',
  rateLimitRemaining: 'X-RateLimit-Remaining',
  rateLimitReset: 'X-RateLimit-Reset',
  retryAfter: 'Retry-After',
  feedStatus: 'X-Feed-Status',
} as const;

/** The challenge of every 401 (RFC 9110 §11.6.1 requires one). */
export const wwwAuthenticate = 'ApiKey realm="market-data"';

/** The methods of every resource, as the `Allow` header of a 405 lists them. */
export const allowedMethods = 'GET, HEAD';

/** How often a client should ask (contract, Limits, rule 5). Without an interval: once, when the client starts. */
export const pollingIntervals: readonly PollingInterval[] = [
  {
    path: '/v1/tickers',
    intervalMs: 5_000,
    reason: 'More frequent calls generally bring no newer data',
  },
  {
    path: '/v1/ticker',
    intervalMs: 5_000,
    reason: 'Each followed market uses 12 requests per minute; use /v1/tickers for several markets',
  },
  {
    path: '/v1/markets',
    intervalMs: 3_600_000,
    reason: 'Markets change rarely',
  },
  {
    path: '/v1/status',
    intervalMs: 60_000,
    reason: 'May be polled more often during an outage',
  },
  {
    path: '/v1/time',
    reason: 'Measure the offset between local and server clock',
  },
];

interface PollingInterval {
  readonly path: string;
  readonly intervalMs?: number;
  readonly reason: string;
}

/** The recommended polling interval of an endpoint, as a sentence; empty where the contract gives none. */
export function pollingAdvice(path: string): string {
  const advice = pollingIntervals.find((entry) => entry.path === path);
  if (advice === undefined) return '';
  return `\n\nRecommended: ${intervalText(advice.intervalMs)}. ${advice.reason}.`;
}

function intervalText(intervalMs: number | undefined): string {
  if (intervalMs === undefined) return 'once, when your client starts';
  if (intervalMs > limitWindowMs) return 'every hour';
  return `every ${intervalMs / 1_000} seconds`;
}

/** The longest `If-None-Match`: it leaves room for the rest of a head of 8 KiB. A longer one is refused with 431. */
export const ifNoneMatchLengthMax = 4_096;

/** How long a delisted market stays in `/v1/markets`: 30 days of 24 hours, the last instant excluded. */
export const delistedListedForMs = 30 * 24 * 60 * 60 * 1_000;

/** `components.ticker` is `outage` once the feed is more than this behind; exactly this much is not yet. */
export const tickerOutageAfterMs = 5 * 60 * 1_000;

/** `Retry-After` of MARKET_DATA_UNAVAILABLE, in seconds. */
export const marketDataRetryAfterSeconds = 5;

/** `Retry-After` of SERVICE_OVERLOADED, in seconds. */
export const overloadRetryAfterSeconds = 2;

/** Bounds of `Retry-After` during maintenance, in seconds. */
export const maintenanceRetryAfterSeconds = { min: 1, max: 3_600 } as const;
