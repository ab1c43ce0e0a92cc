import { headerNames } from './limits.ts';
import { type ErrorResponse, type SharedErrorName, tickerErrors, tickersUnavailable } from './openapi-errors.ts';
import * as examples from './openapi-examples.ts';
import { type Caching, exampleEntityTag } from './openapi-headers.ts';
import { anyCaseSymbolPattern } from './schema-parts.ts';
import type { schemas } from './schemas.ts';

/** A resource of the public listener: one GET operation. */
export interface Resource {
  readonly path: string;
  readonly tag: 'Service' | 'Markets' | 'Description';
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  readonly parameters: readonly Parameter[];
  readonly success: Success;
  /** In the order of their status; a name stands for a shared response. */
  readonly errors: readonly (SharedErrorName | ErrorResponse)[];
}

/** A Parameter Object of OpenAPI 3.1. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string;
}

export interface Success {
  readonly description: string;
  readonly schema: keyof typeof schemas | 'OpenApiDocument';
  readonly examples: (baseUrl: string, errorsUrl: string) => examples.Examples<unknown>;
  readonly caching: Caching;
  /** Whether bodies are kept ready with entity tags and in several encodings. */
  readonly prepared: boolean;
  /** Whether answers carry the state of the feed. */
  readonly hasPrices: boolean;
  /** Whether any web page may read it (CORS). */
  readonly anyOrigin: boolean;
  /** Whether a browser gets the same as HTML. */
  readonly alsoHtml: boolean;
}

/** Whatever can be in a header (RFC 9110 section 5.5), for headers that are never a reason to refuse a request. */
function anyFieldValue(maxLength: number) {
  return { type: 'string', maxLength, pattern: '^[\\t\\x20-\\x7E\\x80-\\xFF]*$' };
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the representation you have, or several. The answer is 304 without a body while nothing changed. A malformed value is ignored.',
  schema: anyFieldValue(8192),
  example: exampleEntityTag,
};

const symbol: Parameter = {
  name: 'symbol',
  in: 'query',
  required: true,
  description:
    'Base and quote currency joined without a separator, in any case. It must be a market of GET /v1/markets whose status is not `delisted`.',
  schema: { type: 'string', minLength: 2, maxLength: 32, pattern: anyCaseSymbolPattern },
  example: 'BTCEUR',
};

const json = { alsoHtml: false, anyOrigin: false } as const;
const live = { ...json, caching: 'never', prepared: false, hasPrices: false } as const;
const market = { ...json, caching: 'revalidate', prepared: true, hasPrices: false } as const;
const prices = { ...market, hasPrices: true } as const;

const keyErrors = [
  'BadRequest',
  'Unauthorized',
  'RequestTimeout',
  'ExpectationFailed',
  'TooManyRequests',
  'HeadersTooLarge',
  'InternalError',
] as const satisfies readonly SharedErrorName[];

const publicErrors = [
  'BadRequest',
  'RequestTimeout',
  'ExpectationFailed',
  'TooManyRequestsWithoutKey',
  'HeadersTooLarge',
  'InternalError',
  'Overloaded',
] as const satisfies readonly SharedErrorName[];

/** Every resource, in the order of the document. */
export const resources: readonly Resource[] = [
  {
    path: '/v1/time',
    tag: 'Service',
    operationId: 'getServerTime',
    summary: 'Time of the server',
    description:
      'The current time of the server. Never cached. It reads no market data: of the codes of a 503, MARKET_DATA_UNAVAILABLE is not to be expected.',
    needsKey: true,
    parameters: [],
    success: {
      ...live,
      description: 'The time of the server.',
      schema: 'ServerTime',
      examples: () => examples.serverTimeExamples,
    },
    errors: [...keyErrors, 'Unavailable'],
  },
  {
    path: '/v1/status',
    tag: 'Service',
    operationId: 'getServiceStatus',
    summary: 'Status of the service',
    description:
      'How the service is doing, which maintenance is announced, and how old the market data is. Never cached. It keeps answering while the rest of the API is degraded or under announced maintenance.',
    needsKey: true,
    parameters: [],
    success: {
      ...live,
      description: 'The status of the service.',
      schema: 'ServiceStatus',
      examples: () => examples.serviceStatusExamples,
    },
    errors: keyErrors,
  },
  {
    path: '/v1/markets',
    tag: 'Markets',
    operationId: 'listMarkets',
    summary: 'All markets',
    description:
      'Every market a client can trade, ordered by symbol: those of the exchange, those quoted in CZK, and delisted ones for 30 days.',
    needsKey: true,
    parameters: [ifNoneMatch],
    success: {
      ...market,
      description: 'The markets.',
      schema: 'MarketList',
      examples: () => examples.marketListExamples,
    },
    errors: [...keyErrors, 'Unavailable'],
  },
  {
    path: '/v1/ticker',
    tag: 'Markets',
    operationId: 'getTicker',
    summary: 'Prices of one market',
    description:
      'The current client prices of one market. The latest ticker is served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.',
    needsKey: true,
    parameters: [symbol, ifNoneMatch],
    success: { ...prices, description: 'The ticker.', schema: 'Ticker', examples: () => examples.tickerExamples },
    errors: [
      tickerErrors.badRequest,
      'Unauthorized',
      tickerErrors.notFound,
      'RequestTimeout',
      'ExpectationFailed',
      'TooManyRequests',
      'HeadersTooLarge',
      'InternalError',
      tickerErrors.unavailable,
    ],
  },
  {
    path: '/v1/tickers',
    tag: 'Markets',
    operationId: 'listTickers',
    summary: 'Prices of all markets',
    description:
      'The current client prices of every traded market that has one. A traded market without a ticker, or without a CZK/EUR rate, is left out until the data is back; the `status` in GET /v1/markets distinguishes it from a delisted one. The latest tickers are served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.',
    needsKey: true,
    parameters: [ifNoneMatch],
    success: {
      ...prices,
      description: 'The tickers.',
      schema: 'TickerList',
      examples: () => examples.tickerListExamples,
    },
    errors: [...keyErrors, tickersUnavailable],
  },
  {
    path: '/openapi/v1.json',
    tag: 'Description',
    operationId: 'getOpenApi',
    summary: 'This description',
    description: 'The machine readable description of all endpoints, parameters, responses and errors. Needs no key.',
    needsKey: false,
    parameters: [ifNoneMatch],
    success: {
      description: 'The description, as OpenAPI 3.1.',
      schema: 'OpenApiDocument',
      examples: () => examples.descriptionExamples,
      caching: 'shared',
      prepared: true,
      hasPrices: false,
      anyOrigin: true,
      alsoHtml: false,
    },
    errors: publicErrors,
  },
  {
    path: '/',
    tag: 'Description',
    operationId: 'getRoot',
    summary: 'Where to start',
    description:
      'What this service is and where its documentation lies. Needs no key. A browser gets the same as HTML; where JSON and HTML are equally welcome, JSON is the answer.',
    needsKey: false,
    parameters: [ifNoneMatch],
    success: {
      description: 'The name and version of the service, and links.',
      schema: 'RootDocument',
      examples: examples.rootExamples,
      caching: 'shared',
      prepared: true,
      hasPrices: false,
      anyOrigin: false,
      alsoHtml: true,
    },
    errors: publicErrors,
  },
];

/** The name of the header that carries the key, for the security scheme. */
export const securityScheme = {
  type: 'apiKey',
  in: 'header',
  name: headerNames.apiKey,
  description:
    'An API key, as it is, without a prefix. Make one in the client application, under profile and security.',
} as const;
