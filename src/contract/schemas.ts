import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { errorCodes } from './errors.ts';
import written from './openapi.json' with { type: 'json' };
import * as part from './schema-parts.ts';

/** The descriptions of the schemas and of their fields. */
const { schemas: say } = written;

/** An object that can gain properties within v1, and says so to generators: the decoders they make then take new ones. */
function open<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description, additionalProperties: true });
}

/** States of a market that version 1 knows today (contract, Enumerations). The set can grow within v1. */
export const publicMarketStatuses = ['trading', 'paused', 'delisted'] as const;

/** Trading state of a market as a client sees it. */
export type PublicMarketStatus = (typeof publicMarketStatuses)[number];

/** States of the service and its parts that version 1 knows today (contract, Enumerations). The set can grow within v1. */
export const publicServiceStatuses = ['operational', 'degraded', 'outage', 'maintenance'] as const;

/** The states a feed can be in, as `components.ticker` and the header `X-Feed-Status` show them. */
export const feedStatuses = ['operational', 'degraded', 'outage'] as const satisfies readonly PublicServiceStatus[];

/** State of the service, of the API, or of a part it depends on. */
export type PublicServiceStatus = (typeof publicServiceStatuses)[number];

/** Instants of the examples, one story: a ticker, served 0.4 s later, before the maintenance of a night. */
const capturedAt = '2026-11-21T10:00:00.123Z';
const servedAt = '2026-11-21T10:00:00.517Z';
const windowFrom = '2026-11-22T01:00:00.000Z';
const windowTo = '2026-11-22T02:30:00.000Z';

/** Version of the API, `info.version` of the document (contract, Versioning). */
export const apiVersion = '1.0';

export const PublicMarketStatusSchema = part.openSet(publicMarketStatuses, say.MarketState.about);

export const PublicServiceStatusSchema = part.openSet(publicServiceStatuses, say.ServiceState.about);

const serverTimeFields = {
  serverTime: part.instant(say.ServerTime.serverTime, servedAt),
  serverTimeMs: part.instantMs(say.ServerTime.serverTimeMs, servedAt),
};

export const ServerTimeSchema = open(say.ServerTime.about, serverTimeFields);

export const MaintenanceWindowSchema = open(say.MaintenanceWindow.about, {
  from: part.instant(say.MaintenanceWindow.from, windowFrom),
  fromMs: part.instantMs(say.MaintenanceWindow.fromMs, windowFrom),
  to: part.instant(say.MaintenanceWindow.to, windowTo),
  toMs: part.instantMs(say.MaintenanceWindow.toMs, windowTo),
  description: part.text(say.MaintenanceWindow.description, 'Upgrade of the price database.', { maxLength: 500 }),
});

const serviceStatus = (description: string) =>
  part.component<typeof PublicServiceStatusSchema>('PublicServiceStatus', description);

export const ServiceStatusSchema = open(say.ServiceStatus.about, {
  status: serviceStatus(say.ServiceStatus.status),
  api: serviceStatus(say.ServiceStatus.api),
  components: open(say.ServiceStatus.components, { ticker: serviceStatus(say.ServiceStatus.ticker) }),
  maintenance: Type.Unsafe<Static<typeof MaintenanceWindowSchema> | null>({
    description: say.ServiceStatus.maintenance,
    anyOf: [{ $ref: '#/components/schemas/MaintenanceWindow' }, { type: 'null' }],
  }),
  lastUpdatedAt: part.nullable(part.instant(say.ServiceStatus.lastUpdatedAt, capturedAt)),
  lastUpdatedAtMs: part.nullable(part.instantMs(say.ServiceStatus.lastUpdatedAtMs, capturedAt)),
  ...serverTimeFields,
});

const symbolField = part.symbol(say.Market.symbol, 'BTCEUR');
const baseField = part.currency(say.Market.base, 'BTC');
const quoteField = part.currency(say.Market.quote, 'EUR');

export const MarketSchema = open(say.Market.about, {
  symbol: symbolField,
  base: baseField,
  quote: quoteField,
  status: part.component<typeof PublicMarketStatusSchema>('PublicMarketStatus', say.Market.status),
  pricePrecision: part.places(say.Market.pricePrecision, 1),
  amountPrecision: part.places(say.Market.amountPrecision, 8),
  tickSize: part.decimal(say.Market.tickSize, '0.1'),
  minOrderSize: part.decimal(say.Market.minOrderSize, '0.00005'),
  minOrderValue: Type.Optional(part.decimal(say.Market.minOrderValue, '0.5')),
});

const change = (period: string, example: string) =>
  Type.Optional(part.percent(say.Ticker.priceChange.replace('{period}', period), example));

export const TickerSchema = open(say.Ticker.about, {
  symbol: symbolField,
  base: baseField,
  quote: quoteField,
  buyPrice: part.decimal(say.Ticker.buyPrice, '84631.2'),
  sellPrice: part.decimal(say.Ticker.sellPrice, '83788.9'),
  high24h: part.decimal(say.Ticker.high24h, '85120.0'),
  low24h: part.decimal(say.Ticker.low24h, '83004.7'),
  volume24h: part.decimal(say.Ticker.volume24h, '412.70318822'),
  vwap24h: Type.Optional(part.decimal(say.Ticker.vwap24h, '84077.3')),
  priceChangePercent1h: change('1 hour', '0.21'),
  priceChangePercent24h: change('24 hours', '-1.05'),
  priceChangePercent7d: change('7 days', '3.40'),
  timestamp: part.instant(say.Ticker.timestamp, capturedAt),
  timestampMs: part.instantMs(say.Ticker.timestampMs, capturedAt),
});

/** @param maxItems far above what any upstream lists */
function list<Entry extends TSchema>(entry: Entry, description: string, maxItems = 10_000) {
  return Type.Array(entry, { description, maxItems });
}

export const MarketListSchema = open(say.MarketList.about, {
  markets: list(part.component<typeof MarketSchema>('Market'), say.MarketList.markets),
});

export const TickerListSchema = open(say.TickerList.about, {
  tickers: list(part.component<typeof TickerSchema>('Ticker'), say.TickerList.tickers),
});

export const ErrorCodeSchema = part.openSet(
  errorCodes,
  say.ErrorCode.about.replace('{codes}', errorCodes.map((code) => `\`${code}\``).join(', ')),
  '^[A-Z][A-Z0-9_]*$',
);

export const ErrorSchema = Type.Object(
  {
    type: part.address(say.Problem.type, 'https://api.example.com/errors/unknown-symbol', '^https?://.+/[a-z0-9-]+$'),
    title: part.text(say.Problem.title, 'Unknown symbol', { maxLength: 100 }),
    status: Type.Integer({
      description: say.Problem.status,
      format: 'int32',
      minimum: 400,
      maximum: 599,
      examples: [404],
    }),
    code: part.component<typeof ErrorCodeSchema>('ErrorCode'),
    detail: part.text(say.Problem.detail, 'No traded market has this symbol.', { maxLength: 1000 }),
    requestId: part.text(say.Problem.requestId, '9f2c51d07ab84e6c8d1e7f3a2b4c5d6e', {
      minLength: 16,
      maxLength: 64,
      pattern: part.requestIdPattern,
    }),
  },
  { description: say.Problem.about, additionalProperties: false },
);

export const RootDocumentSchema = open(say.RootDocument.about, {
  name: part.text(say.RootDocument.name, 'Market Data API', { maxLength: 100 }),
  version: part.text(say.RootDocument.version, '1.0', {
    minLength: 3,
    maxLength: 16,
    pattern: '^\\d+\\.\\d+$',
  }),
  links: open(say.RootDocument.links, {
    openapi: part.address(say.RootDocument.openapi, 'https://api.example.com/openapi/v1.json'),
    reference: part.address(say.RootDocument.reference, 'https://api.example.com/docs'),
    errors: part.address(say.RootDocument.errors, 'https://api.example.com/errors'),
    status: part.address(say.RootDocument.status, 'https://api.example.com/status'),
  }),
});

export type ServerTimeBody = Static<typeof ServerTimeSchema>;
export type MaintenanceWindowBody = Static<typeof MaintenanceWindowSchema>;
export type ServiceStatusBody = Static<typeof ServiceStatusSchema>;
export type MarketBody = Static<typeof MarketSchema>;
export type TickerBody = Static<typeof TickerSchema>;
export type MarketListBody = Static<typeof MarketListSchema>;
export type TickerListBody = Static<typeof TickerListSchema>;
export type ErrorBody = Static<typeof ErrorSchema>;
export type RootDocumentBody = Static<typeof RootDocumentSchema>;

/** `components/schemas` of the OpenAPI document, in the order they are shown. */
export const schemas = {
  ServerTime: ServerTimeSchema,
  ServiceStatus: ServiceStatusSchema,
  MaintenanceWindow: MaintenanceWindowSchema,
  Market: MarketSchema,
  MarketList: MarketListSchema,
  Ticker: TickerSchema,
  TickerList: TickerListSchema,
  PublicMarketStatus: PublicMarketStatusSchema,
  PublicServiceStatus: PublicServiceStatusSchema,
  Problem: ErrorSchema,
  ErrorCode: ErrorCodeSchema,
  RootDocument: RootDocumentSchema,
  /** Enough to recognise an OpenAPI document; its contents are specified by OpenAPI. */
  OpenApiDocument: written.documentSchema,
};
