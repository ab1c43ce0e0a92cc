import { resolve as absolute, dirname, join } from 'node:path';
import type { TSchema } from 'typebox';
import { connectorKinds } from '../feed/connectors.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import { type AlertEvent, alertEvents } from '../operator/alert-event.ts';
import { parseClickHouseUrl, parseMailbox, parseRedisUrl, parseSmtpUrl } from './addresses.ts';
import { type Duration, milliseconds } from './duration.ts';
import type { AnnotatedSchema } from './kinds.ts';
import { configurationSchema, type Settings } from './schema.ts';

const { properties: schemas } = configurationSchema;

/** The settings in the form the rest of the program takes: spans in milliseconds, URLs without a trailing slash. */
export type Configuration = Readonly<ReturnType<typeof resolveSettings>>;

export type StoreConfiguration = Configuration['store'];
export type HistoryConfiguration = NonNullable<Configuration['history']>;
/** See the settings of the same names. */
export type OidcConfiguration = NonNullable<Configuration['admin']['oidc']>;

/** `staleAfter: "10s"` becomes `staleAfterMs: 10000`; what is optional is `undefined` when absent. */
type InMilliseconds<Section> = {
  readonly [Key in keyof Section & string as InMs<Section, Key>]: Section[Key] extends Duration ? number : Section[Key];
};
type InMs<Section, Key extends keyof Section & string> = Section[Key] extends Duration ? `${Key}Ms` : Key;

/** The directory a relative path in a field is relative to. */
type DirectoryOf = (key: string) => string;

const bankUrls = {
  cnb: 'https://api.cnb.cz/cnbapi/exrates/daily?lang=EN',
  ecb: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
} as const;

/** Turns checked settings into the form that the rest of the program uses. */
export function resolveSettings(settings: Settings, directoryOf: DirectoryOf) {
  const { admin, store, redis, markets, pricing, guard, limits, notices, alerts, feed, logs } = settings;
  return {
    /** The operator's; `undefined` where it is not said. */
    timeZone: settings.timeZone,
    server: resolveServer(settings, directoryOf),
    /** The logo's path is absolute. */
    portal: resolvePortal(settings, directoryOf),
    admin: resolveAdmin(admin),
    store: resolveStore(store, directoryOf),
    /** `undefined`: one process serves alone. */
    redis: redis === undefined ? undefined : parseRedisUrl(redis),
    markets: inMilliseconds(markets, schemas.markets),
    /** In order of preference; never empty. */
    sources: settings.sources.map(resolveSource),
    pricing: {
      source: pricing.source,
      /** The ids of a market's own sources, in order of preference. */
      sources: mapOf(pricing.sources),
      returnAfterMs: milliseconds(pricing.returnAfter),
      feePercent: pricing.feePercent,
      converted: mapOf(pricing.converted),
      pricePrecision: mapOf(pricing.pricePrecision),
    },
    rates: resolveRates(settings),
    guard: inMilliseconds(guard, schemas.guard),
    /** `undefined`: nothing is recorded. */
    history: resolveHistory(settings, directoryOf),
    /** Requests per wall-clock minute. */
    limits,
    /** `undefined`: notices are not sent. */
    mail: resolveMail(settings),
    notices: inMilliseconds(notices, schemas.notices),
    alerts: { ...inMilliseconds(alerts, schemas.alerts), destinations: alerts.destinations.map(resolveDestination) },
    /** Named as the feed names them (`FeedTiming`). */
    feed: inMilliseconds(feed, schemas.feed),
    logs,
    /** `undefined`: nothing is sent to a collector. */
    telemetry: resolveTelemetry(settings),
  };
}

function mapOf<Key extends string, Value>(record: Readonly<Record<Key, Value>>): ReadonlyMap<Key, Value> {
  return new Map(Object.entries(record) as [Key, Value][]);
}

function resolveSource({ id, kind = id, urls, not, assets, paused: isPaused }: Settings['sources'][number]) {
  const own = connectorKinds[kind]!.urls;
  return {
    id,
    kind,
    isPaused,
    urls: { rest: withoutSlash(urls.rest ?? own.rest), ws: urls.ws ?? own.ws },
    /** The operator's names by the source's own; `undefined` for those that are left out. */
    assets: new Map<CurrencyCode, CurrencyCode | undefined>([
      ...not.map((asset) => [asset, undefined] as const),
      ...mapOf(assets),
    ]),
  };
}

/** Secrets and URLs are for requests alone: they are never shown. */
function resolveDestination({ name, kind, url, secret, chat, to, events }: Settings['alerts']['destinations'][number]) {
  const address = url ?? (kind === 'pagerduty' ? 'https://events.pagerduty.com/v2/enqueue' : undefined);
  const all: readonly AlertEvent[] = events === 'all' ? alertEvents : events;
  return { name, kind, url: address, secret, chat, to: parseMailbox(to ?? '')?.address, events: all };
}

function resolveAdmin(admin: Settings['admin']) {
  const { issuer, clientId, clientSecret, ...rest } = admin.oidc;
  const isSet = issuer !== undefined && clientId !== undefined && clientSecret !== undefined;
  return {
    ...inMilliseconds(admin, schemas.admin),
    /** `undefined`: people sign in with operator tokens only. */
    oidc: isSet ? { issuer, clientId, clientSecret, ...rest } : undefined,
  };
}

function resolveServer({ server }: Settings, directoryOf: DirectoryOf) {
  const { baseUrl, errorsUrl, tls, overloadHeapPercent, ...rest } = inMilliseconds(server, schemas.server);
  const { certFile, keyFile } = tls;
  return {
    ...rest,
    /** Both `undefined` where not configured: they depend on where the listener listens, see `publicUrls`. */
    baseUrl: baseUrl === undefined ? undefined : withoutSlash(baseUrl),
    errorsUrl: errorsUrl === undefined ? undefined : withoutSlash(errorsUrl),
    /** Absolute paths of PEM files. */
    tls:
      certFile === undefined || keyFile === undefined
        ? undefined
        : {
            certFile: absolute(directoryOf('server.tls.certFile'), certFile),
            keyFile: absolute(directoryOf('server.tls.keyFile'), keyFile),
          },
    /** 0 to 1. */
    overloadHeapShare: overloadHeapPercent / 100,
  };
}

function resolvePortal({ portal }: Settings, directoryOf: DirectoryOf): Settings['portal'] {
  const { logo, ...rest } = portal;
  return logo === undefined ? rest : { ...rest, logo: absolute(directoryOf('portal.logo'), logo) };
}

/** `url` may hold a password with PostgreSQL; `path` is absolute. */
function resolveStore(url: string, directoryOf: DirectoryOf) {
  if (!url.startsWith('sqlite:')) return { kind: 'postgres' as const, url };
  const path = absolute(directoryOf('store'), url.slice('sqlite:'.length));
  return { kind: 'sqlite' as const, url: `sqlite:${path}`, path };
}

function resolveHistory({ history, store }: Settings, directoryOf: DirectoryOf) {
  const { url, journal, keepFor, sealTo, timestamp, clickhouse } = history;
  const location = recordLocation(url, journal, store, directoryOf);
  if (location === undefined) return undefined;
  return {
    location,
    keepForMs: milliseconds(keepFor),
    /** Whoever gets the last hash of each day. */
    sealTo: parseMailbox(sealTo ?? ''),
    /** The authority that stamps it; `undefined` for none. */
    timestampUrl: timestamp.url,
    /** Where the record is copied to; `undefined` for nowhere. */
    clickhouse: parseClickHouseUrl(clickhouse.url ?? ''),
    /** How long that copy is kept. */
    shippedForMs: milliseconds(clickhouse.keepFor),
  };
}

/** Paths are absolute. */
function recordLocation(url: string | undefined, journal: string, store: string, directoryOf: DirectoryOf) {
  if (url === 'off') return undefined;
  if (url === undefined) {
    const { kind, path } = resolveStore(store, directoryOf);
    return kind === 'sqlite' ? { kind, path: join(dirname(path), 'history.sqlite') } : undefined;
  }
  if (url.startsWith('sqlite:')) {
    return { kind: 'sqlite' as const, path: absolute(directoryOf('history.url'), url.slice('sqlite:'.length)) };
  }
  return { kind: 'postgres' as const, url, journalPath: absolute(directoryOf('history.journal'), journal) };
}

function resolveRates({ rates }: Settings) {
  const times = { refreshMs: milliseconds(rates.refresh), validForMs: milliseconds(rates.validFor) };
  const { source, url, pointer, market } = rates;
  if (source === 'exchange') return { source, market: market!, ...times };
  if (source === 'json') return { source, url: url!, pointer: pointer!, ...times };
  return { source, url: url ?? bankUrls[source], ...times };
}

function resolveMail({ mail }: Settings) {
  const smtp = parseSmtpUrl(mail.smtp ?? '');
  const from = parseMailbox(mail.from ?? '');
  return smtp === undefined || from === undefined ? undefined : { smtp, from };
}

function resolveTelemetry({ telemetry }: Settings) {
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

/** The URLs that clients see, without a trailing slash. What is not configured depends on `listeningPort`, the actual port of the public listener. */
export function publicUrls(server: Configuration['server'], listeningPort: number) {
  const everyInterface = server.host === '0.0.0.0' || server.host === '::';
  const name = everyInterface ? '127.0.0.1' : server.host;
  const host = name.includes(':') ? `[${name}]` : name;
  const baseUrl = server.baseUrl ?? `${server.tls === undefined ? 'http' : 'https'}://${host}:${listeningPort}`;
  return { baseUrl, errorsUrl: server.errorsUrl ?? `${baseUrl}/errors` };
}
