import { type ErrorCode, errorTable, errorType } from './errors.ts';
import { limitTable } from './limits.ts';
import { always, caching, exampleRequestId, type Headers, rateLimit } from './openapi-headers.ts';
import type { ErrorBody } from './schemas.ts';

/** A Response Object of OpenAPI 3.1. HEAD and 304 have no `content`. */
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
}

/** A response of one HTTP status: its codes, how it reads, and its headers beside those of every error. */
export interface ErrorResponse {
  readonly description: string;
  readonly occurrences: readonly Occurrence[];
  readonly counted: 'always' | 'sometimes' | 'never';
  readonly headers?: Headers;
}

/** The error responses that several operations share: `components/responses`. */
export const sharedErrors = {
  BadRequest: {
    description: 'The request is not HTTP the server can accept, or its path is not correctly encoded.',
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
  NotFound: {
    description: 'Nothing exists at the path. Under `/v1` only a request with a valid key gets this answer.',
    occurrences: [{ code: 'NOT_FOUND' }],
    counted: 'always',
  },
  MethodNotAllowed: {
    description: 'The path exists, but answers GET and HEAD only.',
    occurrences: [{ code: 'METHOD_NOT_ALLOWED' }],
    counted: 'sometimes',
    headers: always('Allow'),
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
      { code: 'RATE_LIMIT_EXCEEDED', name: 'API_KEY', summary: 'The limit of an API key' },
      {
        code: 'RATE_LIMIT_EXCEEDED',
        name: 'FAILED_AUTHENTICATION',
        summary: 'The limit of failed authentication',
        detail: `Failed authentication: the limit of ${limitTable.failedAuthentication.requestsPerMinute} requests per minute is used up.`,
      },
    ],
    counted: 'always',
    headers: always('Retry-After'),
  },
  TooManyRequestsWithoutKey: {
    description:
      'More requests than allowed came from this address within this minute. Wait as long as `Retry-After` says.',
    occurrences: [
      {
        code: 'RATE_LIMIT_EXCEEDED',
        detail: `Requests without a key: the limit of ${limitTable.address.requestsPerMinute} requests per minute is used up.`,
      },
    ],
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
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>;

/** The Response Object. `method` decides about the body: HEAD has the same headers and none. */
export function errorResponse(response: ErrorResponse, errorsUrl: string, method: 'get' | 'head'): Response {
  const headers = {
    ...always('X-Request-Id'),
    ...rateLimit(response.counted),
    ...response.headers,
    ...caching('never'),
  };
  if (method === 'head') return { description: `${response.description} Without a body.`, headers };
  const examples = response.occurrences.map((occurrence) => [
    occurrence.name ?? occurrence.code,
    { summary: occurrence.summary ?? errorTable[occurrence.code].title, value: exampleBody(occurrence, errorsUrl) },
  ]);
  const schema = { $ref: '#/components/schemas/Error' };
  return {
    description: response.description,
    headers,
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}

function exampleBody({ code, detail }: Occurrence, errorsUrl: string): ErrorBody {
  const { title, status, exampleDetail } = errorTable[code];
  const type = errorType(errorsUrl, code);
  return { type, title, status, code, detail: detail ?? exampleDetail, requestId: exampleRequestId };
}
