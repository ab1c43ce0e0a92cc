import type { Static } from 'typebox';
import { ifNoneMatchLengthMax } from './limits.ts';
import * as example from './openapi-examples.ts';
import { type Caching, type ErrorResponse, exampleEntityTag, type SharedErrorName } from './openapi-responses.ts';
import { anyCaseSymbolPattern } from './schema-parts.ts';
import type { schemas } from './schemas.ts';

type BodyName = keyof typeof schemas;

type BodyOf<Name extends BodyName> = Name extends 'OpenApiDocument' ? object : Static<(typeof schemas)[Name]>;

/** Bodies of successful answers, by the name under which the document shows them. */
type Examples<Body> = Readonly<Record<string, { readonly summary: string; readonly value: Body }>>;

/** A resource of the public listener: one GET operation. Those under `/v1` need a key. */
interface ResourceWith<Name extends BodyName> {
  readonly path: string;
  readonly tag: (typeof tags)[number]['name'];
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly takesSymbol?: boolean;
  /** The schema of the body. */
  readonly schema: Name;
  /** Addresses are absolute, without a trailing slash. */
  readonly examples: (baseUrl: string, errorsUrl: string) => Examples<BodyOf<Name>>;
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

export type Resource = { [Name in BodyName]: ResourceWith<Name> }[BodyName];

/** The parts of the document that operations are in. */
export const tags = [
  { name: 'Service', description: 'The time and the status of the service.' },
  { name: 'Markets', description: 'Markets and their current prices.' },
  { name: 'Description', description: 'What needs no key: this description and the root document.' },
] as const;

/** A Parameter Object of OpenAPI 3.1. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string;
}

/** The parameter of resources that are about one market. */
export const symbolParameter: Parameter = {
  name: 'symbol',
  in: 'query',
  required: true,
  description:
    'Base and quote currency joined without a separator, in any case. It must be a market of GET /v1/markets whose status is not `delisted`.',
  schema: { type: 'string', minLength: 2, maxLength: 32, pattern: anyCaseSymbolPattern },
  example: 'BTCEUR',
};

/** The parameter of resources that have an entity tag. */
export const ifNoneMatchParameter: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the representation you have, or several. The answer is 304 without a body while nothing changed. A malformed value is ignored.',
  // Whatever can be in a header (RFC 9110 section 5.5).
  schema: { type: 'string', maxLength: ifNoneMatchLengthMax, pattern: '^[\\t\\x20-\\x7E\\x80-\\xFF]*$' },
  example: exampleEntityTag,
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
    examples: () => ({ serverTime: { summary: 'The time of the server', value: example.serverTime } }),
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
    examples: () => ({
      operational: { summary: 'Everything works', value: example.operational },
      announced: { summary: 'Maintenance is announced', value: example.announced },
      maintenance: { summary: 'Maintenance is running', value: example.underMaintenance },
      degraded: { summary: 'It works worse, and the data is 8 seconds old', value: example.degraded },
      neverFed: { summary: 'No data has arrived yet', value: example.neverFed },
    }),
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
    examples: () => ({
      markets: {
        summary: 'A converted market, a market of the exchange, and a delisted one',
        value: { markets: [example.convertedMarket, example.market, example.delistedMarket] },
      },
    }),
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
    schema: 'Ticker',
    examples: () => ({
      BTCEUR: { summary: 'A market of the exchange', value: example.ticker },
      BTCCZK: { summary: 'A converted market, without the optional fields', value: example.convertedTicker },
    }),
    caching: 'revalidate',
    hasPrices: true,
    takesSymbol: true,
    errors: [
      [
        { code: 'INVALID_PARAMETER', name: 'MISSING_PARAMETER', summary: 'Parameter missing' },
        {
          code: 'INVALID_PARAMETER',
          name: 'MALFORMED_PARAMETER',
          summary: 'Parameter malformed',
          detail: 'The parameter "symbol" must be 2 to 32 letters and digits, for example BTCEUR.',
        },
        'BAD_REQUEST',
      ],
      ['UNKNOWN_SYMBOL', 'NOT_FOUND'],
      [
        {
          code: 'MARKET_DATA_UNAVAILABLE',
          name: 'NO_TICKER',
          summary: 'No ticker now',
          detail: 'The market is traded but has no price now.',
        },
        {
          code: 'MARKET_DATA_UNAVAILABLE',
          name: 'NO_RATE',
          summary: 'No conversion rate now',
          detail: 'The market is traded but the rate its prices are converted with is not available now.',
        },
        'SERVICE_MAINTENANCE',
        'SERVICE_OVERLOADED',
      ],
    ],
  },
  {
    path: '/v1/tickers',
    tag: 'Markets',
    operationId: 'listTickers',
    summary: 'Prices of all markets',
    description:
      'The current client prices of every traded market that has one. A traded market without a ticker, or without a CZK/EUR rate, is left out until the data is back; the `status` in GET /v1/markets distinguishes it from a delisted one. The latest tickers are served even when the feed lags: look at `timestamp`, and at the header `X-Feed-Status`.',
    schema: 'TickerList',
    examples: () => ({
      tickers: { summary: 'Two markets', value: { tickers: [example.convertedTicker, example.ticker] } },
    }),
    caching: 'revalidate',
    hasPrices: true,
    errors: ['Unavailable'],
  },
  {
    path: '/openapi/v1.json',
    tag: 'Description',
    operationId: 'getOpenApi',
    summary: 'This description',
    description:
      'The machine readable description of all endpoints, parameters, responses and errors. Needs no key. Postman, Insomnia and generators of clients import it from this address.',
    schema: 'OpenApiDocument',
    examples: () => ({ openapi: { summary: 'The beginning of this document', value: example.documentBeginning } }),
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
    examples: (baseUrl, errorsUrl) => ({
      root: { summary: 'The root document', value: example.rootDocument(baseUrl, errorsUrl) },
    }),
    caching: 'shared',
    alsoHtml: true,
  },
];
