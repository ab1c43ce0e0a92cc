import type { Static, TProperties, TSchema } from 'typebox';
import { errorCodes } from './errors.ts';
import { Type } from './schema-builder.ts';
import * as part from './schema-parts.ts';

/**
 * An object that can gain properties within v1, and says so to generators: the decoders they make then take new ones.
 */
function open<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description, additionalProperties: true });
}

/** States of a market that version 1 knows today (contract, Enumerations). The set can grow within v1. */
export const publicMarketStatuses = ['trading', 'paused', 'delisted'] as const;

/** Trading state of a market as a client sees it. */
export type PublicMarketStatus = (typeof publicMarketStatuses)[number];

/**
 * States of the service and its parts that version 1 knows today (contract, Enumerations). The set can grow within v1.
 */
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

export const PublicMarketStatusSchema = part.openSet(
  publicMarketStatuses,
  'Trading state of a market. `trading`: orders can be placed. `paused`: still offered, trading is switched off and can resume without notice. `delisted`: trading has ended for good; listed for 30 more days. The set can gain values within v1: treat a value you do not know as unrecognized and do not fail.',
);

export const PublicServiceStatusSchema = part.openSet(
  publicServiceStatuses,
  'State of the service or of a part of it. `operational`: everything works. `degraded`: works but worse, for example data arrives over a fallback path instead of the live feed, or not at all for some seconds; how old it is, `lastUpdatedAt` says. `outage`: data is not arriving or is too old to rely on. `maintenance`: an announced maintenance window is running. The set can gain values within v1: treat a value you do not know as unrecognized and do not fail.',
);

const serverTimeFields = {
  serverTime: part.instant('Current server time, ISO 8601 in UTC with milliseconds.', servedAt),
  serverTimeMs: part.instantMs('The same instant as `serverTime`, in milliseconds since the Unix epoch.', servedAt),
};

export const ServerTimeSchema = open(
  'The time of the server, to measure the offset of a local clock.',
  serverTimeFields,
);

export const MaintenanceWindowSchema = open(
  'An announced maintenance window. It runs from `from` (included) to `to` (excluded).',
  {
    from: part.instant('Start of the window, ISO 8601 in UTC.', windowFrom),
    fromMs: part.instantMs('The same instant as `from`, in milliseconds since the Unix epoch.', windowFrom),
    to: part.instant(
      'Expected end of the window, ISO 8601 in UTC. It can move while the window runs. Where windows touch, it is this one’s own, and the `Retry-After` of a 503 looks to the end of the last.',
      windowTo,
    ),
    toMs: part.instantMs('The same instant as `to`, in milliseconds since the Unix epoch.', windowTo),
    description: part.text('What the maintenance is about, in English.', 'Upgrade of the price database.', {
      maxLength: 500,
    }),
  },
);

const serviceStatus = (description: string) =>
  part.component<typeof PublicServiceStatusSchema>('PublicServiceStatus', description);

export const ServiceStatusSchema = open(
  'How the service is doing, whether maintenance is announced, and how old the market data is.',
  {
    status: serviceStatus(
      'Overall status: `maintenance` whenever an announced window is running, otherwise the worst of `api` and the components.',
    ),
    api: serviceStatus('Status of the API itself: `operational`, or `maintenance` during an announced window.'),
    components: open('The parts the API depends on. Parts can be added.', {
      ticker: serviceStatus(
        'Status of the market data feed that the price endpoints read: `outage` once it is more than 5 minutes behind, `degraded` while data is served over a fallback path or does not arrive, otherwise `operational`. The age of the data is the distance between `lastUpdatedAt` and `serverTime`. Answers with prices carry it too, in the header `X-Feed-Status`.',
      ),
    }),
    maintenance: Type.Unsafe<Static<typeof MaintenanceWindowSchema> | null>({
      description:
        'The running maintenance window, else the nearest announced one, else null. Announced does not mean running: see `status`.',
      anyOf: [{ $ref: '#/components/schemas/MaintenanceWindow' }, { type: 'null' }],
    }),
    lastUpdatedAt: part.nullable(
      part.instant(
        'When the feed was last updated, ISO 8601 in UTC; null when no feed status exists at all. Its distance from `serverTime` is the age of the market data.',
        capturedAt,
      ),
    ),
    lastUpdatedAtMs: part.nullable(
      part.instantMs(
        'The same instant as `lastUpdatedAt`, in milliseconds since the Unix epoch; null together with it.',
        capturedAt,
      ),
    ),
    ...serverTimeFields,
  },
);

const symbolField = part.symbol('Base and quote currency joined without a separator.', 'BTCEUR');
const baseField = part.currency('Code of the base currency.', 'BTC');
const quoteField = part.currency('Code of the quote currency, for example EUR or CZK.', 'EUR');

export const MarketSchema = open('A market and the rules of its prices and orders.', {
  symbol: symbolField,
  base: baseField,
  quote: quoteField,
  status: part.component<typeof PublicMarketStatusSchema>('PublicMarketStatus', 'Trading state of the market.'),
  pricePrecision: part.places('Decimal places every price of the market is rounded to.', 1),
  amountPrecision: part.places('Decimal places every amount of the base currency is rounded to.', 8),
  tickSize: part.decimal(
    'Smallest step of the price of an order, in the quote currency. It does not bind `buyPrice` and `sellPrice`: they contain the fee, have `pricePrecision` decimals, and can lie between two of its steps. For internally converted quote currencies it is derived from `pricePrecision`.',
    '0.1',
  ),
  minOrderSize: part.decimal('Smallest size of an order, in the base currency.', '0.00005'),
  minOrderValue: Type.Optional(
    part.decimal(
      'Smallest value of an order, in the quote currency. Absent when the market has no such minimum, and for internally converted quote currencies.',
      '0.5',
    ),
  ),
});

const change = (period: string, example: string) =>
  Type.Optional(
    part.percent(
      `Change of the price over ${period}, in percent: \`0.21\` means 0.21 percent, not 21 percent. Absent when the feed does not provide it.`,
      example,
    ),
  );

export const TickerSchema = open('Current client prices of a market, and what the exchange saw in the last 24 hours.', {
  symbol: symbolField,
  base: baseField,
  quote: quoteField,
  buyPrice: part.decimal(
    'Final price in the quote currency that a client pays per unit of the base currency when buying now. Includes the standard fee, and the currency margin where the quote currency is converted (CZK). Not a binding offer.',
    '84631.2',
  ),
  sellPrice: part.decimal(
    'Final price in the quote currency that a client receives per unit of the base currency when selling now. Includes the standard fee, and the currency margin where the quote currency is converted (CZK). Not a binding offer.',
    '83788.9',
  ),
  high24h: part.decimal(
    'Highest price on the exchange in the last 24 hours, without fees, in the quote currency. Converted at the middle market rate where the quote currency is converted.',
    '85120.0',
  ),
  low24h: part.decimal(
    'Lowest price on the exchange in the last 24 hours, without fees, in the quote currency. Converted at the middle market rate where the quote currency is converted.',
    '83004.7',
  ),
  volume24h: part.decimal('Volume on the exchange in the last 24 hours, in the base currency.', '412.70318822'),
  vwap24h: Type.Optional(
    part.decimal(
      'Volume weighted average price on the exchange in the last 24 hours, without fees, in the quote currency. Absent when the feed does not provide it.',
      '84077.3',
    ),
  ),
  priceChangePercent1h: change('1 hour', '0.21'),
  priceChangePercent24h: change('24 hours', '-1.05'),
  priceChangePercent7d: change('7 days', '3.40'),
  timestamp: part.instant(
    'When the ticker was captured, ISO 8601 in UTC with milliseconds. A converted price (CZK) can change while this stays, because its rate changed: the `ETag` tells the two apart.',
    capturedAt,
  ),
  timestampMs: part.instantMs('The same instant as `timestamp`, in milliseconds since the Unix epoch.', capturedAt),
});

/** @param maxItems far above what any upstream lists */
function list<Entry extends TSchema>(entry: Entry, description: string, maxItems = 10_000) {
  return Type.Array(entry, { description, maxItems });
}

export const MarketListSchema = open('Every market a client can trade.', {
  markets: list(
    part.component<typeof MarketSchema>('Market'),
    'Ordered by symbol. Delisted markets are included for 30 days.',
  ),
});

export const TickerListSchema = open('The tickers of all markets that have one.', {
  tickers: list(
    part.component<typeof TickerSchema>('Ticker'),
    'One entry for each traded market that currently has a price. It can be shorter than the list of markets.',
  ),
});

const codesOfToday = errorCodes.map((code) => `\`${code}\``).join(', ');

export const ErrorCodeSchema = part.openSet(
  errorCodes,
  `Machine readable error code. Decide on this field, not on the texts. The codes of today: ${codesOfToday}. What each means is in the responses that carry it, and at its \`type\`. The set can gain values within v1: for a code you do not know, go by the HTTP status.`,
  '^[A-Z][A-Z0-9_]*$',
);

export const ErrorSchema = Type.Object(
  {
    type: part.address(
      'Address of a page that describes the error: its last segment is the name of the error in kebab case.',
      'https://api.example.com/errors/unknown-symbol',
      '^https?://.+/[a-z0-9-]+$',
    ),
    title: part.text('Short summary, always the same for a code.', 'Unknown symbol', { maxLength: 100 }),
    status: Type.Integer({
      description: 'The HTTP status of the response.',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      examples: [404],
    }),
    code: part.component<typeof ErrorCodeSchema>('ErrorCode'),
    detail: part.text(
      'What went wrong this time, for people. The text can change at any time.',
      'No traded market has this symbol.',
      { maxLength: 1000 },
    ),
    requestId: part.text(
      'Identifier of the request; equals the `X-Request-Id` header. Name it when you ask the operator.',
      '9f2c51d07ab84e6c8d1e7f3a2b4c5d6e',
      {
        minLength: 16,
        maxLength: 64,
        pattern: part.requestIdPattern,
      },
    ),
  },
  { description: 'A problem (RFC 9457) with a code and a request id.', additionalProperties: false },
);

export const RootDocumentSchema = open('What this service is and where its documentation lies.', {
  name: part.text('Name of the service.', 'Market Data API', { maxLength: 100 }),
  version: part.text('Version of the API, the same as in the OpenAPI document.', '1.0', {
    minLength: 3,
    maxLength: 16,
    pattern: '^\\d+\\.\\d+$',
  }),
  links: open('Where to go from here.', {
    openapi: part.address('This description, as OpenAPI 3.1 in JSON.', 'https://api.example.com/openapi/v1.json'),
    reference: part.address('The reference, for people.', 'https://api.example.com/docs'),
    errors: part.address(
      'The error pages. The `type` of every problem lies below it.',
      'https://api.example.com/errors',
    ),
    status: part.address('The status page, for people.', 'https://api.example.com/status'),
  }),
});

/** Enough to recognise an OpenAPI document; its contents are specified by OpenAPI. */
const OpenApiDocumentSchema = {
  type: 'object',
  description: 'An OpenAPI 3.1 document: this one.',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: {
      type: 'string',
      description: 'The version of OpenAPI.',
      maxLength: 16,
      pattern: '^3\\.1\\.\\d+$',
    },
    info: {
      type: 'object',
      description: 'Title and version of the API.',
      required: ['title', 'version'],
      properties: {
        title: {
          type: 'string',
          description: 'Name of the API.',
          maxLength: 100,
          pattern: '^[A-Z][A-Za-z ]+$',
        },
        version: {
          type: 'string',
          description: 'Version of the API.',
          const: '1.0',
        },
      },
      additionalProperties: true,
      maxProperties: 20,
    },
    paths: {
      type: 'object',
      description: 'The endpoints.',
      additionalProperties: {
        type: 'object',
        additionalProperties: true,
        maxProperties: 20,
      },
      maxProperties: 100,
    },
  },
  additionalProperties: true,
  maxProperties: 20,
};

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
  OpenApiDocument: OpenApiDocumentSchema,
};
