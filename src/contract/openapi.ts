import { errorTable } from './errors.ts';
import { headerNames, limitTable, limitWindowMs, pollingIntervals } from './limits.ts';
import {
  type ErrorResponse,
  errorResponse,
  type Response,
  type SharedErrorName,
  sharedErrors,
} from './openapi-errors.ts';
import {
  always,
  caching,
  contentEncoding,
  fixed,
  type Headers,
  headerComponents,
  rateLimit,
} from './openapi-headers.ts';
import { type Parameter, type Resource, resources, securityScheme } from './openapi-operations.ts';
import { schemas } from './schemas.ts';

/** Version of the API, `info.version` of the document (contract, Versioning). */
const apiVersion = '1.0';

/** Where the service is reached and where its error pages lie: absolute, without a trailing slash. */
export interface Addresses {
  readonly baseUrl: string;
  readonly errorsUrl: string;
}

/** An Operation Object of OpenAPI 3.1. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

export interface PathItem {
  readonly get: Operation;
  readonly head: Operation;
}

/** The part of OpenAPI 3.1 that the document uses. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly jsonSchemaDialect: string;
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly security: Operation['security'];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly headers: Headers;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  readonly externalDocs: { readonly description: string; readonly url: string };
}

/**
 * The OpenAPI 3.1 document of the service, from the schemas and tables the code itself uses. Equal
 * addresses give an equal document, member order included.
 */
export function openApiDocument(addresses: Addresses): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: info(addresses),
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: addresses.baseUrl, description: 'The service this document describes.', 'x-internal': false }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Service', description: 'The time and the status of the service.' },
      { name: 'Markets', description: 'Markets and their current prices.' },
      { name: 'Description', description: 'What needs no key: this description and the root document.' },
    ],
    paths: Object.fromEntries(resources.map((resource) => [resource.path, pathItem(resource, addresses)])),
    components: {
      schemas: { ...schemas, OpenApiDocument: descriptionSchema },
      headers: headerComponents,
      responses: sharedResponses(addresses),
      securitySchemes: { apiKey: securityScheme },
    },
    externalDocs: { description: 'Every error, what causes it and what to do.', url: addresses.errorsUrl },
  };
}

/** Enough to tell an OpenAPI document; what it holds is OpenAPI's business. */
const descriptionSchema = {
  type: 'object',
  description: 'An OpenAPI 3.1 document: this one.',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string', description: 'The version of OpenAPI.', maxLength: 16, pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      description: 'Title and version of the API.',
      required: ['title', 'version'],
      properties: {
        title: { type: 'string', description: 'Name of the API.', maxLength: 100, pattern: '^[A-Z][A-Za-z ]+$' },
        version: { type: 'string', description: 'Version of the API.', const: apiVersion },
      },
      additionalProperties: true,
      maxProperties: 20,
    },
    paths: {
      type: 'object',
      description: 'The endpoints.',
      additionalProperties: { type: 'object', additionalProperties: true, maxProperties: 20 },
      maxProperties: 100,
    },
  },
  additionalProperties: true,
  maxProperties: 20,
};

function info({ baseUrl }: Addresses) {
  return {
    title: 'Market Data API',
    version: apiVersion,
    summary: 'Server time, service status, markets and current client prices of an exchange.',
    description: introduction,
    contact: { name: 'The operator of this service', url: baseUrl },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

function pathItem(resource: Resource, addresses: Addresses): PathItem {
  return { get: operation(resource, 'get', addresses), head: operation(resource, 'head', addresses) };
}

function operation(resource: Resource, method: 'get' | 'head', addresses: Addresses): Operation {
  const forGet = method === 'get';
  return {
    operationId: forGet ? resource.operationId : `head${resource.name}`,
    tags: [resource.tag],
    summary: forGet ? resource.summary : `${resource.summary}, headers only`,
    description: forGet
      ? `${resource.description}${pollingAdvice(resource.path)}`
      : `Status and headers of GET ${resource.path}, without the body. It counts as one request, as GET does.`,
    security: resource.needsKey ? [{ apiKey: [] }] : [],
    parameters: resource.parameters,
    responses: responses(resource, method, addresses),
  };
}

function responses(resource: Resource, method: 'get' | 'head', addresses: Addresses): Operation['responses'] {
  const errors = resource.errors.map((error) =>
    typeof error === 'string'
      ? [statusOf(sharedErrors[error]), { $ref: `#/components/responses/${componentName(error, method)}` }]
      : [statusOf(error), errorResponse(error, addresses.errorsUrl, method)],
  );
  return {
    200: success(resource, method, addresses),
    ...(resource.success.prepared ? { 304: notModified(resource) } : {}),
    ...Object.fromEntries(errors),
  };
}

function statusOf(error: ErrorResponse): number {
  return errorTable[error.occurrences[0]!.code].status;
}

function success(resource: Resource, method: 'get' | 'head', { baseUrl, errorsUrl }: Addresses): Response {
  const { description, schema, examples, prepared, alsoHtml } = resource.success;
  const headers = { ...representationHeaders(resource), ...(prepared ? contentEncoding() : {}) };
  if (method === 'head') return { description: `${description} Without a body.`, headers };
  const json = { schema: { $ref: `#/components/schemas/${schema}` }, examples: examples(baseUrl, errorsUrl) };
  return {
    description,
    headers,
    content: { 'application/json': json, ...(alsoHtml ? { 'text/html': html, 'text/markdown': markdown } : {}) },
  };
}

const html = {
  schema: {
    type: 'string',
    description: 'A page for people.',
    maxLength: 100_000,
    pattern: '^<!(doctype|DOCTYPE) html>',
  },
  examples: { page: { summary: 'A page', value: '<!doctype html><title>Market Data API</title>' } },
};

const markdown = {
  schema: {
    type: 'string',
    description: 'The same page as Markdown, for programs that read.',
    maxLength: 100_000,
    pattern: '^# ',
  },
  examples: { page: { summary: 'A page', value: '# Market Data API' } },
};

function notModified(resource: Resource): Response {
  return {
    description: 'Nothing changed since the representation that `If-None-Match` names. Without a body.',
    headers: representationHeaders(resource),
  };
}

/** The headers that 200 and 304 share. */
function representationHeaders({ success: { caching: kind, prepared, anyOrigin, alsoHtml } }: Resource): Headers {
  const vary = alsoHtml ? 'Accept, Accept-Encoding' : 'Accept-Encoding';
  return {
    ...always('X-Request-Id'),
    ...rateLimit('always'),
    ...caching(kind),
    ...(prepared ? always('ETag') : {}),
    ...(prepared ? fixed('Vary', vary, 'The request headers that the representation depends on.') : {}),
    ...(anyOrigin ? fixed('Access-Control-Allow-Origin', '*', 'Any web page may read this resource.') : {}),
  };
}

/** A HEAD has no body, so each response that operations share exists twice. */
function componentName(name: SharedErrorName, method: 'get' | 'head'): string {
  return method === 'get' ? name : `${name}Head`;
}

function sharedResponses({ errorsUrl }: Addresses): Readonly<Record<string, Response>> {
  const names = Object.keys(sharedErrors) as SharedErrorName[];
  return Object.fromEntries(
    (['get', 'head'] as const).flatMap((method) =>
      names.map((name) => [componentName(name, method), errorResponse(sharedErrors[name], errorsUrl, method)]),
    ),
  );
}

/** `info.description`: what a client must know before the first request, in CommonMark. */
const introduction = `
Read-only market data over HTTP: the time of the server, the status of the service, the traded markets, and the current final
prices for clients. Every operation is a GET, and answers HEAD in the same way without a body. Nothing changes state.

## First steps

Create an API key in the client application (profile and security, API keys), and send it verbatim with every request under
\`/v1\` in the header \`${headerNames.apiKey}\`. Keep keys on your server; they do not belong in a browser.

## Numbers and times

Prices and amounts are decimal strings, never JSON numbers, so that no digit is lost on the way. Every point in time comes
twice: as ISO 8601 text in UTC with milliseconds, and as milliseconds since the Unix epoch. Both are the same instant.

An optional field may be absent. It is never null, except for the fields of the status that say so.

## Prices

\`buyPrice\` and \`sellPrice\` are what a client pays and receives per unit of the base currency. They include the standard fee,
and a currency margin where the quote currency is converted (CZK). They are not a binding offer: a trade settles at the price
valid when the order is placed. All other prices are statistics of the exchange without fees.

## Limits

| Limit | Requests per minute | Counted |
|---|---|---|
${Object.values(limitTable)
  .map(({ name, requestsPerMinute, counting }) => `| ${name} | ${requestsPerMinute} | ${counting} |`)
  .join('\n')}

The counts reset at every full minute and are independent. Every answer to a counted request shows what is left. Over a limit the answer is 429 with \`Retry-After\`: wait that many seconds.

## Errors

Every error is a problem (RFC 9457) of the media type \`application/problem+json\` with exactly six members. Decide on \`code\`,
not on the texts. \`type\` is the address of a page that explains the error and what to do. Beside the responses of the
operations below, two answers exist: 404 \`NOT_FOUND\` for a path that does not exist, and 405 \`METHOD_NOT_ALLOWED\` with an
\`Allow\` header for any other method.

## What can change within version 1

Fields, error codes and status values can be added. Ignore fields you do not know, and treat unknown values as unrecognized
without failing.
`.trim();

/** The recommended polling interval of an endpoint, as a sentence; empty where the contract gives none. */
function pollingAdvice(path: string): string {
  const advice = pollingIntervals.find((entry) => entry.path === path);
  if (advice === undefined) return '';
  return `\n\nRecommended: ${intervalText(advice.intervalMs)}. ${advice.reason}.`;
}

function intervalText(intervalMs: number | undefined): string {
  if (intervalMs === undefined) return 'once, when your client starts';
  if (intervalMs > limitWindowMs) return 'every hour';
  return `every ${intervalMs / 1_000} seconds`;
}
