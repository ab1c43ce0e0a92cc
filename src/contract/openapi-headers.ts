import { feedStatuses } from './enumerations.ts';
import { lastInstantMs } from './instant.ts';
import {
  contractLimits,
  headerNames,
  type LimitFigures,
  maintenanceRetryAfterSeconds,
  wwwAuthenticate,
} from './limits.ts';
import { lowerCaseWord, openSetForm, requestIdPattern } from './schema-parts.ts';

/** A Header Object of OpenAPI 3.1. */
export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number;
}

export type Headers = Readonly<Record<string, Header | { readonly $ref: string }>>;

/** The instant every example of the document plays at. */
export const exampleNow = Date.parse('2026-11-21T10:00:00.517Z');

export const exampleRequestId = '9f2c51d07ab84e6c8d1e7f3a2b4c5d6e';

const windowEnd = Math.ceil(exampleNow / 60_000) * 60;

/** The most requests per minute an operator can allow a key; the contract's figures are defaults. */
const configuredLimitMax = 1_000_000;

/** An entity tag as the service makes them: of the text, and of its coding. */
export const exampleEntityTag = '"Hk3vQz8nB0c5TjYw2LrXqA-g"';

/** The headers that mean the same wherever they appear. */
const headers = {
  [headerNames.requestId]: {
    description: 'Identifier of this request, made by the server. Name it when you ask the operator about a request.',
    required: true,
    schema: { type: 'string', minLength: 16, maxLength: 64, pattern: requestIdPattern },
    example: exampleRequestId,
  },
  [headerNames.rateLimitLimit]: {
    description: 'Requests allowed in the current minute by the limit that counted this request.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: configuredLimitMax },
    example: contractLimits.key,
  },
  [headerNames.rateLimitRemaining]: {
    description: 'Requests left in the current minute, at least 0.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: configuredLimitMax },
    example: contractLimits.key - 1,
  },
  [headerNames.rateLimitReset]: {
    description: 'End of the current minute as a Unix timestamp in seconds. The count resets then.',
    required: true,
    schema: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      maximum: Math.ceil(lastInstantMs / 1_000),
      multipleOf: 60,
    },
    example: windowEnd,
  },
  [headerNames.retryAfter]: {
    description:
      'Seconds to wait before the next request. Whoever waits this long after a 429 is in a new minute of its limit.',
    required: true,
    schema: {
      type: 'integer',
      format: 'int32',
      minimum: maintenanceRetryAfterSeconds.min,
      maximum: maintenanceRetryAfterSeconds.max,
    },
    example: 5,
  },
  [headerNames.feedStatus]: {
    description:
      'Status of the market data feed at the time of the answer, as `components.ticker` of GET /v1/status: `operational`, `degraded` while data is served over a fallback path, `outage` once it is more than 5 minutes behind. The set can gain values within v1: treat a value you do not know as unrecognized and do not fail.',
    required: true,
    schema: openSetForm(feedStatuses, lowerCaseWord),
    example: feedStatuses[0],
  },
  'WWW-Authenticate': {
    description: `How to authenticate: with an API key, in the ${headerNames.apiKey} header.`,
    required: true,
    schema: { type: 'string', const: wwwAuthenticate },
    example: wwwAuthenticate,
  },
  ETag: {
    description:
      'Strong entity tag of exactly these bytes. Send it back in `If-None-Match` to get 304 while nothing changed.',
    required: true,
    schema: { type: 'string', minLength: 3, maxLength: 130, pattern: '^"[!#-~]+"$' },
    example: exampleEntityTag,
  },
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof headers;

/** `components/headers`, each always sent where it is referred to, with the figures of a service in the examples. */
export function headerComponents({ key }: LimitFigures): Readonly<Record<HeaderName, Header>> {
  return {
    ...headers,
    [headerNames.rateLimitLimit]: { ...headers[headerNames.rateLimitLimit], example: key },
    [headerNames.rateLimitRemaining]: { ...headers[headerNames.rateLimitRemaining], example: key - 1 },
  };
}

/** Refers to headers that the response always carries. */
export function always(...names: readonly HeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that the response carries only in the case that `when` describes. */
export function sometimes(when: string, limits: LimitFigures, ...names: readonly HeaderName[]): Headers {
  const components = headerComponents(limits);
  return Object.fromEntries(
    names.map((name) => [
      name,
      { ...components[name], description: `${components[name].description} ${when}`, required: false },
    ]),
  );
}

/** The three headers of the limit that counted the request. */
export const rateLimitNames = [
  headerNames.rateLimitLimit,
  headerNames.rateLimitRemaining,
  headerNames.rateLimitReset,
] as const;

/** A header with one possible value. */
export function fixed(name: string, value: string, description: string): Headers {
  return { [name]: { description, required: true, schema: { type: 'string', const: value }, example: value } };
}

/** How a representation may be kept. The values are those of `Cache-Control`. */
export const cacheControl = {
  /** Errors, `/v1/time` and `/v1/status`. */
  never: 'no-store',
  /** Markets and tickers: the client may keep them, and asks each time whether they changed. */
  revalidate: 'private, no-cache',
  /** What is the same for everybody. */
  shared: 'public, max-age=300',
} as const;

export type Caching = keyof typeof cacheControl;

export function caching(kind: Caching): Headers {
  return fixed('Cache-Control', cacheControl[kind], 'Whether the response may be kept, and for how long.');
}

export function contentEncoding(): Headers {
  return {
    'Content-Encoding': {
      description: 'How the body is compressed. Absent when it is not.',
      required: false,
      schema: { type: 'string', enum: ['gzip', 'br', 'zstd'] },
      example: 'gzip',
    },
  };
}
