import type { DecimalString } from '../market/decimal.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { Mailbox, SmtpConfiguration } from './mail.ts';
import type { RedisConfiguration } from './redis.ts';

export type { Mailbox, SmtpConfiguration } from './mail.ts';
export type { RedisConfiguration } from './redis.ts';

/** The whole configuration, checked: spans in milliseconds, addresses without a trailing slash, paths absolute. */
export interface Configuration {
  readonly server: ServerConfiguration;
  readonly admin: AdminConfiguration;
  readonly store: StoreConfiguration;
  /** `undefined`: one process serves alone. */
  readonly redis: RedisConfiguration | undefined;
  readonly exchange: ExchangeConfiguration;
  readonly pricing: PricingConfiguration;
  readonly rates: RatesConfiguration;
  /** Requests per wall-clock minute. */
  readonly limits: { readonly key: number; readonly address: number; readonly failedAuthentication: number };
  /** `undefined`: notices are not sent. */
  readonly mail: { readonly smtp: SmtpConfiguration; readonly from: Mailbox } | undefined;
  readonly notices: NoticesConfiguration;
  readonly feed: FeedConfiguration;
  readonly logs: { readonly level: LogLevel };
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface AdminConfiguration {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Names of the management API besides loopback and `host`. */
  readonly hosts: readonly string[];
  /** A secret. `undefined`: only tokens of the store are valid. */
  readonly token: string | undefined;
  readonly sessionForMs: number;
  readonly auditForMs: number;
}

export interface ServerConfiguration {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** `undefined`: not configured, so it follows from where the listener came to listen; see `publicUrls`. */
  readonly baseUrl: string | undefined;
  readonly errorsUrl: string | undefined;
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** Absolute paths of PEM files. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Other processes of this host may listen on the same port. */
  readonly reusePort: boolean;
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly connectionsCheckIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** Event-loop delay (99th percentile) above which load is shed. */
  readonly overloadDelayMs: number;
  /** 0 to 1. */
  readonly overloadHeapShare: number;
  readonly drainDelayMs: number;
  readonly shutdownDeadlineMs: number;
}

export type StoreConfiguration =
  | {
      readonly kind: 'sqlite';
      /** `sqlite:` and the path. */
      readonly url: string;
      /** Absolute. */
      readonly path: string;
    }
  | {
      readonly kind: 'postgres';
      /** As it was given: it may hold a password. */
      readonly url: string;
    };

export interface ExchangeConfiguration {
  readonly id: 'kraken';
  readonly urls: { readonly rest: string; readonly ws: string };
  readonly quotes: readonly CurrencyCode[];
  readonly symbols: 'all' | readonly MarketSymbol[];
}

export interface PricingConfiguration {
  /** In percent, 0 to under 100. */
  readonly feePercent: DecimalString;
  readonly converted: ReadonlyMap<CurrencyCode, ConvertedQuote>;
  readonly pricePrecision: ReadonlyMap<MarketSymbol, number>;
}

/** How markets in a converted quote currency come about. */
export interface ConvertedQuote {
  readonly via: CurrencyCode;
  /** In percent, 0 to under 100. */
  readonly marginPercent: DecimalString;
}

export type RatesConfiguration = RateSource & { readonly refreshMs: number; readonly validForMs: number };

export type RateSource =
  | { readonly source: 'cnb' | 'ecb'; readonly url: string }
  | { readonly source: 'json'; readonly url: string; readonly pointer: string }
  | { readonly source: 'exchange'; readonly market: MarketSymbol };

/** When repeated breaches of a key's limit make a notice to its holder. */
export interface NoticesConfiguration {
  /** 1 to 60. */
  readonly breachedMinutes: number;
  readonly withinMs: number;
  readonly atMostEveryMs: number;
}

/** Named as the feed names them (`FeedTiming`), so that they go over its defaults as they are. */
export interface FeedConfiguration {
  readonly staleAfterMs: number;
  readonly pingEveryMs: number;
  readonly transportTimeoutMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  readonly healthyAfterMs: number;
  readonly fallbackPollMs: number;
  readonly catalogueReloadMs: number;
  readonly requestTimeoutMs: number;
  readonly frameBytesMax: number;
}

/**
 * The addresses clients are told, without a trailing slash. What was not configured follows from
 * `listeningPort`, the port the public listener has in fact.
 */
export function publicUrls(server: ServerConfiguration, listeningPort: number) {
  const everyInterface = server.host === '0.0.0.0' || server.host === '::';
  const name = everyInterface ? '127.0.0.1' : server.host;
  const host = name.includes(':') ? `[${name}]` : name;
  const baseUrl = server.baseUrl ?? `${server.tls === undefined ? 'http' : 'https'}://${host}:${listeningPort}`;
  return { baseUrl, errorsUrl: server.errorsUrl ?? `${baseUrl}/errors` };
}
