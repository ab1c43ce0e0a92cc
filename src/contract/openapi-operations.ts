import { headerNames } from './limits.ts';
import type { bodyExamples } from './openapi-examples.ts';
import {
  type Caching,
  type ErrorResponse,
  exampleEntityTag,
  type SharedErrorName,
  sharedErrors,
  tickerErrors,
} from './openapi-responses.ts';
import { anyCaseSymbolPattern } from './schema-parts.ts';

/** A resource of the public listener: one GET operation. Those under `/v1` need a key. */
export interface Resource {
  readonly path: string;
  readonly tag: 'Service' | 'Markets' | 'Description';
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What may be asked for, besides `If-None-Match` where the answer has an entity tag. */
  readonly parameters?: readonly Parameter[];
  /** Of the body. */
  readonly schema: keyof ReturnType<typeof bodyExamples>;
  /** Whatever may be kept is ready, with entity tags and in several encodings. */
  readonly caching: Caching;
  /** Answers carry the state of the feed. */
  readonly hasPrices?: boolean;
  /** Any web page may read it (CORS). */
  readonly anyOrigin?: boolean;
  /** A browser gets the same as HTML. */
  readonly alsoHtml?: boolean;
  /** Besides those of every resource with a key, or without one; a name stands for a shared response. */
  readonly errors?: readonly (SharedErrorName | ErrorResponse)[];
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

/** Whatever can be in a header (RFC 9110 section 5.5), for headers that are never a reason to refuse a request. */
function anyFieldValue(maxLength: number) {
  return { type: 'string', maxLength, pattern: '^[\\t\\x20-\\x7E\\x80-\\xFF]*$' };
}

export const ifNoneMatch: Parameter = {
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

/** Every resource, in the order of the document. */
export const resources: readonly Resource[] = [
  {
    path: '/v1/time',
    tag: 'Service',
    operationId: 'getServerTime',
    summary: 'Time of the server',
    description:
      'The current time of the server. Never cached. It reads no market data: of the codes of a 503, MARKET_DATA_UNAVAILABLE is not to be expected.',
    schema: 'ServerTime',
    caching: 'never',
    errors: ['Unavailable'],
  },
  {
    path: '/v1/status',
    tag: 'Service',
    operationId: 'getServiceStatus',
    summary: 'Status of the service',
    description:
      'How the service is doing, which maintenance is announced, and how old the market data is. Never cached. It keeps answering while the rest of the API is degraded or under announced maintenance.',
    schema: 'ServiceStatus',
    caching: 'never',
  },
  {
    path: '/v1/markets',
    tag: 'Markets',
    operationId: 'listMarkets',
    summary: 'All markets',
    description:
      'Every market a client can trade, ordered by symbol: those of the exchange, those quoted in CZK, and delisted ones for 30 days.',
    schema: 'MarketList',
    caching: 'revalidate',
    errors: ['Unavailable'],
  },
  {
    path: '/v1/ticker',
    tag: 'Markets',
    operationId: 'getTicker',
    summary: 'Prices of one market',
    description:
      'The current client prices of one market. The latest ticker is served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.',
    parameters: [symbol],
    schema: 'Ticker',
    caching: 'revalidate',
    hasPrices: true,
    errors: tickerErrors,
  },
  {
    path: '/v1/tickers',
    tag: 'Markets',
    operationId: 'listTickers',
    summary: 'Prices of all markets',
    description:
      'The current client prices of every traded market that has one. A traded market without a ticker, or without a CZK/EUR rate, is left out until the data is back; the `status` in GET /v1/markets distinguishes it from a delisted one. The latest tickers are served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.',
    schema: 'TickerList',
    caching: 'revalidate',
    hasPrices: true,
    errors: [sharedErrors.Unavailable],
  },
  {
    path: '/openapi/v1.json',
    tag: 'Description',
    operationId: 'getOpenApi',
    summary: 'This description',
    description: 'The machine readable description of all endpoints, parameters, responses and errors. Needs no key.',
    schema: 'OpenApiDocument',
    caching: 'shared',
    anyOrigin: true,
  },
  {
    path: '/',
    tag: 'Description',
    operationId: 'getRoot',
    summary: 'Where to start',
    description:
      'What this service is and where its documentation lies. Needs no key. A browser gets the same as HTML; where JSON and HTML are equally welcome, JSON is the answer.',
    schema: 'RootDocument',
    caching: 'shared',
    alsoHtml: true,
  },
];

/** What every resource with a key, and every one without, can answer with. */
export const usualErrors = {
  keyed: [
    'BadRequest',
    'Unauthorized',
    'RequestTimeout',
    'ExpectationFailed',
    'TooManyRequests',
    'HeadersTooLarge',
    'InternalError',
  ],
  keyless: [
    'BadRequest',
    'RequestTimeout',
    'ExpectationFailed',
    'TooManyRequestsWithoutKey',
    'HeadersTooLarge',
    'InternalError',
    'Overloaded',
  ],
} as const satisfies Readonly<Record<string, readonly SharedErrorName[]>>;

/** The name of the header that carries the key, for the security scheme. */
export const securityScheme = {
  type: 'apiKey',
  in: 'header',
  name: headerNames.apiKey,
  description:
    'An API key, as it is, without a prefix. Make one in the client application, under profile and security.',
} as const;
