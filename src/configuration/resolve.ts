import { resolve as absolute } from 'node:path';
import type { DecimalString } from '../market/decimal.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type {
  Configuration,
  FeedConfiguration,
  RatesConfiguration,
  ServerConfiguration,
  StoreConfiguration,
} from './configuration.ts';
import { parseDuration } from './duration.ts';
import { parseMailbox, parseSmtpUrl } from './mail.ts';
import { parseRedisUrl } from './redis.ts';
import type { Settings } from './schema.ts';

/** The directory a relative path in a field is relative to. */
export type DirectoryOf = (key: string) => string;

const bankUrls = {
  cnb: 'https://api.cnb.cz/cnbapi/exrates/daily?lang=EN',
  ecb: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
} as const;

/** Checked settings in the form the rest of the program takes. The values were parsed before, so brands are only put on. */
export function resolveSettings(settings: Settings, directoryOf: DirectoryOf): Configuration {
  const { admin, store, exchange, pricing, limits, logs } = settings;
  return {
    server: resolveServer(settings, directoryOf),
    admin: {
      host: admin.host,
      port: admin.port,
      hosts: admin.hosts,
      token: admin.token,
      sessionForMs: milliseconds(admin.sessionFor),
      auditForMs: milliseconds(admin.auditFor),
    },
    store: resolveStore(store, directoryOf),
    redis: parseRedisUrl(settings.redis ?? ''),
    exchange: {
      id: exchange.id,
      urls: { rest: withoutSlash(exchange.urls.rest), ws: exchange.urls.ws },
      quotes: exchange.quotes as CurrencyCode[],
      symbols: exchange.symbols as 'all' | MarketSymbol[],
    },
    pricing: {
      feePercent: pricing.feePercent as DecimalString,
      converted: new Map(
        Object.entries(pricing.converted).map(([currency, { via, marginPercent }]) => [
          currency as CurrencyCode,
          { via: via as CurrencyCode, marginPercent: marginPercent as DecimalString },
        ]),
      ),
      pricePrecision: new Map(Object.entries(pricing.pricePrecision) as [MarketSymbol, number][]),
    },
    rates: resolveRates(settings),
    limits,
    mail: resolveMail(settings),
    notices: {
      breachedMinutes: settings.notices.breachedMinutes,
      withinMs: milliseconds(settings.notices.within),
      atMostEveryMs: milliseconds(settings.notices.atMostEvery),
    },
    feed: resolveFeed(settings),
    logs,
  };
}

function resolveStore(url: string, directoryOf: DirectoryOf): StoreConfiguration {
  if (!url.startsWith('sqlite:')) return { kind: 'postgres', url };
  const path = absolute(directoryOf('store'), url.slice('sqlite:'.length));
  return { kind: 'sqlite', url: `sqlite:${path}`, path };
}

function resolveServer({ server }: Settings, directoryOf: DirectoryOf): ServerConfiguration {
  const { certFile, keyFile } = server.tls;
  const { baseUrl, errorsUrl } = server;
  const tls =
    certFile === undefined || keyFile === undefined
      ? undefined
      : {
          certFile: absolute(directoryOf('server.tls.certFile'), certFile),
          keyFile: absolute(directoryOf('server.tls.keyFile'), keyFile),
        };
  return {
    host: server.host,
    port: server.port,
    baseUrl: baseUrl === undefined ? undefined : withoutSlash(baseUrl),
    errorsUrl: errorsUrl === undefined ? undefined : withoutSlash(errorsUrl),
    trustedProxies: server.trustedProxies,
    tls,
    reusePort: server.reusePort,
    maxConnections: server.maxConnections,
    maxHeaderBytes: server.maxHeaderBytes,
    headersTimeoutMs: milliseconds(server.headersTimeout),
    requestTimeoutMs: milliseconds(server.requestTimeout),
    connectionsCheckIntervalMs: milliseconds(server.connectionsCheckInterval),
    keepAliveTimeoutMs: milliseconds(server.keepAliveTimeout),
    writeTimeoutMs: milliseconds(server.writeTimeout),
    overloadDelayMs: milliseconds(server.overloadDelay),
    overloadHeapShare: server.overloadHeapPercent / 100,
    drainDelayMs: milliseconds(server.drainDelay),
    shutdownDeadlineMs: milliseconds(server.shutdownDeadline),
  };
}

function resolveRates({ rates }: Settings): RatesConfiguration {
  const times = { refreshMs: milliseconds(rates.refresh), validForMs: milliseconds(rates.validFor) };
  const { source, url = '', pointer = '', market } = rates;
  if (source === 'exchange') return { source, market: market as MarketSymbol, ...times };
  if (source === 'json') return { source, url, pointer, ...times };
  return { source, url: rates.url ?? bankUrls[source], ...times };
}

function resolveFeed({ feed }: Settings): FeedConfiguration {
  return {
    staleAfterMs: milliseconds(feed.staleAfter),
    pingEveryMs: milliseconds(feed.pingEvery),
    transportTimeoutMs: milliseconds(feed.transportPatience),
    reconnectMinMs: milliseconds(feed.reconnectMin),
    reconnectMaxMs: milliseconds(feed.reconnectMax),
    healthyAfterMs: milliseconds(feed.healthyAfter),
    fallbackPollMs: milliseconds(feed.fallbackPoll),
    catalogueReloadMs: milliseconds(feed.catalogueReload),
    requestTimeoutMs: milliseconds(feed.requestTimeout),
    frameBytesMax: feed.frameBytesMax,
  };
}

function resolveMail({ mail }: Settings): Configuration['mail'] {
  const smtp = parseSmtpUrl(mail.smtp ?? '');
  const from = parseMailbox(mail.from ?? '');
  return smtp === undefined || from === undefined ? undefined : { smtp, from };
}

function milliseconds(duration: string): number {
  const parsed = parseDuration(duration);
  if (parsed === undefined) throw new Error(`not a duration: ${duration}`);
  return parsed;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
