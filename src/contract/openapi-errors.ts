import { type ErrorCode, errorTable, errorType } from './errors.ts';
import {
  allowedMethods,
  headerNames,
  type LimitCategory,
  type LimitFigures,
  limitDetail,
  limitTable,
} from './limits.ts';
import {
  always,
  caching,
  exampleRequestId,
  fixed,
  type Headers,
  rateLimitNames,
  sometimes,
} from './openapi-headers.ts';
import type { ErrorBody } from './schemas.ts';

/** A Response Object of OpenAPI 3.1. A 304 has no `content`. */
export interface Response {
  readonly description: string;
  readonly headers: Headers;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

/** One occurrence of an error; `name` and `detail` only where an error shows itself in several ways. */
interface Occurrence {
  readonly code: ErrorCode;
  readonly name?: string;
  readonly summary?: string;
  readonly detail?: string;
  /** Of a 429: the limit whose figure `detail` names. */
  readonly limit?: LimitCategory;
}

/** A response of one HTTP status: its codes, how it reads, and its headers beside those of every error. */
export interface ErrorResponse {
  readonly description: string;
  readonly occurrences: readonly Occurrence[];
  readonly counted: 'always' | 'sometimes' | 'never';
  readonly headers?: Headers;
  /** Whether a MARKET_DATA_UNAVAILABLE among the codes carries the state of the feed. */
  readonly hasFeedStatus?: boolean;
}

/** The error responses that several operations share: `components/responses`. */
export const sharedErrors = {
  BadRequest: {
    description: 'The request is not HTTP the server can accept.',
    occurrences: [{ code: 'BAD_REQUEST' }],
    counted: 'sometimes',
  },
  Unauthorized: {
    description:
      'The API key is missing or cannot be used. The request counted against the limit of failed authentication of its address, and the rate limit headers are those of that limit.',
    occurrences: [{ code: 'MISSING_API_KEY' }, { code: 'INVALID_API_KEY' }],
    counted: 'always',
    headers: always('WWW-Authenticate'),
  },
  RequestTimeout: {
    description: 'The request was not complete in time. The connection is closed.',
    occurrences: [{ code: 'REQUEST_TIMEOUT' }],
    counted: 'never',
  },
  ExpectationFailed: {
    description: 'The `Expect` header asks for something the server does not do.',
    occurrences: [{ code: 'EXPECTATION_FAILED' }],
    counted: 'never',
  },
  TooManyRequests: {
    description: 'More requests than allowed came within this minute. Wait as long as `Retry-After` says.',
    occurrences: [
      { code: 'RATE_LIMIT_EXCEEDED', name: 'API_KEY', summary: 'The limit of an API key', limit: 'key' },
      {
        code: 'RATE_LIMIT_EXCEEDED',
        name: 'FAILED_AUTHENTICATION',
        summary: 'The limit of failed authentication',
        limit: 'failedAuthentication',
      },
    ],
    counted: 'always',
    headers: always('Retry-After'),
  },
  TooManyRequestsWithoutKey: {
    description:
      'More requests than allowed came from this address within this minute. Wait as long as `Retry-After` says.',
    occurrences: [{ code: 'RATE_LIMIT_EXCEEDED', limit: 'address' }],
    counted: 'always',
    headers: always('Retry-After'),
  },
  HeadersTooLarge: {
    description: 'The request line and headers are larger, or the headers more numerous, than the server accepts.',
    occurrences: [{ code: 'REQUEST_HEADER_FIELDS_TOO_LARGE' }],
    counted: 'never',
  },
  InternalError: {
    description:
      'The server failed in a way it should not. Report the `requestId` to the operator if it happens again.',
    occurrences: [{ code: 'INTERNAL_ERROR' }],
    counted: 'sometimes',
  },
  Unavailable: {
    description:
      'Market data is not available, maintenance is running, or the service is overloaded. Wait as long as `Retry-After` says.',
    occurrences: [{ code: 'MARKET_DATA_UNAVAILABLE' }, { code: 'SERVICE_MAINTENANCE' }, { code: 'SERVICE_OVERLOADED' }],
    counted: 'sometimes',
    headers: always('Retry-After'),
  },
  Overloaded: {
    description: 'The service has more requests than it can answer in time. Wait as long as `Retry-After` says.',
    occurrences: [{ code: 'SERVICE_OVERLOADED' }],
    counted: 'never',
    headers: always('Retry-After'),
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

export type SharedErrorName = keyof typeof sharedErrors;

/** What answers a path or a method that no operation describes; the description says so in words. */
export const errorsOutsideOperations = {
  notFound: { description: 'Nothing exists at the path.', occurrences: [{ code: 'NOT_FOUND' }], counted: 'always' },
  methodNotAllowed: {
    description: 'The resource answers GET and HEAD only.',
    occurrences: [{ code: 'METHOD_NOT_ALLOWED' }],
    counted: 'sometimes',
    headers: fixed('Allow', allowedMethods, 'The methods of every resource.'),
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

/** The 503 of `GET /v1/tickers`. */
export const tickersUnavailable = {
  ...sharedErrors.Unavailable,
  hasFeedStatus: true,
} as const satisfies ErrorResponse;

/** The error responses of `GET /v1/ticker` alone, which has a parameter. */
export const tickerErrors = {
  badRequest: {
    description: 'The parameter is missing or malformed (`detail` names it), or the request is not acceptable HTTP.',
    occurrences: [
      { code: 'INVALID_PARAMETER', name: 'MISSING_PARAMETER', summary: 'Parameter missing' },
      {
        code: 'INVALID_PARAMETER',
        name: 'MALFORMED_PARAMETER',
        summary: 'Parameter malformed',
        detail: 'The parameter "symbol" must be 2 to 32 letters and digits, for example BTCEUR.',
      },
      { code: 'BAD_REQUEST' },
    ],
    counted: 'sometimes',
  },
  notFound: {
    description: 'The symbol was never listed or has been delisted, or the path does not exist. A retry does not help.',
    occurrences: [{ code: 'UNKNOWN_SYMBOL' }, { code: 'NOT_FOUND' }],
    counted: 'always',
  },
  unavailable: {
    description:
      'The symbol is traded but has no ticker now, or it is a CZK market while the CZK/EUR rate is not available, or maintenance is running, or the service is overloaded. Wait as long as `Retry-After` says.',
    occurrences: [
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
      { code: 'SERVICE_MAINTENANCE' },
      { code: 'SERVICE_OVERLOADED' },
    ],
    counted: 'sometimes',
    headers: always('Retry-After'),
    hasFeedStatus: true,
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

/** The service whose errors are described. `errorsUrl` is absolute, without a trailing slash. */
interface ErrorContext {
  readonly errorsUrl: string;
  readonly limits: LimitFigures;
}

/** The Response Object. */
export function errorResponse(response: ErrorResponse, context: ErrorContext): Response {
  const examples = response.occurrences.map((occurrence) => [
    occurrence.name ?? occurrence.code,
    { summary: occurrence.summary ?? errorTable[occurrence.code].title, value: exampleBody(occurrence, context) },
  ]);
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description: response.description,
    headers: errorHeaders(response, context),
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}

const uncounted = 'Absent when the request was refused before a limit counted it.';
const withoutFeed = 'Only with MARKET_DATA_UNAVAILABLE.';

function errorHeaders({ counted, headers, hasFeedStatus = false }: ErrorResponse, { limits }: ErrorContext) {
  return {
    ...always(headerNames.requestId),
    ...(counted === 'always' ? always(...rateLimitNames) : {}),
    ...(counted === 'sometimes' ? sometimes(uncounted, limits, ...rateLimitNames) : {}),
    ...headers,
    ...(hasFeedStatus ? sometimes(withoutFeed, limits, headerNames.feedStatus) : {}),
    ...caching('never'),
  };
}

function exampleBody({ code, detail, limit }: Occurrence, { errorsUrl, limits }: ErrorContext): ErrorBody {
  const { title, status, exampleDetail } = errorTable[code];
  const limited = limit && limitDetail(limitTable[limit].name, limits[limit]);
  const type = errorType(errorsUrl, code);
  return { type, title, status, code, detail: detail ?? limited ?? exampleDetail, requestId: exampleRequestId };
}
