import { resolve as absolute, dirname, join } from 'node:path';
import type { TSchema } from 'typebox';
import type { ConnectorUrls } from '../feed/connector.ts';
import { connectorKinds } from '../feed/connectors.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import {
  type ClickHouseConfiguration,
  type Mailbox,
  parseClickHouseUrl,
  parseMailbox,
  parseRedisUrl,
  parseSmtpUrl,
  type RedisConfiguration,
  type SmtpConfiguration,
} from './addresses.ts';
import { type Duration, milliseconds } from './duration.ts';
import type { AnnotatedSchema } from './kinds.ts';
import type { Settings } from './schema.ts';
import { feedSchema, guardSchema, marketsSchema } from './schema-market.ts';
import { adminSchema, noticesSchema, serverSchema } from './schema-server.ts';

/** The settings in the form the rest of the program takes: spans in milliseconds, URLs without a trailing slash. */
export interface Configuration {
  readonly server: ServerConfiguration;
  readonly admin: AdminConfiguration;
  /** The logo's path is absolute. */
  readonly portal: Settings['portal'];
  readonly store: StoreConfiguration;
  /** `undefined`: one process serves alone. */
  readonly redis: RedisConfiguration | undefined;
  readonly markets: Omit<Settings['markets'], 'delistAfter'> & { readonly delistAfterMs: number };
  /** In order of preference; never empty. */
  readonly sources: readonly SourceConfiguration[];
  readonly pricing: PricingConfiguration;
  readonly rates: RatesConfiguration;
  readonly guard: InMilliseconds<Settings['guard']>;
  /** `undefined`: nothing is recorded. */
  readonly history: HistoryConfiguration | undefined;
  /** Requests per wall-clock minute. */
  readonly limits: Settings['limits'];
  /** `undefined`: notices are not sent. */
  readonly mail: { readonly smtp: SmtpConfiguration; readonly from: Mailbox } | undefined;
  readonly notices: InMilliseconds<Settings['notices']>;
  /** Named as the feed names them (`FeedTiming`). */
  readonly feed: InMilliseconds<Settings['feed']>;
  readonly logs: Settings['logs'];
  /** `undefined`: nothing is sent to a collector. */
  readonly telemetry: TelemetryConfiguration | undefined;
}

/** `staleAfter: "10s"` becomes `staleAfterMs: 10000`; what is optional is `undefined` when absent. */
type InMilliseconds<Section> = {
  readonly [Key in keyof Section & string as InMs<Section, Key>]: Section[Key] extends Duration ? number : Section[Key];
};
type InMs<Section, Key extends keyof Section & string> = Section[Key] extends Duration ? `${Key}Ms` : Key;

interface AdminConfiguration extends Omit<InMilliseconds<Settings['admin']>, 'oidc'> {
  /** `undefined`: people sign in with operator tokens only. */
  readonly oidc: OidcConfiguration | undefined;
}

/** See the settings of the same names. */
export type OidcConfiguration = Required<Settings['admin']['oidc']>;

export interface ServerConfiguration
  extends Omit<InMilliseconds<Settings['server']>, 'baseUrl' | 'errorsUrl' | 'tls' | 'overloadHeapPercent'> {
  /** `undefined`: not configured, so it depends on where the listener listens; see `publicUrls`. */
  readonly baseUrl: string | undefined;
  readonly errorsUrl: string | undefined;
  /** Absolute paths of PEM files. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** 0 to 1. */
  readonly overloadHeapShare: number;
}

/** A source of market data, with its addresses. */
export interface SourceConfiguration {
  readonly id: string;
  /** One of `connectorKinds`. */
  readonly kind: string;
  readonly urls: ConnectorUrls;
}

/** See the settings of the same names; `url` has no trailing slash. */
interface TelemetryConfiguration {
  readonly url: string;
  readonly everyMs: number;
  readonly tracesPercent: number;
  readonly authorization: string | undefined;
}

/** `url` may hold a password with PostgreSQL; `path` is absolute. */
export type StoreConfiguration =
  | { readonly kind: 'sqlite'; readonly url: string; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Paths are absolute. */
export interface HistoryConfiguration {
  readonly location:
    | { readonly kind: 'sqlite'; readonly path: string }
    | { readonly kind: 'postgres'; readonly url: string; readonly journalPath: string };
  readonly keepForMs: number;
  /** Who gets the last hash of each day. */
  readonly sealTo: Mailbox | undefined;
  /** Where the record is copied to; `undefined` for nowhere. */
  readonly clickhouse: ClickHouseConfiguration | undefined;
  /** How long that copy is kept. */
  readonly shippedForMs: number;
}

type ConvertedQuote = Settings['pricing']['converted'][CurrencyCode];

interface PricingConfiguration {
  readonly source: Settings['pricing']['source'];
  /** The ids of a market's own sources, in order of preference. */
  readonly sources: ReadonlyMap<MarketSymbol, readonly string[]>;
  readonly returnAfterMs: number;
  readonly feePercent: Settings['pricing']['feePercent'];
  readonly converted: ReadonlyMap<CurrencyCode, ConvertedQuote>;
  readonly pricePrecision: ReadonlyMap<MarketSymbol, number>;
}

export type RatesConfiguration = { readonly refreshMs: number; readonly validForMs: number } & (
  | { readonly source: 'cnb' | 'ecb'; readonly url: string }
  | { readonly source: 'json'; readonly url: string; readonly pointer: string }
  | { readonly source: 'exchange'; readonly market: MarketSymbol }
);

/** The directory a relative path in a field is relative to. */
type DirectoryOf = (key: string) => string;

const bankUrls = {
  cnb: 'https://api.cnb.cz/cnbapi/exrates/daily?lang=EN',
  ecb: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
} as const;

/** Turns checked settings into the form that the rest of the program uses. */
export function resolveSettings(settings: Settings, directoryOf: DirectoryOf): Configuration {
  const { admin, store, redis, markets, pricing, guard, limits, notices, feed, logs } = settings;
  return {
    server: resolveServer(settings, directoryOf),
    portal: resolvePortal(settings, directoryOf),
    admin: resolveAdmin(admin),
    store: resolveStore(store, directoryOf),
    redis: redis === undefined ? undefined : parseRedisUrl(redis),
    markets: inMilliseconds(markets, marketsSchema),
    sources: settings.sources.map(resolveSource),
    pricing: {
      source: pricing.source,
      sources: new Map(Object.entries(pricing.sources) as [MarketSymbol, string[]][]),
      returnAfterMs: milliseconds(pricing.returnAfter),
      feePercent: pricing.feePercent,
      converted: new Map(Object.entries(pricing.converted) as [CurrencyCode, ConvertedQuote][]),
      pricePrecision: new Map(Object.entries(pricing.pricePrecision) as [MarketSymbol, number][]),
    },
    rates: resolveRates(settings),
    guard: inMilliseconds(guard, guardSchema),
    history: resolveHistory(settings, directoryOf),
    limits,
    mail: resolveMail(settings),
    notices: inMilliseconds(notices, noticesSchema),
    feed: inMilliseconds(feed, feedSchema),
    logs,
    telemetry: resolveTelemetry(settings),
  };
}

function resolveSource({ id, kind = id, urls }: Settings['sources'][number]): SourceConfiguration {
  const own = connectorKinds[kind]!.urls;
  return { id, kind, urls: { rest: withoutSlash(urls.rest ?? own.rest), ws: urls.ws ?? own.ws } };
}

function resolveAdmin(admin: Settings['admin']): AdminConfiguration {
  const { issuer, clientId, clientSecret, ...rest } = admin.oidc;
  const isSet = issuer !== undefined && clientId !== undefined && clientSecret !== undefined;
  return {
    ...inMilliseconds(admin, adminSchema),
    oidc: isSet ? { issuer, clientId, clientSecret, ...rest } : undefined,
  };
}

function resolveServer({ server }: Settings, directoryOf: DirectoryOf): ServerConfiguration {
  const { baseUrl, errorsUrl, tls, overloadHeapPercent, ...rest } = inMilliseconds(server, serverSchema);
  const { certFile, keyFile } = tls;
  const hasTls = certFile !== undefined && keyFile !== undefined;
  return {
    ...rest,
    baseUrl: baseUrl === undefined ? undefined : withoutSlash(baseUrl),
    errorsUrl: errorsUrl === undefined ? undefined : withoutSlash(errorsUrl),
    tls: hasTls
      ? {
          certFile: absolute(directoryOf('server.tls.certFile'), certFile),
          keyFile: absolute(directoryOf('server.tls.keyFile'), keyFile),
        }
      : undefined,
    overloadHeapShare: overloadHeapPercent / 100,
  };
}

function resolvePortal({ portal }: Settings, directoryOf: DirectoryOf): Settings['portal'] {
  const { logo, ...rest } = portal;
  return logo === undefined ? rest : { ...rest, logo: absolute(directoryOf('portal.logo'), logo) };
}

function resolveStore(url: string, directoryOf: DirectoryOf): StoreConfiguration {
  if (!url.startsWith('sqlite:')) return { kind: 'postgres', url };
  const path = absolute(directoryOf('store'), url.slice('sqlite:'.length));
  return { kind: 'sqlite', url: `sqlite:${path}`, path };
}

function resolveHistory({ history, store }: Settings, directoryOf: DirectoryOf): HistoryConfiguration | undefined {
  const { url, journal, keepFor, sealTo, clickhouse } = history;
  const rest = {
    keepForMs: milliseconds(keepFor),
    sealTo: parseMailbox(sealTo ?? ''),
    clickhouse: parseClickHouseUrl(clickhouse.url ?? ''),
    shippedForMs: milliseconds(clickhouse.keepFor),
  };
  if (url === 'off') return undefined;
  if (url === undefined) {
    const known = resolveStore(store, directoryOf);
    if (known.kind !== 'sqlite') return undefined;
    return { location: { kind: 'sqlite', path: join(dirname(known.path), 'history.sqlite') }, ...rest };
  }
  if (!url.startsWith('sqlite:')) {
    const journalPath = absolute(directoryOf('history.journal'), journal);
    return { location: { kind: 'postgres', url, journalPath }, ...rest };
  }
  const path = absolute(directoryOf('history.url'), url.slice('sqlite:'.length));
  return { location: { kind: 'sqlite', path }, ...rest };
}

function resolveRates({ rates }: Settings): RatesConfiguration {
  const times = { refreshMs: milliseconds(rates.refresh), validForMs: milliseconds(rates.validFor) };
  const { source, url, pointer, market } = rates;
  if (source === 'exchange') return { source, market: market!, ...times };
  if (source === 'json') return { source, url: url!, pointer: pointer!, ...times };
  return { source, url: url ?? bankUrls[source], ...times };
}

function resolveMail({ mail }: Settings): Configuration['mail'] {
  const smtp = parseSmtpUrl(mail.smtp ?? '');
  const from = parseMailbox(mail.from ?? '');
  return smtp === undefined || from === undefined ? undefined : { smtp, from };
}

function resolveTelemetry({ telemetry }: Settings): Configuration['telemetry'] {
  const { otlp, every, tracesPercent, authorization } = telemetry;
  if (otlp === undefined) return undefined;
  return { url: withoutSlash(otlp), everyMs: milliseconds(every), tracesPercent, authorization };
}

function inMilliseconds<Section extends object>(section: Section, schema: TSchema): InMilliseconds<Section> {
  const values = section as Readonly<Record<string, unknown>>;
  const entries = Object.entries((schema as AnnotatedSchema).properties ?? {}).map(([name, { isDuration }]) =>
    isDuration === true ? [`${name}Ms`, milliseconds(values[name] as Duration)] : [name, values[name]],
  );
  return Object.fromEntries(entries) as InMilliseconds<Section>;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * The URLs that clients see, without a trailing slash. What is not configured depends on `listeningPort`, the
 * actual port of the public listener.
 */
export function publicUrls(server: ServerConfiguration, listeningPort: number) {
  const everyInterface = server.host === '0.0.0.0' || server.host === '::';
  const name = everyInterface ? '127.0.0.1' : server.host;
  const host = name.includes(':') ? `[${name}]` : name;
  const baseUrl = server.baseUrl ?? `${server.tls === undefined ? 'http' : 'https'}://${host}:${listeningPort}`;
  return { baseUrl, errorsUrl: server.errorsUrl ?? `${baseUrl}/errors` };
}
