import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { errorTable } from '../../src/contract/errors.ts';
import { contractLimits } from '../../src/contract/limits.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { errorResponse } from '../../src/contract/openapi-responses.ts';
import type { ErrorBody, MarketListBody, TickerListBody } from '../../src/contract/schemas.ts';
import { type ExampleResponse, exampleOf, exampleResponse } from './example-server.ts';
import { createResponseValidator, type ObservedResponse, statusesOf } from './response-validator.ts';

const document = openApiDocument({ baseUrl: 'http://127.0.0.1', errorsUrl: 'http://127.0.0.1/errors' });
const validate = createResponseValidator(document);

function good(path: string, status = 200, code?: string): ObservedResponse {
  return { method: 'GET', path, ...exampleResponse(document, path, 'get', status, code) };
}

/** Replaces members of a JSON body; `undefined` removes one. */
function withMembers(response: ObservedResponse, members: object): ObservedResponse {
  return withBody(response, (body) => ({ ...(body as object), ...members }));
}

function withBody<Body>(response: ObservedResponse, change: (body: Body) => unknown): ObservedResponse {
  return { ...response, body: JSON.stringify(change(JSON.parse(response.body as string))) };
}

function withHeader(response: ObservedResponse, name: string, value: string | undefined): ObservedResponse {
  return { ...response, headers: { ...(response.headers as ExampleResponse['headers']), [name]: value } };
}

function assertCaught(response: ObservedResponse, message: RegExp): void {
  assert.throws(() => validate(response), { name: 'AssertionError', message });
}

test('every response of the document, as its examples show it, is valid', () => {
  for (const path of Object.keys(document.paths)) {
    for (const method of ['get', 'head'] as const) {
      for (const status of statusesOf(document, path)) {
        const response = exampleResponse(document, path, method, status);
        validate({ method: method.toUpperCase(), path, ...response });
      }
    }
  }
});

test('headers may be those of fetch or of node:http, in any case, and the target may carry a query', () => {
  const response = good('/v1/ticker');
  const lowerCase = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  validate({ ...response, path: '/v1/ticker?symbol=BTCEUR', headers: lowerCase });
  validate({ ...response, headers: new Headers(response.headers as Record<string, string>) });
});

test('a compressed body is judged by what it holds', () => {
  const response = withHeader(good('/v1/tickers'), 'Content-Encoding', 'gzip');
  validate({ ...response, body: gzipSync(response.body) });
  assertCaught({ ...response, body: gzipSync('{"tickers":[{}]}') }, /required/);
});

test('a status, path or method that the document does not have for the answer is caught', () => {
  assertCaught({ ...good('/v1/status'), status: 503 }, /status 503 is not documented/);
  assertCaught({ ...good('/v1/time'), status: 304, body: '' }, /status 304 is not documented/);
  assertCaught({ ...good('/v1/time'), path: '/v1/times' }, /status 200 is not documented/);
  assertCaught({ ...good('/v1/time'), method: 'POST' }, /status 200 is not documented/);
  assertCaught({ ...good('/v1/time'), method: 'get' }, /status 200 is not documented/);
});

test('unknown paths answer 404 and other methods 405, in the documented shape', () => {
  const service = { errorsUrl: document.externalDocs.url, limits: contractLimits };
  const notFound = exampleOf(document, errorResponse(['NOT_FOUND'], service), 404);
  const notAllowed = exampleOf(document, errorResponse(['METHOD_NOT_ALLOWED'], service), 405);
  validate({ method: 'GET', path: '/v1/times', ...notFound });
  validate({ method: 'HEAD', path: '/nothing', ...notFound, body: '' });
  validate({ method: 'DELETE', path: '/v1/time', ...notAllowed });
  const { Allow, 'X-Request-Id': id, 'Cache-Control': caching } = notAllowed.headers;
  const uncounted = {
    ...notAllowed,
    headers: { Allow, 'X-Request-Id': id, 'Cache-Control': caching, 'Content-Type': 'application/problem+json' },
  };
  validate({ method: 'DELETE', path: '/errors/not-found', ...uncounted });
  validate({ method: 'FOO', path: '/v1/time', ...uncounted });
  assertCaught({ method: 'DELETE', path: '/v1/time', ...uncounted }, /X-RateLimit-Limit is missing/);
  assertCaught({ method: 'DELETE', path: '/v1/time', ...notFound }, /status 404 is not documented/);
  assertCaught({ method: 'GET', path: '/v1/times', ...notFound, headers: {} }, /X-Request-Id is missing/);
});

test('pages for people are out of scope but for their request id', () => {
  const page = { method: 'GET', path: '/errors/not-found', status: 200, body: '<!doctype html>' };
  validate({ ...page, headers: { 'Content-Type': 'text/html; charset=utf-8', 'X-Request-Id': 'x' } });
  assertCaught({ ...page, headers: { 'Content-Type': 'text/html' } }, /X-Request-Id is missing/);
  assertCaught({ ...page, path: '/v1/page', headers: { 'Content-Type': 'text/html' } }, /not documented/);
});

test('a missing or malformed header is caught', () => {
  const required = [
    ['/v1/time', 200, 'X-Request-Id'],
    ['/v1/time', 200, 'X-RateLimit-Limit'],
    ['/v1/time', 200, 'Cache-Control'],
    ['/v1/markets', 200, 'ETag'],
    ['/v1/markets', 304, 'Vary'],
    ['/v1/ticker', 200, 'X-Feed-Status'],
    ['/v1/tickers', 304, 'X-Feed-Status'],
    ['/v1/ticker', 404, 'X-RateLimit-Reset'],
    ['/v1/time', 401, 'WWW-Authenticate'],
    ['/v1/time', 429, 'Retry-After'],
    ['/v1/time', 503, 'Retry-After'],
    ['/openapi/v1.json', 200, 'Access-Control-Allow-Origin'],
  ] as const;
  for (const [path, status, name] of required) {
    assertCaught(withHeader(good(path, status), name, undefined), new RegExp(`header ${name} is missing`));
  }
  const malformed = [
    ['X-RateLimit-Remaining', '-1'],
    ['X-RateLimit-Remaining', '59.0'],
    ['X-RateLimit-Remaining', '61'],
    ['X-RateLimit-Reset', '1795255261'],
    ['Cache-Control', 'max-age=60'],
    ['X-Request-Id', 'short'],
    ['Content-Type', 'text/plain'],
  ] as const;
  for (const [name, value] of malformed) assertCaught(withHeader(good('/v1/time'), name, value), /./);
  assertCaught(withHeader(good('/v1/markets'), 'ETag', 'W/"weak"'), /ETag/);
  assertCaught(withHeader(good('/v1/tickers'), 'X-Feed-Status', 'fine'), /X-Feed-Status/);
  assertCaught(withHeader(good('/v1/time', 503), 'Retry-After', '0'), /Retry-After/);
  assertCaught(withHeader(good('/v1/time', 503), 'Retry-After', 'Fri, 21 Nov 2026 10:00:00 GMT'), /not an integer/);
});

test('a header that is not documented is caught', () => {
  assertCaught(withHeader(good('/v1/time'), 'X-Powered-By', 'x'), /x-powered-by is not documented/);
  assertCaught(withHeader(good('/v1/time'), 'Access-Control-Allow-Origin', '*'), /not documented/);
  assertCaught(withHeader(good('/v1/markets'), 'X-Feed-Status', 'operational'), /not documented/);
  assertCaught(withHeader(good('/v1/time'), 'Retry-After', '1'), /not documented/);
  assertCaught(
    withHeader(good('/v1/time', 400), 'X-RateLimit-Limit', undefined),
    /only some of the rate limit headers/,
  );
});

test('a body that its schema does not describe is caught', () => {
  assertCaught({ ...good('/v1/time'), body: '{' }, /not JSON/);
  assertCaught({ ...good('/v1/time'), body: 'null' }, /must be object/);
  assertCaught(withMembers(good('/v1/time'), { serverTime: undefined }), /serverTime/);
  assertCaught(withMembers(good('/v1/time'), { zone: 'UTC' }), /additional/);
  assertCaught(
    withMembers(good('/v1/status'), { components: { ticker: 'operational', rates: 'outage' } }),
    /additional/,
  );
  assertCaught(withMembers(good('/v1/status'), { maintenance: undefined }), /maintenance/);
  assertCaught(withMembers(good('/v1/status'), { status: 'fine' }), /status/);
  assertCaught(withMembers(good('/v1/ticker'), { vwap24h: null }), /vwap24h/);
  assertCaught(withMembers(good('/v1/ticker'), { buyPrice: 84631.2 }), /buyPrice/);
  assertCaught(withMembers(good('/v1/ticker'), { buyPrice: '1e7' }), /buyPrice/);
  assertCaught(
    withBody<TickerListBody>(good('/v1/tickers'), ({ tickers }) => tickers),
    /must be object/,
  );
});

test('two spellings of a time that are not the same instant are caught', () => {
  assertCaught(withMembers(good('/v1/time'), { serverTimeMs: 1795255200518 }), /another instant/);
  for (const other of [
    '2026-11-21T10:00:00.517000Z',
    '2026-11-21T10:00:00.517+00:00',
    '2026-11-21T11:00:00.517+01:00',
  ]) {
    assertCaught(withMembers(good('/v1/time'), { serverTime: other }), /another instant/);
  }
  assertCaught(
    withBody<TickerListBody>(good('/v1/tickers'), ({ tickers: [one] }) => ({ tickers: [{ ...one, timestampMs: 1 }] })),
    /tickers\/0\/timestampMs/,
  );
  assertCaught(withMembers(good('/v1/status'), { lastUpdatedAt: null }), /another instant/);
  assertCaught(withMembers(good('/v1/status'), { lastUpdatedAtMs: null }), /another instant/);
});

test('a list out of order, a symbol listed twice or misspelt, and a zero with a sign are caught', () => {
  assertCaught(
    withBody<MarketListBody>(good('/v1/markets'), ({ markets }) => ({ markets: markets.reverse() })),
    /not ordered/,
  );
  assertCaught(
    withBody<TickerListBody>(good('/v1/tickers'), ({ tickers: [one] }) => ({ tickers: [one, one] })),
    /listed twice/,
  );
  assertCaught(withMembers(good('/v1/ticker'), { symbol: 'ETHEUR' }), /not base and quote/);
  assertCaught(withMembers(good('/v1/ticker'), { priceChangePercent1h: '-0.00' }), /zero with a sign/);
});

test('an overall status that does not follow from its parts is caught', () => {
  assertCaught(withMembers(good('/v1/status'), { components: { ticker: 'outage' } }), /worst part is outage/);
  assertCaught(withMembers(good('/v1/status'), { status: 'degraded' }), /worst part is operational/);
  assertCaught(withMembers(good('/v1/status'), { status: 'maintenance' }), /maintenance differs/);
  const both = { status: 'maintenance', api: 'maintenance' };
  assertCaught(withMembers(good('/v1/status'), both), /maintenance differs/);
});

test('an Error that is not exactly the documented one is caught', () => {
  const unknown = good('/v1/ticker', 404, 'UNKNOWN_SYMBOL');
  assertCaught(withMembers(unknown, { detail: undefined }), /detail/);
  assertCaught(withMembers(unknown, { instance: '/x' }), /additional/);
  assertCaught(
    withBody<ErrorBody>(unknown, ({ type, ...rest }) => ({ ...rest, type })),
    /in order/,
  );
  assertCaught(withMembers(unknown, { status: 400 }), /not the HTTP status 404/);
  assertCaught(withMembers(unknown, { title: 'Not found' }), /title/);
  assertCaught(withMembers(unknown, { type: 'http://127.0.0.1/errors/not-found' }), /type is not/);
  assertCaught(withMembers(unknown, { requestId: '0123456789abcdef' }), /requestId/);
  assertCaught(withMembers(unknown, { detail: 'two\nlines' }), /detail/);
  const { status, title } = errorTable.INVALID_API_KEY;
  const type = 'http://127.0.0.1/errors/invalid-api-key';
  const misplaced = { type, title, status, code: 'INVALID_API_KEY' };
  assertCaught(withMembers(unknown, misplaced), /not documented for this response/);
});

test('an error that a limit counted must say so, and a 429 leaves nothing', () => {
  const uncounted = (response: ObservedResponse) =>
    ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].reduce(
      (rest, name) => withHeader(rest, name, undefined),
      response,
    );
  assertCaught(uncounted(good('/v1/ticker', 400, 'INVALID_PARAMETER')), /X-RateLimit-Limit is missing/);
  validate(uncounted(good('/v1/ticker', 400, 'BAD_REQUEST')));
  assertCaught(withHeader(good('/v1/time', 429), 'X-RateLimit-Remaining', '1'), /requests are left/);
});

test('a body where none may be is caught', () => {
  const head = { method: 'HEAD', path: '/v1/time', ...exampleResponse(document, '/v1/time', 'head', 200) };
  assertCaught({ ...head, body: '{}' }, /where none may be/);
  assertCaught({ ...good('/v1/markets', 304), body: '{}' }, /where none may be/);
});

test('every fault of a response is named, with the request and the body', () => {
  const response = withHeader(withHeader(good('/v1/time'), 'X-Request-Id', undefined), 'X-Leak', 'x');
  assertCaught(response, /GET \/v1\/time answered 200.*X-Request-Id is missing.*x-leak is not documented.*serverTime/s);
});
