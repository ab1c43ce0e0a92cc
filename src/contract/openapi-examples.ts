import type {
  MarketBody,
  MarketListBody,
  RootDocumentBody,
  ServerTimeBody,
  ServiceStatusBody,
  TickerBody,
  TickerListBody,
} from './schemas.ts';

/** Bodies of successful responses, by the name under which the document shows them. */
export type Examples<Body> = Readonly<Record<string, { readonly summary: string; readonly value: Body }>>;

const now: ServerTimeBody = { serverTime: '2026-11-21T10:00:00.517Z', serverTimeMs: 1795255200517 };

const captured = { lastUpdatedAt: '2026-11-21T10:00:00.123Z', lastUpdatedAtMs: 1795255200123 };

const operational: ServiceStatusBody = {
  status: 'operational',
  api: 'operational',
  components: { ticker: 'operational' },
  maintenance: null,
  ...captured,
  ...now,
};

const announcedWindow: ServiceStatusBody['maintenance'] = {
  from: '2026-11-22T01:00:00.000Z',
  fromMs: 1795309200000,
  to: '2026-11-22T02:30:00.000Z',
  toMs: 1795314600000,
  description: 'Upgrade of the price database.',
};

const runningNow: ServiceStatusBody['maintenance'] = {
  from: '2026-11-21T09:30:00.000Z',
  fromMs: 1795253400000,
  to: '2026-11-21T11:00:00.000Z',
  toMs: 1795258800000,
  description: 'Upgrade of the price database.',
};

const bitcoinEuro: MarketBody = {
  symbol: 'BTCEUR',
  base: 'BTC',
  quote: 'EUR',
  status: 'trading',
  pricePrecision: 1,
  amountPrecision: 8,
  tickSize: '0.1',
  minOrderSize: '0.00005',
  minOrderValue: '0.5',
};

const bitcoinCzk: MarketBody = {
  symbol: 'BTCCZK',
  base: 'BTC',
  quote: 'CZK',
  status: 'trading',
  pricePrecision: 0,
  amountPrecision: 8,
  tickSize: '1',
  minOrderSize: '0.00005',
};

const delisted: MarketBody = {
  symbol: 'WAVESEUR',
  base: 'WAVES',
  quote: 'EUR',
  status: 'delisted',
  pricePrecision: 4,
  amountPrecision: 8,
  tickSize: '0.0001',
  minOrderSize: '2.5',
  minOrderValue: '0.5',
};

const euroTicker: TickerBody = {
  symbol: 'BTCEUR',
  base: 'BTC',
  quote: 'EUR',
  buyPrice: '84631.2',
  sellPrice: '83788.9',
  high24h: '85120.0',
  low24h: '83004.7',
  volume24h: '412.70318822',
  vwap24h: '84077.3',
  priceChangePercent1h: '0.21',
  priceChangePercent24h: '-1.05',
  priceChangePercent7d: '3.40',
  timestamp: captured.lastUpdatedAt,
  timestampMs: captured.lastUpdatedAtMs,
};

const czkTicker: TickerBody = {
  symbol: 'BTCCZK',
  base: 'BTC',
  quote: 'CZK',
  buyPrice: '2073085',
  sellPrice: '2011812',
  high24h: '2064415',
  low24h: '2013113',
  volume24h: '412.70318822',
  timestamp: captured.lastUpdatedAt,
  timestampMs: captured.lastUpdatedAtMs,
};

export const serverTimeExamples: Examples<ServerTimeBody> = {
  serverTime: { summary: 'The time of the server', value: now },
};

export const serviceStatusExamples: Examples<ServiceStatusBody> = {
  operational: { summary: 'Everything works', value: operational },
  announced: { summary: 'Maintenance is announced', value: { ...operational, maintenance: announcedWindow } },
  maintenance: {
    summary: 'Maintenance is running',
    value: { ...operational, status: 'maintenance', api: 'maintenance', maintenance: runningNow },
  },
  degraded: {
    summary: 'Data arrives over the fallback path',
    value: { ...operational, status: 'degraded', components: { ticker: 'degraded' } },
  },
  neverFed: {
    summary: 'No data has arrived yet',
    value: {
      ...operational,
      status: 'outage',
      components: { ticker: 'outage' },
      lastUpdatedAt: null,
      lastUpdatedAtMs: null,
    },
  },
};

export const marketListExamples: Examples<MarketListBody> = {
  markets: {
    summary: 'A converted market, a market of the exchange, and a delisted one',
    value: { markets: [bitcoinCzk, bitcoinEuro, delisted] },
  },
};

export const tickerExamples: Examples<TickerBody> = {
  BTCEUR: { summary: 'A market of the exchange', value: euroTicker },
  BTCCZK: { summary: 'A converted market, without the optional fields', value: czkTicker },
};

export const tickerListExamples: Examples<TickerListBody> = {
  tickers: { summary: 'Two markets', value: { tickers: [czkTicker, euroTicker] } },
};

export const descriptionExamples: Examples<unknown> = {
  openapi: {
    summary: 'The beginning of this document',
    value: { openapi: '3.1.0', info: { title: 'Market Data API', version: '1.0' }, paths: {} },
  },
};

/** The root document names addresses of this very service. */
export function rootExamples(baseUrl: string, errorsUrl: string): Examples<RootDocumentBody> {
  const links = {
    openapi: `${baseUrl}/openapi/v1.json`,
    reference: `${baseUrl}/docs`,
    errors: errorsUrl,
    status: `${baseUrl}/status`,
  };
  return { root: { summary: 'The root document', value: { name: 'Market Data API', version: '1.0', links } } };
}
