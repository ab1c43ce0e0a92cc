import { resolve as absolute, dirname, join } from 'node:path';
import type { ConnectorOptions } from '../feed/connector.ts';
import { connectorKinds } from '../feed/connectors.ts';
import type { FeedTiming } from '../feed/parts.ts';
import { bankUrls, type RateOrigin } from '../feed/rates/rate-origins.ts';
import type { GuardRules } from '../market/guard.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import { type AlertEvent, alertEvents } from '../operator/alert-event.ts';
import { parseClickHouseUrl, parseMailbox, parseRedisUrl, parseSmtpUrl } from './addresses.ts';
import { milliseconds } from './duration.ts';
import type { Settings } from './schema.ts';

/** The settings in the form the rest of the program takes: spans in milliseconds, URLs without a trailing slash. */
export type Configuration = Readonly<ReturnType<typeof resolveSettings>>;

export type StoreConfiguration = Configuration['store'];
export type HistoryConfiguration = NonNullable<Configuration['history']>;
/** See the settings of the same names. */
export type OidcConfiguration = NonNullable<Configuration['admin']['oidc']>;

type RateSettings = NonNullable<Settings['rates']['compare']>;

/** The directory a relative path in a field is relative to; for paths of data see `dataDir`. */
type DirectoryOf = (key: string) => string;

/** Turns checked settings into the form that the rest of the program uses. */
export function resolveSettings(settings: Settings, directoryOf: DirectoryOf) {
  return {
    /** The operator's; `undefined` where it is not said. */
    timeZone: settings.timeZone,
    server: resolveServer(settings, directoryOf),
    portal: resolvePortal(settings, directoryOf),
    admin: resolveAdmin(settings),
    /** Which environment this is, for operators; `undefined` where it is not said. */
    environment: resolveEnvironment(settings.console),
    /** An absolute path. */
    dataDir: absolute(directoryOf('dataDir'), settings.dataDir),
    store: resolveStore(settings.store, directoryOf),
    /** `undefined`: one process serves alone. */
    redis: settings.redis === undefined ? undefined : parseRedisUrl(settings.redis),
    markets: resolveMarkets(settings),
    /** In order of preference; never empty. */
    sources: settings.sources.map(resolveSource),
    pricing: resolvePricing(settings),
    rates: resolveRates(settings),
    guard: resolveGuard(settings),
    /** `undefined`: nothing is recorded. */
    history: resolveHistory(settings, directoryOf),
    /** Requests per wall-clock minute. */
    limits: settings.limits,
    /** `undefined`: notices are not sent. */
    mail: resolveMail(settings, directoryOf),
    notices: resolveNotices(settings),
    alerts: resolveAlerts(settings),
    feed: resolveFeed(settings),
    /** The way out of this machine; what is `undefined` the environment decides. */
    network: { proxy: settings.network.proxy, noProxy: settings.network.noProxy },
    logs: settings.logs,
    /** `undefined`: nothing is sent to a collector. */
    telemetry: resolveTelemetry(settings),
  };
}

function mapOf<Key extends string, Value>(record: Readonly<Record<Key, Value>>): ReadonlyMap<Key, Value> {
  return new Map(Object.entries(record) as [Key, Value][]);
}

/** Secrets and URLs are for requests alone: they are never shown. */
function resolveDestination({ name, kind, url, secret, chat, to, events }: Settings['alerts']['destinations'][number]) {
  const all: readonly AlertEvent[] = events === 'all' ? alertEvents : events;
  return {
    name,
    kind,
    url: url ?? (kind === 'pagerduty' ? 'https://events.pagerduty.com/v2/enqueue' : undefined),
    secret,
    chat,
    to: parseMailbox(to ?? '')?.address,
    events: all,
  };
}

function resolveAdmin({ admin }: Settings) {
  return {
    host: admin.host,
    port: admin.port,
    hosts: admin.hosts,
    token: admin.token,
    sessionForMs: milliseconds(admin.sessionFor),
    /** `undefined`: people sign in with operator tokens only. */
    oidc: resolveOidc(admin.oidc),
    auditForMs: milliseconds(admin.auditFor),
    /** The kinds of changes that a second person confirms. */
    approvals: admin.approvals,
  };
}

const usualColour = '#545e6b';

function resolveEnvironment({ title, colour = usualColour }: Settings['console']) {
  return title === undefined ? undefined : { title, colour };
}

function resolveOidc(oidc: Settings['admin']['oidc']) {
  const { issuer, clientId, clientSecret, scope, rolesClaim, roles, sessionFor } = oidc;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, scope, rolesClaim, roles, sessionForMs: milliseconds(sessionFor) };
}

function resolveServer({ server }: Settings, directoryOf: DirectoryOf) {
  const { baseUrl, errorsUrl } = server;
  return {
    host: server.host,
    port: server.port,
    /** Both `undefined` where not configured: they depend on where the listener listens, see `publicUrls`. */
    baseUrl: baseUrl === undefined ? undefined : withoutSlash(baseUrl),
    errorsUrl: errorsUrl === undefined ? undefined : withoutSlash(errorsUrl),
    trustedProxies: server.trustedProxies,
    tls: resolveTls(server.tls, directoryOf),
    reusePort: server.reusePort,
    maxConnections: server.maxConnections,
    maxConnectionsPerAddress: server.maxConnectionsPerAddress,
    maxHeaderBytes: server.maxHeaderBytes,
    headersTimeoutMs: milliseconds(server.headersTimeout),
    requestTimeoutMs: milliseconds(server.requestTimeout),
    connectionsCheckIntervalMs: milliseconds(server.connectionsCheckInterval),
    keepAliveTimeoutMs: milliseconds(server.keepAliveTimeout),
    writeTimeoutMs: milliseconds(server.writeTimeout),
    overloadDelayMs: milliseconds(server.overloadDelay),
    /** 0 to 1. */
    overloadHeapShare: server.overloadHeapPercent / 100,
    drainDelayMs: milliseconds(server.drainDelay),
    shutdownDeadlineMs: milliseconds(server.shutdownDeadline),
  };
}

/** Absolute paths of PEM files. */
function resolveTls({ certFile, keyFile }: Settings['server']['tls'], directoryOf: DirectoryOf) {
  if (certFile === undefined || keyFile === undefined) return undefined;
  return {
    certFile: absolute(directoryOf('server.tls.certFile'), certFile),
    keyFile: absolute(directoryOf('server.tls.keyFile'), keyFile),
  };
}

function resolveMarkets({ markets }: Settings) {
  return {
    quotes: markets.quotes,
    symbols: markets.symbols,
    max: markets.max,
    delistAfterMs: milliseconds(markets.delistAfter),
  };
}

function resolveSource(source: Settings['sources'][number]) {
  const { id, kind = source.id, urls, not, assets, streamsPerSession, paused: isPaused } = source;
  const own = connectorKinds[kind]!.urls;
  return {
    id,
    kind,
    isPaused,
    /** Markets on one live session; left out: as the connector knows its exchange. */
    ...(streamsPerSession === undefined ? {} : { streamsPerSession }),
    urls: { rest: withoutSlash(urls.rest ?? own.rest), ws: urls.ws ?? own.ws },
    /** The operator's names by the source's own; `undefined` for those that are left out. */
    assets: new Map<CurrencyCode, CurrencyCode | undefined>([
      ...not.map((asset) => [asset, undefined] as const),
      ...mapOf(assets),
    ]),
  };
}

function resolvePricing({ pricing }: Settings) {
  return {
    source: pricing.source,
    /** The ids of a market's own sources, in order of preference. */
    sources: mapOf(pricing.sources),
    returnAfterMs: milliseconds(pricing.returnAfter),
    feePercent: pricing.feePercent,
    converted: mapOf(pricing.converted),
    pricePrecision: mapOf(pricing.pricePrecision),
  };
}

function resolveGuard({ guard }: Settings): GuardRules {
  return {
    jumpPercent: guard.jumpPercent,
    disagreePercent: guard.disagreePercent,
    ceilingPercent: guard.ceilingPercent,
    spreadPercent: guard.spreadPercent,
    ratePercent: guard.ratePercent,
    rateCeilingPercent: guard.rateCeilingPercent,
    confirmAfterMs: milliseconds(guard.confirmAfter),
  };
}

function resolveNotices({ notices }: Settings) {
  return {
    breachedMinutes: notices.breachedMinutes,
    withinMs: milliseconds(notices.within),
    atMostEveryMs: milliseconds(notices.atMostEvery),
    language: notices.language,
  };
}

function resolveAlerts({ alerts }: Settings) {
  const { after, to } = alerts.escalate;
  const escalateAfterMs = milliseconds(after);
  return {
    destinations: alerts.destinations.map(resolveDestination),
    raiseAfterMs: milliseconds(alerts.raiseAfter),
    endAfterMs: milliseconds(alerts.endAfter),
    /** 0: never. */
    repeatAfterMs: milliseconds(alerts.repeatAfter),
    /** `undefined`: nobody is told because nobody else acknowledged. */
    escalateAfterMs: to.length === 0 ? undefined : escalateAfterMs,
    escalateTo: to,
    consoleUrl: alerts.consoleUrl === undefined ? undefined : withoutSlash(alerts.consoleUrl),
    /** `undefined`: nobody outside is told that this process lives. */
    heartbeat: resolveHeartbeat(alerts.heartbeat),
  };
}

function resolveHeartbeat({ url, every, method, unreadyFor }: Settings['alerts']['heartbeat']) {
  if (url === undefined) return undefined;
  return { url, everyMs: milliseconds(every), method, unreadyForMs: milliseconds(unreadyFor) };
}

function resolveFeed({ feed }: Settings) {
  return {
    staleAfterMs: milliseconds(feed.staleAfter),
    pingEveryMs: milliseconds(feed.pingEvery),
    transportTimeoutMs: milliseconds(feed.transportTimeout),
    reconnectMinMs: milliseconds(feed.reconnectMin),
    reconnectMaxMs: milliseconds(feed.reconnectMax),
    healthyAfterMs: milliseconds(feed.healthyAfter),
    fallbackPollMs: milliseconds(feed.fallbackPoll),
    catalogueReloadMs: milliseconds(feed.catalogueReload),
    requestTimeoutMs: milliseconds(feed.requestTimeout),
    frameBytesMax: feed.frameBytesMax,
  } satisfies Partial<FeedTiming> & Pick<ConnectorOptions, 'requestTimeoutMs' | 'frameBytesMax'>;
}

function resolvePortal({ portal }: Settings, directoryOf: DirectoryOf) {
  return {
    name: portal.name,
    /** An absolute path. */
    logo: portal.logo === undefined ? undefined : absolute(directoryOf('portal.logo'), portal.logo),
    contact: portal.contact,
    terms: portal.terms,
    subscriptions: portal.subscriptions,
    colours: portal.colours,
  };
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
  const { source, compare } = rates;
  const origin = resolveOrigin({ ...rates, source }) as RateOrigin;
  /** The source that the rate is compared with; absent: what `secondOrigin` says. */
  const second: { readonly compare?: RateOrigin | 'off' } =
    compare === undefined ? {} : { compare: resolveOrigin(compare) };
  return { ...origin, ...times, ...second };
}

/** `off`, or an origin whose settings were checked. */
function resolveOrigin({ source, url, pointer, market }: RateSettings): RateOrigin | 'off' {
  if (source === 'off') return 'off';
  if (source === 'exchange') return { source, market: market! };
  if (source === 'json') return { source, url: url!, pointer: pointer! };
  return { source, url: url ?? bankUrls[source] };
}

function resolveMail({ mail }: Settings, directoryOf: DirectoryOf) {
  const smtp = parseSmtpUrl(mail.smtp ?? '');
  const from = parseMailbox(mail.from ?? '');
  if (smtp === undefined || from === undefined) return undefined;
  const caFile = mail.caFile === undefined ? undefined : absolute(directoryOf('mail.caFile'), mail.caFile);
  return { smtp: { ...smtp, caFile, takesAnyCertificate: mail.anyCertificate }, from };
}

function resolveTelemetry({ telemetry }: Settings) {
  const { otlp, every, tracesPercent, authorization } = telemetry;
  if (otlp === undefined) return undefined;
  return { url: withoutSlash(otlp), everyMs: milliseconds(every), tracesPercent, authorization };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * The URLs that clients see, without a trailing slash. What is not configured depends on `listeningPort`, the actual
 * port of the public listener.
 */
export function publicUrls(server: Configuration['server'], listeningPort: number) {
  const everyInterface = server.host === '0.0.0.0' || server.host === '::';
  const name = everyInterface ? '127.0.0.1' : server.host;
  const host = name.includes(':') ? `[${name}]` : name;
  const baseUrl = server.baseUrl ?? `${server.tls === undefined ? 'http' : 'https'}://${host}:${listeningPort}`;
  return { baseUrl, errorsUrl: server.errorsUrl ?? `${baseUrl}/errors` };
}
