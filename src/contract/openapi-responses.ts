import { type ErrorCode, errorCodes, errorTable, errorType, isInContract } from './errors.ts';
import { lastInstantMs } from './instant.ts';
import * as contract from './limits.ts';
import { lowerCaseWord, requestIdPattern } from './schema-parts.ts';
import { type ErrorBody, feedStatuses } from './schemas.ts';

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

/** A Header Object of OpenAPI 3.1. */
export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number;
}

export type Headers = Readonly<Record<string, Header | { readonly $ref: string }>>;

const {
  rateLimitLimit: limitName,
  rateLimitRemaining: remainingName,
  rateLimitReset: resetName,
} = contract.headerNames;

/** The three headers of the limit that counted the request. */
export const rateLimitNames = [limitName, remainingName, resetName] as const;

/** The instant every example of the document plays at. */
export const exampleNow = Date.parse('2026-11-21T10:00:00.517Z');

export const exampleRequestId = '9f2c51d07ab84e6c8d1e7f3a2b4c5d6e';

/** When the limits of the examples reset, in seconds. */
export const exampleReset = Math.ceil(exampleNow / 60_000) * 60;

export const exampleEntityTag = '"Hk3vQz8nB0c5TjYw2LrXqA-g"';

const headers = {
  'X-Request-Id': {
    description: 'Identifier of this request, made by the server. Name it when you ask the operator about a request.',
    required: true,
    schema: { type: 'string', minLength: 16, maxLength: 64, pattern: requestIdPattern },
    example: exampleRequestId,
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in the current minute by the limit that counted this request.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: contract.configuredLimitMax },
    example: contract.contractLimits.key,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current minute, at least 0.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: contract.configuredLimitMax },
    example: contract.contractLimits.key - 1,
  },
  'X-RateLimit-Reset': {
    description: 'End of the current minute as a Unix timestamp in seconds. The count resets then.',
    required: true,
    schema: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      maximum: Math.ceil(lastInstantMs / 1_000),
      multipleOf: contract.limitWindowMs / 1_000,
    },
    example: exampleReset,
  },
  'Retry-After': {
    description:
      'Seconds to wait before the next request. Whoever waits this long after a 429 is in a new minute of its limit.',
    required: true,
    schema: {
      type: 'integer',
      format: 'int32',
      minimum: contract.maintenanceRetryAfterSeconds.min,
      maximum: contract.maintenanceRetryAfterSeconds.max,
    },
    example: contract.marketDataRetryAfterSeconds,
  },
  'X-Feed-Status': {
    description:
      'Status of the market data feed at the time of the answer, as `components.ticker` of GET /v1/status: `operational`, `degraded` while data is served over a fallback path or does not arrive, `outage` once it is more than 5 minutes behind. The set can gain values within v1: treat a value you do not know as unrecognized and do not fail.',
    required: true,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      pattern: lowerCaseWord,
      'x-extensible-enum': feedStatuses,
    },
    example: 'operational',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: with an API key, in the X-EXCHANGE-APIKEY header.',
    required: true,
    schema: { type: 'string', const: contract.wwwAuthenticate },
    example: contract.wwwAuthenticate,
  },
  ETag: {
    description:
      'Strong entity tag of exactly these bytes. Send it back in `If-None-Match` to get 304 while nothing changed.',
    required: true,
    schema: { type: 'string', minLength: 3, maxLength: 130, pattern: '^"[!#-~]+"$' },
    example: exampleEntityTag,
  },
} satisfies Headers;

type HeaderName = keyof typeof headers;

/** `components/headers`, each always sent where it is referred to, with the figures of a service in the examples. */
export function headerComponents({ key }: contract.LimitFigures): Readonly<Record<string, Header>> {
  return {
    ...headers,
    'X-RateLimit-Limit': { ...headers['X-RateLimit-Limit'], example: key },
    'X-RateLimit-Remaining': { ...headers['X-RateLimit-Remaining'], example: key - 1 },
  };
}

/** Refers to headers that the response always carries. */
export function always(...names: readonly HeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that the response carries only in the case that `when` describes. */
function sometimes(when: string, limits: contract.LimitFigures, ...names: readonly HeaderName[]): Headers {
  const components = headerComponents(limits);
  const optional = names.map((name) => {
    const header = components[name]!;
    return [name, { ...header, description: `${header.description} ${when}`, required: false }];
  });
  return Object.fromEntries(optional);
}

/** A header with one possible value. */
export function fixed(name: string, value: string, description: string): Headers {
  return { [name]: { description, required: true, schema: { type: 'string', const: value }, example: value } };
}

/** The value of `Cache-Control`, by how a representation may be kept. */
const cacheControl = {
  /** Errors, `/v1/time` and `/v1/status`. */
  never: 'no-store',
  /** Markets and tickers: the client may keep them, and asks each time whether they changed. */
  revalidate: 'private, no-cache',
  /** For answers that are the same for everybody. */
  shared: 'public, max-age=300',
} as const;

export type Caching = keyof typeof cacheControl;

export function caching(kind: Caching): Headers {
  return fixed('Cache-Control', cacheControl[kind], 'Whether the response may be kept, and for how long.');
}

/** One occurrence of an error that shows itself in several ways. */
interface Occurrence {
  readonly code: ErrorCode;
  readonly name: string;
  readonly summary: string;
  readonly detail?: string;
  /** The limit whose figure the detail of a 429 names. */
  readonly limit?: contract.LimitCategory;
}

/** The errors that one response, and so one HTTP status, stands for. */
export type ErrorResponse = readonly (ErrorCode | Occurrence)[];

/** The error responses that several operations share: `components/responses`. */
export const sharedErrors = {
  Unauthorized: ['MISSING_API_KEY', 'INVALID_API_KEY'],
  TooManyRequests: [
    { code: 'RATE_LIMIT_EXCEEDED', name: 'API_KEY', summary: 'API key', limit: 'key' },
    {
      code: 'RATE_LIMIT_EXCEEDED',
      name: 'FAILED_AUTHENTICATION',
      summary: 'Failed authentication',
      limit: 'failedAuthentication',
    },
  ],
  TooManyRequestsWithoutKey: [
    {
      code: 'RATE_LIMIT_EXCEEDED',
      name: 'RATE_LIMIT_EXCEEDED',
      summary: 'Requests without a key',
      limit: 'address',
    },
  ],
  Unavailable: ['MARKET_DATA_UNAVAILABLE', 'SERVICE_MAINTENANCE', 'SERVICE_OVERLOADED'],
  Overloaded: ['SERVICE_OVERLOADED'],
  /** The `default` of every operation: what can happen to any request, whatever it asks. */
  Transport: errorCodes.filter((code) => !isInContract(code) && code !== 'SERVICE_OVERLOADED'),
} satisfies Readonly<Record<string, ErrorResponse>>;

export type SharedErrorName = keyof typeof sharedErrors;

/** The service whose errors are described. `errorsUrl` is absolute, without a trailing slash. */
interface ErrorContext {
  readonly errorsUrl: string;
  readonly limits: contract.LimitFigures;
}

/**
 * The Response Object.
 * @param hasPrices whether the operation answers with prices, and so with the state of the feed
 */
export function errorResponse(errors: ErrorResponse, context: ErrorContext, hasPrices = false): Response {
  const occurrences = errors.map(occurrenceOf);
  const codes = [...new Set(occurrences.map(({ code }) => code))];
  const causes = codes.map((code) => `${codes.length === 1 ? '' : `\`${code}\`: `}${errorTable[code].cause}`);
  const examples = occurrences.map((each) => [each.name, { summary: each.summary, value: exampleBody(each, context) }]);
  const schema = { $ref: '#/components/schemas/Problem' };
  const statuses = new Set(codes.map((code) => errorTable[code].status));
  const lead = statuses.size === 1 ? '' : 'What can happen to any request, under the status of its code. ';
  return {
    description: lead + causes.join(' '),
    headers: errorHeaders(codes, context, hasPrices),
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}

function occurrenceOf(error: ErrorResponse[number]): Occurrence {
  return typeof error === 'string' ? { code: error, name: error, summary: errorTable[error].title } : error;
}

/** The HTTP status of a response. */
export function statusOf(errors: ErrorResponse): number {
  return errorTable[occurrenceOf(errors[0]!).code].status;
}

const uncounted = 'Absent when the request was refused before a limit counted it.';
const withoutFeed = 'Only with MARKET_DATA_UNAVAILABLE.';

/** Refused before any limit counts the request. */
const neverCounted: ReadonlySet<ErrorCode> = new Set([
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'REQUEST_HEADER_FIELDS_TOO_LARGE',
  'SERVICE_OVERLOADED',
]);

function errorHeaders(codes: readonly ErrorCode[], { limits }: ErrorContext, hasPrices: boolean): Headers {
  const hasFeedStatus = hasPrices && codes.includes('MARKET_DATA_UNAVAILABLE');
  return {
    ...always(contract.headerNames.requestId),
    ...limitHeaders(codes, limits),
    ...headersOfStatus(new Set(codes.map((code) => errorTable[code].status))),
    ...(hasFeedStatus ? sometimes(withoutFeed, limits, contract.headerNames.feedStatus) : {}),
    ...caching('never'),
  };
}

function limitHeaders(codes: readonly ErrorCode[], limits: contract.LimitFigures): Headers {
  if (codes.every(isInContract)) return always(...rateLimitNames);
  return codes.every((code) => neverCounted.has(code)) ? {} : sometimes(uncounted, limits, ...rateLimitNames);
}

function headersOfStatus(statuses: ReadonlySet<number>): Headers {
  if (statuses.has(401)) return always('WWW-Authenticate');
  if (statuses.has(405)) {
    const allow = { type: 'string', const: contract.allowedMethods };
    const description = 'The methods of every resource, with METHOD_NOT_ALLOWED.';
    return { Allow: { description, required: statuses.size === 1, schema: allow, example: contract.allowedMethods } };
  }
  return statuses.has(429) || statuses.has(503) ? always('Retry-After') : {};
}

function exampleBody({ code, detail, limit }: Occurrence, { errorsUrl, limits }: ErrorContext): ErrorBody {
  const { title, status, exampleDetail } = errorTable[code];
  const limited = limit && contract.limitDetail(contract.limitTable[limit].name, limits[limit]);
  const type = errorType(errorsUrl, code);
  return { type, title, status, code, detail: detail ?? limited ?? exampleDetail, requestId: exampleRequestId };
}
