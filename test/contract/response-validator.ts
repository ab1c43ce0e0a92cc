import { AssertionError } from 'node:assert/strict';
import { METHODS } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { documentSchemas, type SchemaCheck } from '../../src/contract/document-schemas.testing.ts';
import { type ErrorCode, errorTable, isInContract } from '../../src/contract/errors.ts';
import { contractLimits } from '../../src/contract/limits.ts';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';
import type { Header } from '../../src/contract/openapi-responses.ts';
import {
  type Response as DocumentedResponse,
  errorResponse,
  type MediaType,
  sharedErrors,
} from '../../src/contract/openapi-responses.ts';
import type { ErrorBody } from '../../src/contract/schemas.ts';
import { bodyFaults } from './body-rules.ts';
import { headerFaults, type ObservedHeaders } from './header-rules.ts';

/** A response as a client saw it, and the request it answers. */
export interface ObservedResponse {
  /** As sent: case matters. */
  readonly method: string;
  /** The target of the request; a query is allowed and ignored. */
  readonly path: string;
  readonly status: number;
  readonly headers: globalThis.Headers | Readonly<Record<string, string | readonly string[] | number | undefined>>;
  /** A string is the text after decompression (as `fetch` gives it); bytes are those of the wire. */
  readonly body: string | Uint8Array;
}

/** Throws `AssertionError`, naming every fault, unless the response is one the document describes. */
export type ResponseValidator = (response: ObservedResponse) => void;

/**
 * Validates responses against an OpenAPI document of this service: the status is documented, the
 * required headers are there and no undocumented one is, the body is what the schema says with no
 * member beyond it, and the rules hold that a schema cannot express. HEAD answers as GET does, without a
 * body. Answers to paths and methods outside the document must be the errors that its words have for them.
 */
export function createResponseValidator(document: OpenApiDocument): ResponseValidator {
  const check = documentSchemas(document, 'asServer');
  return (response) => {
    const faults = faultsOf(response, document, check);
    if (faults.length === 0) return;
    const { method, path, status, body } = response;
    const shown = typeof body === 'string' ? body : Buffer.from(body).toString('latin1');
    throw new AssertionError({
      message: `${method} ${path} answered ${status}, against the document:\n- ${faults.join('\n- ')}\n${shown.slice(0, 500)}`,
    });
  };
}

function faultsOf(response: ObservedResponse, document: OpenApiDocument, check: SchemaCheck): readonly string[] {
  const headers = observedHeaders(response);
  const path = response.path.split('?', 1)[0]!;
  if (isPage(path, response.status, headers, document)) {
    return headers.has('x-request-id') ? [] : ['header X-Request-Id is missing'];
  }
  const documented = documentedResponse(document, response.method, path, response.status);
  if (documented === undefined) return [`status ${response.status} is not documented for ${response.method} ${path}`];
  const resolve = (header: Header | { readonly $ref: string }) =>
    '$ref' in header ? (document.components.headers[header.$ref.split('/').at(-1)!] as Header) : header;
  return [
    ...headerFaults(documented.headers, resolve, headers, check),
    ...contentFaults(response, documented, headers, check, document.paths[path] !== undefined),
  ];
}

function observedHeaders({ headers }: ObservedResponse): ObservedHeaders {
  const entries = headers instanceof globalThis.Headers ? [...headers] : Object.entries(headers);
  return new Map(
    entries
      .filter((entry) => entry[1] !== undefined)
      .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}

const portalTypes = new Set([
  ...['text/html', 'text/markdown', 'text/plain', 'text/css', 'text/javascript'],
  ...['image/svg+xml', 'application/xml'],
]);

/**
 * What is for people and their installers is no part of the document: the portal with its pages, their twins, and what
 * they load, and the packages of the clients.
 */
function isPage(path: string, status: number, headers: ObservedHeaders, document: OpenApiDocument): boolean {
  if (document.paths[path] !== undefined || isKeyed(path)) return false;
  if (path.startsWith('/clients/')) return [200, 304, 308].includes(status);
  const mediaType = path === '/status/summary.json' ? 'text/plain' : mediaTypeOf(headers);
  return status === 304 || (status === 200 && portalTypes.has(mediaType ?? ''));
}

/** What the parser takes for a request to a path; others are refused before any limit counts them. */
function isKnownMethod(method: string): boolean {
  return METHODS.includes(method) && method !== 'CONNECT';
}

function isKeyed(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}

function documentedResponse(
  document: OpenApiDocument,
  method: string,
  path: string,
  status: number,
): DocumentedResponse | undefined {
  const item = document.paths[path];
  const operation = method === 'GET' || method === 'HEAD' ? item?.get : undefined;
  const found = operation?.responses[status];
  if (found !== undefined) return '$ref' in found ? componentOf(document, found.$ref) : found;
  if (operation !== undefined) return transportResponse(document, status);
  const name = outsideResponses(path, item !== undefined)[status];
  if (name === undefined) return transportResponse(document, status);
  const service = { errorsUrl: document.externalDocs.url, limits: contractLimits };
  return document.components.responses[name] ?? errorResponse([name as ErrorCode], service);
}

/** The part of the `default` of every operation that has a status. A 405 only answers methods that no operation has. */
export function transportResponse(document: OpenApiDocument, status: number): DocumentedResponse | undefined {
  const codes = sharedErrors.Transport.filter((code) => errorTable[code].status === status && status !== 405);
  const service = { errorsUrl: document.externalDocs.url, limits: contractLimits };
  return codes.length === 0 ? undefined : errorResponse(codes, service);
}

/** The statuses that an operation can answer with. */
export function statusesOf(document: OpenApiDocument, path: string): readonly number[] {
  const own = Object.keys(document.paths[path]!.get.responses).filter((status) => status !== 'default');
  const shared = sharedErrors.Transport.map((code) => errorTable[code].status).filter((status) => status !== 405);
  return [...new Set([...own.map(Number), ...shared])];
}

function componentOf(document: OpenApiDocument, reference: string): DocumentedResponse {
  return document.components.responses[reference.split('/').at(-1)!]!;
}

/** What may answer a path or a method that no operation describes, by status. */
function outsideResponses(path: string, pathIsDocumented: boolean): Readonly<Record<number, string>> {
  return {
    ...(isKeyed(path) ? { 401: 'Unauthorized', 429: 'TooManyRequests' } : { 429: 'TooManyRequestsWithoutKey' }),
    ...(pathIsDocumented ? {} : { 404: 'NOT_FOUND' }),
    ...(pathIsDocumented || !isKeyed(path) ? { 405: 'METHOD_NOT_ALLOWED' } : {}),
    503: 'Overloaded',
  };
}

function mediaTypeOf(headers: ObservedHeaders): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

function contentFaults(
  response: ObservedResponse,
  documented: DocumentedResponse,
  headers: ObservedHeaders,
  check: SchemaCheck,
  pathIsDocumented: boolean,
): readonly string[] {
  if (response.method === 'HEAD' || documented.content === undefined) {
    return response.body.length === 0 ? [] : ['there is a body where none may be'];
  }
  const mediaType = mediaTypeOf(headers);
  const content = mediaType === undefined ? undefined : documented.content[mediaType];
  if (content === undefined) return [`content type ${mediaType} is not documented`];
  const text = decode(response.body, headers.get('content-encoding'));
  if (!mediaType?.endsWith('json')) return check(content.schema, text);
  const body = parse(text);
  if (body === undefined) return ['the body is not JSON'];
  const faults = check(content.schema, body);
  if (faults.length > 0) return faults;
  // The document talks about pairs of instants and does not hold any.
  if (body !== null && typeof body === 'object' && 'openapi' in body) return [];
  if (mediaType !== 'application/problem+json') return bodyFaults(body);
  const isRouted = pathIsDocumented && isKnownMethod(response.method);
  return problemFaults(body as ErrorBody, content, response.status, headers, isRouted);
}

function decode(body: string | Uint8Array, encoding: string | undefined): string {
  if (typeof body === 'string') return body;
  const decompress = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }[encoding ?? ''];
  return (decompress === undefined ? Buffer.from(body) : decompress(body)).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const members = ['type', 'title', 'status', 'code', 'detail', 'requestId'];

function problemFaults(
  problem: ErrorBody,
  { examples }: MediaType,
  status: number,
  headers: ObservedHeaders,
  isRouted: boolean,
): readonly string[] {
  const faults: string[] = [];
  const documented = Object.values(examples).map((example) => example.value as ErrorBody);
  const example = documented.find(({ code }) => code === problem.code);
  if (example === undefined) return [`code ${problem.code} is not documented for this response`];
  if (Object.keys(problem).join() !== members.join())
    faults.push('the members are not the six of the contract, in order');
  if (problem.type !== example.type) faults.push(`/type is not ${example.type}`);
  if (problem.title !== example.title) faults.push(`/title is not "${example.title}"`);
  if (problem.status !== status) faults.push(`/status is not the HTTP status ${status}`);
  if (problem.requestId !== headers.get('x-request-id')) faults.push('/requestId is not that of X-Request-Id');
  const isCounted = isInContract(problem.code as ErrorCode) || (status === 405 && isRouted);
  if (isCounted && !headers.has('x-ratelimit-limit')) faults.push('header X-RateLimit-Limit is missing');
  if (status === 429 && headers.get('x-ratelimit-remaining') !== '0') faults.push('requests are left on a 429');
  return faults;
}
