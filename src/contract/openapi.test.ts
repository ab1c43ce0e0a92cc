import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documentSchemas } from './document-schemas.testing.ts';
import { errorCodes, errorTable, slugOf } from './errors.ts';
import { lastInstantMs } from './instant.ts';
import * as limits from './limits.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';
import type { Operation } from './openapi-operations.ts';
import type { Header, MediaType, Response } from './openapi-responses.ts';
import { anyCaseSymbolPattern, lowerCaseWord, requestIdPattern } from './schema-parts.ts';
import type { ErrorBody } from './schemas.ts';
import { feedStatuses, publicMarketStatuses, publicServiceStatuses } from './schemas.ts';

const addresses = { baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' };
const document = openApiDocument(addresses);
const check = documentSchemas(document, 'asServer');
const checkAsClient = documentSchemas(document, 'asClient');

const transport =
  'default:BAD_REQUEST,METHOD_NOT_ALLOWED,REQUEST_TIMEOUT,EXPECTATION_FAILED,REQUEST_HEADER_FIELDS_TOO_LARGE,INTERNAL_ERROR';
/** Operation, path, whether it needs a key, parameters, and for each status the codes it can carry. */
const expectedOperations = `
getServerTime /v1/time key [] 200 401:MISSING_API_KEY,INVALID_API_KEY 429:RATE_LIMIT_EXCEEDED 503:MARKET_DATA_UNAVAILABLE,SERVICE_MAINTENANCE ${transport}
getServiceStatus /v1/status key [] 200 401:MISSING_API_KEY,INVALID_API_KEY 429:RATE_LIMIT_EXCEEDED ${transport}
listMarkets /v1/markets key [If-None-Match] 200 304 401:MISSING_API_KEY,INVALID_API_KEY 429:RATE_LIMIT_EXCEEDED 503:MARKET_DATA_UNAVAILABLE,SERVICE_MAINTENANCE,SERVICE_OVERLOADED ${transport}
getTicker /v1/ticker key [symbol,If-None-Match] 200 304 400:INVALID_PARAMETER,BAD_REQUEST 401:MISSING_API_KEY,INVALID_API_KEY 404:UNKNOWN_SYMBOL,NOT_FOUND 429:RATE_LIMIT_EXCEEDED 503:MARKET_DATA_UNAVAILABLE,SERVICE_MAINTENANCE,SERVICE_OVERLOADED ${transport}
listTickers /v1/tickers key [If-None-Match] 200 304 401:MISSING_API_KEY,INVALID_API_KEY 429:RATE_LIMIT_EXCEEDED 503:MARKET_DATA_UNAVAILABLE,SERVICE_MAINTENANCE,SERVICE_OVERLOADED ${transport}
getOpenApi /openapi/v1.json - [If-None-Match] 200 304 429:RATE_LIMIT_EXCEEDED 503:SERVICE_OVERLOADED ${transport}
getRoot / - [If-None-Match] 200 304 429:RATE_LIMIT_EXCEEDED 503:SERVICE_OVERLOADED ${transport}`;

const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, operation: get }));

/** By status; `default` is none of its own. */
function responsesOf(operation: Operation): [number | undefined, Response][] {
  return Object.entries(operation.responses).map(([status, response]) => [
    status === 'default' ? undefined : Number(status),
    '$ref' in response ? (resolve(document, response.$ref) as Response) : response,
  ]);
}

function resolve(root: OpenApiDocument, reference: string): unknown {
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name], root);
}

function codesOf(response: Response): string[] {
  const examples = response.content?.['application/problem+json']?.examples ?? {};
  return [...new Set(Object.values(examples).map((example) => (example.value as ErrorBody).code))];
}

function headerOf(response: Response, name: string): Header | undefined {
  const header = response.headers[name];
  return header !== undefined && '$ref' in header ? (resolve(document, header.$ref) as Header) : header;
}

/** Every response of the document, those that no operation refers to included. */
const responses: [string, number | undefined, Response][] = [
  ...operations.flatMap(({ operation }) =>
    responsesOf(operation).map(
      ([status, response]) =>
        [`${operation.operationId} ${status}`, status, response] as [string, number | undefined, Response],
    ),
  ),
  ...Object.entries(document.components.responses).map(
    ([name, response]) => [name, undefined, response] as [string, undefined, Response],
  ),
];

test('the document describes every operation with the errors that can truly happen, and no other one', () => {
  const rows = operations.map(({ path, operation }) => {
    const statuses = responsesOf(operation).map(([status, response]) => [status, codesOf(response)] as const);
    return [
      operation.operationId,
      path,
      operation.security.length > 0 ? 'key' : '-',
      `[${operation.parameters.map(({ name }) => name)}]`,
      ...statuses.map(([status, codes]) => (codes.length === 0 ? `${status}` : `${status ?? 'default'}:${codes}`)),
    ].join(' ');
  });
  assert.deepEqual(rows, expectedOperations.trim().split('\n'));
});

test('it is OpenAPI 3.1, version 1.0, for the address it was asked for', () => {
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.equal(document.info.version, '1.0');
  assert.equal(document.jsonSchemaDialect, 'https://json-schema.org/draft/2020-12/schema');
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    [addresses.baseUrl],
  );
  const scheme = document.components.securitySchemes.apiKey as Record<string, unknown>;
  assert.deepEqual([scheme.type, scheme.in, scheme.name], ['apiKey', 'header', 'X-EXCHANGE-APIKEY']);
});

test('every operation has an id of its own, a documented tag, a summary and a description', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { operation } of operations) {
    assert.ok(operation.tags.length === 1 && operation.tags.every((tag) => tags.has(tag)), operation.operationId);
    assert.ok(operation.summary !== '' && operation.description !== '', operation.operationId);
  }
});

test('HEAD and other methods are described in words, so that a generated client has one function for each resource', () => {
  for (const [path, item] of Object.entries(document.paths)) assert.deepEqual(Object.keys(item), ['get'], path);
  for (const said of ['HEAD answers every path', 'METHOD_NOT_ALLOWED', 'Allow: GET, HEAD', '`get` in lower case']) {
    assert.ok(String(document.info.description).includes(said), said);
  }
});

test('no component is without a user', () => {
  const text = JSON.stringify(document);
  for (const kind of ['schemas', 'headers', 'responses'] as const) {
    for (const name of Object.keys(document.components[kind])) {
      assert.ok(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name}`);
    }
  }
});

test('a set that can grow is a plain string that names the values of today, in words too', () => {
  const sets = {
    PublicMarketStatus: publicMarketStatuses,
    PublicServiceStatus: publicServiceStatuses,
    ErrorCode: errorCodes,
  };
  for (const [name, values] of Object.entries(sets)) {
    const schema = document.components.schemas[name] as Record<string, unknown>;
    assert.deepEqual([schema.type, schema['x-extensible-enum']], ['string', values], name);
    assert.ok(!('enum' in schema) && !('anyOf' in schema), name);
    for (const value of values) assert.ok(String(schema.description).includes(`\`${value}\``), `${name} ${value}`);
    assert.match(String(schema.description), /can gain values within v1/);
    assert.deepEqual(checkAsClient(schema, 'recovering'.toUpperCase()).length === 0, name === 'ErrorCode');
    assert.deepEqual(checkAsClient(schema, 'recovering').length === 0, name !== 'ErrorCode');
    assert.notDeepEqual(check(schema, 'recovering'), [], name);
  }
});

test('a time has its format and neither a pattern nor a length, which generators cannot apply to a date', () => {
  const times = [...JSON.stringify(document.components.schemas).matchAll(/\{[^{}]*"format":"date-time"[^{}]*\}/g)];
  assert.ok(times.length >= 5);
  for (const [schema] of times) assert.doesNotMatch(schema, /"(pattern|minLength|maxLength)":/);
});

test('the headers and parameters that are written down have the bounds and values of the tables', () => {
  const { headers } = document.components;
  const { min, max } = limits.maintenanceRetryAfterSeconds;
  const resetMax = Math.ceil(lastInstantMs / 1_000);
  for (const [name, expected] of Object.entries({
    [limits.headerNames.requestId]: { pattern: requestIdPattern },
    [limits.headerNames.rateLimitLimit]: { minimum: 1, maximum: limits.configuredLimitMax },
    [limits.headerNames.rateLimitRemaining]: { minimum: 0, maximum: limits.configuredLimitMax },
    [limits.headerNames.rateLimitReset]: { maximum: resetMax, multipleOf: limits.limitWindowMs / 1_000 },
    [limits.headerNames.retryAfter]: { minimum: min, maximum: max },
    [limits.headerNames.feedStatus]: { pattern: lowerCaseWord, 'x-extensible-enum': feedStatuses },
    'WWW-Authenticate': { const: limits.wwwAuthenticate },
  }))
    assert.partialDeepStrictEqual(headers[name]?.schema, expected, name);
  const [symbol, ifNoneMatch] = document.paths['/v1/ticker']!.get.parameters;
  assert.equal(symbol?.schema.pattern, anyCaseSymbolPattern);
  assert.equal(ifNoneMatch?.schema.maxLength, limits.ifNoneMatchLengthMax);
});

test('the limits are those of the service', () => {
  const limits = { key: 600, address: 40, failedAuthentication: 5 };
  const text = JSON.stringify(openApiDocument({ ...addresses, limits }));
  for (const said of ['| API key | 600 |', '| Requests without a key | 40 |', '| Failed authentication | 5 |']) {
    assert.ok(text.includes(said), said);
  }
  for (const name of [
    'API key: the limit of 600',
    'without a key: the limit of 40',
    'authentication: the limit of 5',
  ]) {
    assert.ok(text.includes(`${name} requests`), name);
  }
  assert.match(text, /"X-RateLimit-Limit":\{[^}]*\},"example":600/);
  assert.match(text, /"X-RateLimit-Remaining":\{[^}]*\},"example":599/);
  assert.doesNotMatch(text, /limit of (60|30|10) /);
});

test('every reference in the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  assert.ok(references.length > 80);
  for (const reference of references) assert.notEqual(resolve(document, reference), undefined, reference);
});

test('every response that has a body shows at least one example, and every example is valid', () => {
  for (const [name, , response] of responses) {
    if (response.content === undefined) {
      assert.ok(/304/.test(name), name);
      continue;
    }
    for (const media of Object.values<MediaType>(response.content)) {
      const examples = Object.entries(media.examples);
      assert.ok(examples.length > 0, name);
      for (const [title, { value }] of examples) assert.deepEqual(check(media.schema, value), [], `${name} ${title}`);
    }
  }
});

test('every example of a schema, a header and a parameter is valid', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) checkExamples(name, schema);
  for (const [name, , response] of responses) {
    for (const header of Object.keys(response.headers)) {
      const { schema, example } = headerOf(response, header)!;
      assert.deepEqual(check(schema, example), [], `${name} ${header}`);
    }
  }
  for (const { operation } of operations) {
    for (const { name, schema, example } of operation.parameters) assert.deepEqual(check(schema, example), [], name);
  }
});

function checkExamples(at: string, schema: unknown): void {
  if (schema === null || typeof schema !== 'object') return;
  const { examples } = schema as { examples?: unknown };
  if (Array.isArray(examples)) for (const example of examples) assert.deepEqual(check(schema, example), [], at);
  for (const [name, member] of Object.entries(schema)) if (name !== 'examples') checkExamples(`${at}/${name}`, member);
}

test('an error is documented only under its own status, with its own title and address', () => {
  for (const [name, status, response] of responses) {
    for (const { value } of Object.values(response.content?.['application/problem+json']?.examples ?? {})) {
      const problem = value as ErrorBody;
      const { title, status: own } = errorTable[problem.code];
      assert.deepEqual(
        [problem.type, problem.title, problem.status],
        [`${addresses.errorsUrl}/${slugOf(problem.code)}`, title, own],
        name,
      );
      if (status !== undefined) assert.equal(status, own, name);
    }
  }
});

test('errors are problem+json alone and successes never are', () => {
  for (const [name, status, response] of responses) {
    if (response.content === undefined) continue;
    const isError = status === undefined || status >= 400;
    assert.equal(
      Object.keys(response.content).join(),
      isError
        ? 'application/problem+json'
        : name === 'getRoot 200'
          ? 'application/json,text/html,text/markdown'
          : 'application/json',
    );
  }
});

test('each answer promises the headers that belong to it', () => {
  for (const [name, status, response] of responses) {
    const promised = Object.keys(response.headers).filter((header) => headerOf(response, header)?.required);
    const has = (header: string) => promised.includes(header);
    assert.ok(has('X-Request-Id'), name);
    assert.ok(has('Cache-Control'), name);
    if (status === undefined) continue;
    assert.equal(has('Retry-After'), status === 429 || status === 503, name);
    assert.equal(has('WWW-Authenticate'), status === 401, name);
    const isAlwaysCounted = [200, 304, 401, 404, 429].includes(status) || name === 'getServerTime 503';
    assert.equal(has('X-RateLimit-Limit'), isAlwaysCounted, name);
    assert.equal(has('X-RateLimit-Remaining'), has('X-RateLimit-Limit'), name);
    assert.equal(has('X-RateLimit-Reset'), has('X-RateLimit-Limit'), name);
    const hasPrices = /^(getTicker|listTickers) (200|304)$/.test(name);
    assert.equal(has('X-Feed-Status'), hasPrices, name);
    const mayHaveNone = /^(getTicker|listTickers) 503$/.test(name);
    assert.equal('X-Feed-Status' in response.headers, hasPrices || mayHaveNone, name);
  }
});

test('only what the contract lets clients keep has an entity tag; errors, the time and the status are never stored', () => {
  for (const { path, operation } of operations) {
    for (const [status, response] of responsesOf(operation)) {
      const expected =
        status === undefined || status >= 400 || ['/v1/time', '/v1/status'].includes(path)
          ? 'no-store'
          : path.startsWith('/v1/')
            ? 'private, no-cache'
            : 'public, max-age=300';
      assert.equal(headerOf(response, 'Cache-Control')?.example, expected, `${path} ${status}`);
      assert.equal('ETag' in response.headers, expected !== 'no-store', `${path} ${status}`);
      assert.equal(
        'Access-Control-Allow-Origin' in response.headers,
        path === '/openapi/v1.json' && expected !== 'no-store',
      );
    }
  }
});

test('the same addresses give the same document to the byte, and other addresses appear in it', () => {
  assert.equal(JSON.stringify(openApiDocument(addresses)), JSON.stringify(document));
  const other = JSON.stringify(openApiDocument({ baseUrl: 'http://127.0.0.1:8080', errorsUrl: 'https://errors.test' }));
  assert.ok(other.includes('"http://127.0.0.1:8080"') && other.includes('"https://errors.test/not-found"'));
  assert.ok(!other.includes('https://api.example.com/errors/not-found'));
});

test('the document is valid by the schema it gives for itself', () => {
  assert.deepEqual(check({ $ref: '#/components/schemas/OpenApiDocument' }, JSON.parse(JSON.stringify(document))), []);
});

test('the document in the repository is the one the code describes', () => {
  const stored = readFileSync(new URL('../../docs/openapi/v1.json', import.meta.url), 'utf8');
  assert.equal(stored, `${JSON.stringify(document, null, 2)}\n`, 'run "npm run generate"');
});
