import type { Static, TSchema } from 'typebox';
import * as part from './schema-parts.ts';
import * as contract from './schemas.ts';

const schemas: Readonly<Record<string, unknown>> = contract.schemas;

/** The body that the first examples of a schema's fields make. */
function exampleOf<Schema extends TSchema>(schema: Schema): Static<Schema> {
  return part.exampleOf(schema as object, (ref) => schemas[String(ref).split('/').at(-1)!]) as Static<Schema>;
}

export const serverTime = exampleOf(contract.ServerTimeSchema);

export const operational: contract.ServiceStatusBody = {
  ...exampleOf(contract.ServiceStatusSchema),
  maintenance: null,
};

const announcedWindow = exampleOf(contract.MaintenanceWindowSchema);

export const announced: contract.ServiceStatusBody = { ...operational, maintenance: announcedWindow };

export const underMaintenance: contract.ServiceStatusBody = {
  ...operational,
  status: 'maintenance',
  api: 'maintenance',
  maintenance: {
    from: '2026-11-21T09:30:00.000Z',
    fromMs: 1795253400000,
    to: '2026-11-21T11:00:00.000Z',
    toMs: 1795258800000,
    description: announcedWindow.description,
  },
};

export const degraded: contract.ServiceStatusBody = {
  ...operational,
  status: 'degraded',
  components: { ticker: 'degraded' },
  lastUpdatedAt: '2026-11-21T09:59:52.517Z',
  lastUpdatedAtMs: 1795255192517,
};

export const neverFed: contract.ServiceStatusBody = {
  ...operational,
  status: 'outage',
  components: { ticker: 'outage' },
  lastUpdatedAt: null,
  lastUpdatedAtMs: null,
};

export const market = exampleOf(contract.MarketSchema);

export const convertedMarket: contract.MarketBody = {
  symbol: 'BTCCZK',
  base: 'BTC',
  quote: 'CZK',
  status: 'trading',
  pricePrecision: 0,
  amountPrecision: 8,
  tickSize: '1',
  minOrderSize: '0.00005',
};

export const delistedMarket: contract.MarketBody = {
  ...market,
  symbol: 'WAVESEUR',
  base: 'WAVES',
  status: 'delisted',
  pricePrecision: 4,
  tickSize: '0.0001',
  minOrderSize: '2.5',
};

export const ticker = exampleOf(contract.TickerSchema);

export const convertedTicker: contract.TickerBody = {
  symbol: 'BTCCZK',
  base: 'BTC',
  quote: 'CZK',
  buyPrice: '2073085',
  sellPrice: '2011812',
  high24h: '2064415',
  low24h: '2013113',
  volume24h: ticker.volume24h,
  timestamp: ticker.timestamp,
  timestampMs: ticker.timestampMs,
};

export const documentBeginning = {
  openapi: '3.1.0',
  info: { title: 'Market Data API', version: '1.0' },
  paths: {},
};

/** The body of `GET /`. Addresses are absolute, without a trailing slash. */
export function rootDocument(baseUrl: string, errorsUrl: string): contract.RootDocumentBody {
  return {
    ...exampleOf(contract.RootDocumentSchema),
    links: {
      openapi: `${baseUrl}/openapi/v1.json`,
      reference: `${baseUrl}/docs`,
      errors: errorsUrl,
      status: `${baseUrl}/status`,
    },
  };
}
