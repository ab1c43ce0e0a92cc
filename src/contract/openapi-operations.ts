import { headerNames, type LimitFigures, pollingAdvice } from './limits.ts';
import { ifNoneMatchParameter, type Resource, symbolParameter } from './openapi-resources.ts';
import * as response from './openapi-responses.ts';
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

/** Errors of every resource with a key, and of every one without, besides those that any HTTP has: `Transport`. */
const usualErrors = {
  keyed: ['Unauthorized', 'TooManyRequests'],
  keyless: ['TooManyRequestsWithoutKey', 'Overloaded'],
} as const satisfies Readonly<Record<string, readonly response.SharedErrorName[]>>;

const contentEncoding: response.Header = {
  description: 'How the body is compressed. Absent when it is not.',
  required: false,
  schema: { type: 'string', enum: ['gzip', 'br', 'zstd'] },
  example: 'gzip',
};

/** The page that a browser, or a program that reads, gets in place of JSON. */
const pageForms: Readonly<Record<string, response.MediaType>> = {
  'text/html': {
    schema: {
      type: 'string',
      description: 'A page for people.',
      maxLength: 100_000,
      pattern: '^<!(doctype|DOCTYPE) html>',
    },
    examples: { page: { summary: 'A page', value: '<!doctype html><title>Market Data API</title>' } },
  },
  'text/markdown': {
    schema: {
      type: 'string',
      description: 'The same page as Markdown, for programs that read.',
      maxLength: 100_000,
      pattern: '^# ',
    },
    examples: { page: { summary: 'A page', value: '# Market Data API' } },
  },
};

/** The operation of a resource, as the document of a service has it. */
export function operation(resource: Resource, service: Described) {
  const { path, tag, operationId, summary, description, caching: kind } = resource;
  const parameters = resource.takesSymbol ? [symbolParameter] : [];
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description}${pollingAdvice(path)}`,
    security: needsKey(resource) ? [{ apiKey: [] }] : [],
    parameters: kind === 'never' ? parameters : [...parameters, ifNoneMatchParameter],
    responses: responses(resource, service),
  };
}

function needsKey({ path }: Resource): boolean {
  return path.startsWith('/v1/');
}

function responses(
  resource: Resource,
  service: Described,
): Readonly<Record<string, response.Response | { readonly $ref: string }>> {
  const { caching: kind, hasPrices, errors = [] } = resource;
  const refer = (name: response.SharedErrorName) => [
    response.statusOf(response.sharedErrors[name]),
    { $ref: `#/components/responses/${name}` },
  ];
  const usual = usualErrors[needsKey(resource) ? 'keyed' : 'keyless'].map(refer);
  // A response that can carry the state of the feed is not the shared one.
  const own = errors.map((error) => {
    if (typeof error === 'string' && !hasPrices) return refer(error);
    const meant = typeof error === 'string' ? response.sharedErrors[error] : error;
    return [response.statusOf(meant), response.errorResponse(meant, service, hasPrices)];
  });
  return {
    200: success(resource, service),
    ...(kind === 'never' ? {} : { 304: notModified(resource) }),
    ...Object.fromEntries([...usual, ...own]),
    default: { $ref: '#/components/responses/Transport' },
  };
}

function success(resource: Resource, service: Described): response.Response {
  const { schema, caching: kind, alsoHtml } = resource;
  const { description } = schemas[schema] as { readonly description: string };
  const json = {
    schema: { $ref: `#/components/schemas/${schema}` },
    examples: resource.examples(service.baseUrl, service.errorsUrl),
  };
  return {
    description,
    headers: {
      ...representationHeaders(resource),
      ...(kind === 'never' ? {} : { 'Content-Encoding': contentEncoding }),
    },
    content: { 'application/json': json, ...(alsoHtml ? pageForms : {}) },
  };
}

function notModified(resource: Resource): response.Response {
  return {
    description: 'Nothing changed since the representation that `If-None-Match` names. Without a body.',
    headers: representationHeaders(resource),
  };
}

/** The headers that 200 and 304 share. */
function representationHeaders({ caching: kind, hasPrices, anyOrigin, alsoHtml }: Resource): response.Headers {
  const vary = alsoHtml ? 'Accept, Accept-Encoding, Accept-Language, Sec-Fetch-Site' : 'Accept-Encoding';
  const isReady = kind !== 'never';
  return {
    ...response.always('X-Request-Id'),
    ...response.always(...response.rateLimitNames),
    ...response.caching(kind),
    ...(hasPrices ? response.always(headerNames.feedStatus) : {}),
    ...(isReady ? response.always('ETag') : {}),
    ...(isReady ? response.fixed('Vary', vary, 'The request headers that the representation depends on.') : {}),
    ...(anyOrigin ? response.fixed('Access-Control-Allow-Origin', '*', 'Any web page may read this resource.') : {}),
  };
}
