import type { Static, TSchema } from 'typebox';
import written from './openapi.json' with { type: 'json' };
import * as part from './schema-parts.ts';
import * as contract from './schemas.ts';

/** Bodies of successful responses, by the name under which the document shows them. */
type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

const schemas: Readonly<Record<string, unknown>> = contract.schemas;

/** The body that the first examples of a schema's fields make. */
function exampleOf<Schema extends TSchema>(schema: Schema): Static<Schema> {
  return part.exampleOf(schema as object, (ref) => schemas[String(ref).split('/').at(-1)!]) as Static<Schema>;
}

const { runningWindow, convertedMarket, delistedMarket, convertedTicker, degraded, neverFed } = written.examples;

const operational: contract.ServiceStatusBody = { ...exampleOf(contract.ServiceStatusSchema), maintenance: null };
const announcedWindow = exampleOf(contract.MaintenanceWindowSchema);
const maintenance = { ...runningWindow, description: announcedWindow.description };
const running = { status: 'maintenance', api: 'maintenance', maintenance };

const euroMarket = exampleOf(contract.MarketSchema);
const euroTicker = exampleOf(contract.TickerSchema);
const { volume24h, timestamp, timestampMs } = euroTicker;
const czkTicker = { ...convertedTicker, volume24h, timestamp, timestampMs };

const statuses: Examples = {
  operational: { summary: 'Everything works', value: operational },
  announced: { summary: 'Maintenance is announced', value: { ...operational, maintenance: announcedWindow } },
  maintenance: { summary: 'Maintenance is running', value: { ...operational, ...running } },
  degraded: { summary: 'It works worse, and the data is 8 seconds old', value: { ...operational, ...degraded } },
  neverFed: { summary: 'No data has arrived yet', value: { ...operational, ...neverFed } },
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
        value: { markets: [convertedMarket, euroMarket, { ...euroMarket, ...delistedMarket }] },
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
