import { headerNames, ifNoneMatchLengthMax, type LimitFigures, pollingAdvice } from './limits.ts';
import { bodyExamples } from './openapi-examples.ts';
import {
  always,
  type Caching,
  caching,
  type ErrorResponse,
  errorResponse,
  exampleEntityTag,
  fixed,
  type Headers,
  type MediaType,
  type Response,
  rateLimitNames,
  type SharedErrorName,
  sharedErrors,
  statusOf,
  tickerErrors,
} from './openapi-responses.ts';
import { anyCaseSymbolPattern } from './schema-parts.ts';
import { schemas } from './schemas.ts';

/** The service that a document describes. Addresses are absolute, without a trailing slash. */
export interface DescribedService {
  readonly baseUrl: string;
  readonly errorsUrl: string;
  /** The configured limits; the contract's when left out. */
  readonly limits?: LimitFigures;
}

export type Described = Required<DescribedService>;

/** An Operation Object of OpenAPI 3.1. */
export type Operation = ReturnType<typeof operation>;

/** A resource of the public listener: one GET operation. Those under `/v1` need a key. */
interface Resource {
  readonly path: string;
  readonly tag: 'Service' | 'Markets' | 'Description';
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters, besides `If-None-Match` where the answer has an entity tag. */
  readonly parameters?: readonly Parameter[];
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

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the representation you have, or several. The answer is 304 without a body while nothing changed. A malformed value is ignored.',
  // Whatever can be in a header (RFC 9110 section 5.5).
  schema: { type: 'string', maxLength: ifNoneMatchLengthMax, pattern: '^[\\t\\x20-\\x7E\\x80-\\xFF]*$' },
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
    errors: [['MARKET_DATA_UNAVAILABLE', 'SERVICE_MAINTENANCE']],
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

/** Errors of every resource with a key, and of every one without, besides those that any HTTP has: `Transport`. */
const usualErrors = {
  keyed: ['Unauthorized', 'TooManyRequests'],
  keyless: ['TooManyRequestsWithoutKey', 'Overloaded'],
} as const satisfies Readonly<Record<string, readonly SharedErrorName[]>>;

/** The name of the header that carries the key, for the security scheme. */
export const securityScheme = {
  type: 'apiKey',
  in: 'header',
  name: headerNames.apiKey,
  description:
    'An API key, as it is, without a prefix. Make one in the client application, under profile and security.',
} as const;

/** The operation of a resource, as the document of a service has it. */
export function operation(resource: Resource, service: Described) {
  const { path, tag, operationId, summary, description, parameters = [], caching: kind } = resource;
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description}${pollingAdvice(path)}`,
    security: needsKey(resource) ? [{ apiKey: [] }] : [],
    parameters: kind === 'never' ? parameters : [...parameters, ifNoneMatch],
    responses: responses(resource, service),
  };
}

function needsKey({ path }: Resource): boolean {
  return path.startsWith('/v1/');
}

function responses(
  resource: Resource,
  service: Described,
): Readonly<Record<string, Response | { readonly $ref: string }>> {
  const { caching: kind, hasPrices, errors = [] } = resource;
  const usual = usualErrors[needsKey(resource) ? 'keyed' : 'keyless'];
  const documented = [...usual, ...errors].map((error) =>
    typeof error === 'string'
      ? [statusOf(sharedErrors[error]), { $ref: `#/components/responses/${error}` }]
      : [statusOf(error), errorResponse(error, service, hasPrices)],
  );
  return {
    200: success(resource, service),
    ...(kind === 'never' ? {} : { 304: notModified(resource) }),
    ...Object.fromEntries(documented),
    default: { $ref: '#/components/responses/Transport' },
  };
}

function success(resource: Resource, service: Described): Response {
  const { schema, caching: kind, alsoHtml } = resource;
  const { description } = schemas[schema] as { readonly description: string };
  const examples = bodyExamples(service)[schema];
  const json = { schema: { $ref: `#/components/schemas/${schema}` }, examples };
  return {
    description,
    headers: { ...representationHeaders(resource), ...(kind === 'never' ? {} : contentEncoding) },
    content: { 'application/json': json, ...(alsoHtml ? pageForms : {}) },
  };
}

const contentEncoding: Headers = {
  'Content-Encoding': {
    description: 'How the body is compressed. Absent when it is not.',
    required: false,
    schema: { type: 'string', enum: ['gzip', 'br', 'zstd'] },
    example: 'gzip',
  },
};

function page(description: string, pattern: string, example: string): MediaType {
  const schema = { type: 'string', description, maxLength: 100_000, pattern };
  return { schema, examples: { page: { summary: 'A page', value: example } } };
}

const pageForms: Response['content'] = {
  'text/html': page(
    'A page for people.',
    '^<!(doctype|DOCTYPE) html>',
    '<!doctype html><title>Market Data API</title>',
  ),
  'text/markdown': page('The same page as Markdown, for programs that read.', '^# ', '# Market Data API'),
};

function notModified(resource: Resource): Response {
  return {
    description: 'Nothing changed since the representation that `If-None-Match` names. Without a body.',
    headers: representationHeaders(resource),
  };
}

/** The headers that 200 and 304 share. */
function representationHeaders({ caching: kind, hasPrices, anyOrigin, alsoHtml }: Resource): Headers {
  const vary = alsoHtml ? 'Accept, Accept-Encoding, Accept-Language, Sec-Fetch-Site' : 'Accept-Encoding';
  const isReady = kind !== 'never';
  return {
    ...always('X-Request-Id'),
    ...always(...rateLimitNames),
    ...caching(kind),
    ...(hasPrices ? always(headerNames.feedStatus) : {}),
    ...(isReady ? always('ETag') : {}),
    ...(isReady ? fixed('Vary', vary, 'The request headers that the representation depends on.') : {}),
    ...(anyOrigin ? fixed('Access-Control-Allow-Origin', '*', 'Any web page may read this resource.') : {}),
  };
}
