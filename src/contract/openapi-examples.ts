import type { Static, TSchema } from 'typebox';
import * as contract from './schemas.ts';

/** Bodies of successful responses, by the name under which the document shows them. */
type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

interface FieldSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly examples?: readonly unknown[];
}

/** The body that the first examples of a schema's fields make. */
function exampleOf<Schema extends TSchema>(schema: Schema): Static<Schema> {
  return firstExample(schema as FieldSchema) as Static<Schema>;
}

function firstExample({ $ref, properties, examples }: FieldSchema): unknown {
  const { schemas } = contract;
  if ($ref !== undefined) return firstExample(schemas[$ref.split('/').at(-1) as keyof typeof schemas] as FieldSchema);
  if (properties === undefined) return examples?.[0];
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, firstExample(field)]));
}

const operational: contract.ServiceStatusBody = { ...exampleOf(contract.ServiceStatusSchema), maintenance: null };

const announcedWindow = exampleOf(contract.MaintenanceWindowSchema);

const runningWindow: contract.MaintenanceWindowBody = {
  from: '2026-11-21T09:30:00.000Z',
  fromMs: 1795253400000,
  to: '2026-11-21T11:00:00.000Z',
  toMs: 1795258800000,
  description: announcedWindow.description,
};

const bitcoinEuro = exampleOf(contract.MarketSchema);

const bitcoinCzk: contract.MarketBody = {
  symbol: 'BTCCZK',
  base: 'BTC',
  quote: 'CZK',
  status: 'trading',
  pricePrecision: 0,
  amountPrecision: 8,
  tickSize: '1',
  minOrderSize: '0.00005',
};

const delisted: contract.MarketBody = {
  ...bitcoinEuro,
  symbol: 'WAVESEUR',
  base: 'WAVES',
  status: 'delisted',
  pricePrecision: 4,
  tickSize: '0.0001',
  minOrderSize: '2.5',
};

const euroTicker = exampleOf(contract.TickerSchema);

const czkTicker: contract.TickerBody = {
  symbol: 'BTCCZK',
  base: 'BTC',
  quote: 'CZK',
  buyPrice: '2073085',
  sellPrice: '2011812',
  high24h: '2064415',
  low24h: '2013113',
  volume24h: euroTicker.volume24h,
  timestamp: euroTicker.timestamp,
  timestampMs: euroTicker.timestampMs,
};

const statuses: Examples = {
  operational: { summary: 'Everything works', value: operational },
  announced: { summary: 'Maintenance is announced', value: { ...operational, maintenance: announcedWindow } },
  maintenance: {
    summary: 'Maintenance is running',
    value: { ...operational, status: 'maintenance', api: 'maintenance', maintenance: runningWindow },
  },
  degraded: {
    summary: 'It works worse, and the data is 8 seconds old',
    value: {
      ...operational,
      status: 'degraded',
      components: { ticker: 'degraded' },
      lastUpdatedAt: '2026-11-21T09:59:52.517Z',
      lastUpdatedAtMs: 1795255192517,
    },
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

/** The body of `GET /`. Addresses are absolute, without a trailing slash. */
export function rootDocument(baseUrl: string, errorsUrl: string): contract.RootDocumentBody {
  const links = {
    openapi: `${baseUrl}/openapi/v1.json`,
    reference: `${baseUrl}/docs`,
    errors: errorsUrl,
    status: `${baseUrl}/status`,
  };
  return { ...exampleOf(contract.RootDocumentSchema), links };
}

/** The examples of the bodies that operations answer with, by the names of their schemas. */
export function bodyExamples({ baseUrl, errorsUrl }: Readonly<Record<'baseUrl' | 'errorsUrl', string>>) {
  const beginning = { openapi: '3.1.0', info: { title: 'Market Data API', version: '1.0' }, paths: {} };
  return {
    ServerTime: { serverTime: { summary: 'The time of the server', value: exampleOf(contract.ServerTimeSchema) } },
    ServiceStatus: statuses,
    MarketList: {
      markets: {
        summary: 'A converted market, a market of the exchange, and a delisted one',
        value: { markets: [bitcoinCzk, bitcoinEuro, delisted] },
      },
    },
    Ticker: {
      BTCEUR: { summary: 'A market of the exchange', value: euroTicker },
      BTCCZK: { summary: 'A converted market, without the optional fields', value: czkTicker },
    },
    TickerList: { tickers: { summary: 'Two markets', value: { tickers: [czkTicker, euroTicker] } } },
    OpenApiDocument: { openapi: { summary: 'The beginning of this document', value: beginning } },
    RootDocument: { root: { summary: 'The root document', value: rootDocument(baseUrl, errorsUrl) } },
  } satisfies Readonly<Record<string, Examples>>;
}
