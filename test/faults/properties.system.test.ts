import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { errorTable } from '../../src/contract/errors.ts';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import { createResponseValidator, type ResponseValidator } from '../contract/response-validator.ts';
import type { WireResponse } from '../support/http-client.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';
import { seed, sized } from './full-size.ts';
import { type GeneratedRequest, requestsOf } from './generated-requests.ts';
import { assertSound, startHealthy } from './oracle.ts';

const priced = ['BTCEUR', 'BTCCZK'];
const unpriced = ['ETHEUR', 'ETHCZK'];
const delisted = ['XRPEUR'];
const pages = /^\/(docs|errors(\/[a-z-]+)?|status)$/;

/** What the contract alone says the answer's code must be: one of these, `OK` for 200 and 304. */
function expectedCodes(
  request: GeneratedRequest,
  document: OpenApiDocument,
  state: 'usual' | 'maintenance',
): readonly string[] {
  const { method, path, key } = request;
  const keyed = path === '/v1' || path.startsWith('/v1/');
  if (keyed && key.kind === 'absent') return ['MISSING_API_KEY'];
  if (keyed && key.kind === 'bad') return ['INVALID_API_KEY'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (document.paths[path] === undefined) {
    if (pages.test(path)) return isRead ? ['OK', 'NOT_FOUND'] : ['METHOD_NOT_ALLOWED', 'NOT_FOUND'];
    return [/%(?![0-9A-Fa-f]{2})/.test(path) ? 'BAD_REQUEST' : 'NOT_FOUND'];
  }
  if (!isRead) return ['METHOD_NOT_ALLOWED'];
  if (keyed && state === 'maintenance' && path !== '/v1/status') return ['SERVICE_MAINTENANCE'];
  return path === '/v1/ticker' ? [expectedOfTicker(request)] : ['OK'];
}

function expectedOfTicker({ query }: GeneratedRequest): string {
  const values = query.filter(([name]) => decoded(name) === 'symbol').map(([, value]) => decoded(value ?? ''));
  const symbol = values[0];
  if (values.length !== 1 || symbol === undefined || !/^[0-9A-Za-z]{2,32}$/.test(symbol)) return 'INVALID_PARAMETER';
  const canonical = symbol.toUpperCase();
  if (priced.includes(canonical)) return 'OK';
  return unpriced.includes(canonical) ? 'MARKET_DATA_UNAVAILABLE' : 'UNKNOWN_SYMBOL';
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

describe('every operation of the served document', () => {
  let api: ListenerHarness;
  let document: OpenApiDocument;
  let validate: ResponseValidator;
  let wire: Wire | undefined;

  before(async () => {
    api = await startHealthy();
    api.list('BTC', 'ETH', 'XRP');
    const delistedAt = api.clock.now();
    api.markets.applyControls([{ symbol: 'XRPEUR' as MarketSymbol, operatorPaused: false, delistedAt }]);
    document = json<OpenApiDocument & Record<string, unknown>>(await api.get('/openapi/v1.json', { key: null }));
    validate = createResponseValidator(document);
  });
  after(() => {
    wire?.close();
    return api.stop();
  });

  async function ask({ method, path, query, headers, key }: GeneratedRequest): Promise<WireResponse> {
    const written = query.map(([name, value]) => (value === undefined ? name : `${name}=${value}`)).join('&');
    const target = query.length === 0 ? path : `${path}?${written}`;
    const sent = { Connection: 'keep-alive', ...headers };
    const keyText = key.kind === 'valid' ? api.key : key.kind === 'absent' ? null : key.text;
    if (wire === undefined || wire.isClosed) wire = await Wire.open(api.port);
    return wire.ask(api.requestText(target, { method, key: keyText, headers: sent }));
  }

  /** Asks, and holds the answer against the document and against what the contract says of such a request. */
  async function check(request: GeneratedRequest, state: 'usual' | 'maintenance'): Promise<string> {
    const response = await ask(request);
    const { status, headers, body } = response;
    const { method, path } = request;
    if (status === 404 && headers['content-type']?.startsWith('text/html')) {
      assert.ok(!path.startsWith('/v1') && request.headers.Accept?.includes('text/html'), `a page at ${path}`);
      return 'NOT_FOUND';
    }
    assertSound(response, method !== 'HEAD');
    validate({ method, path, status, headers, body });
    const expected = expectedCodes(request, document, state);
    if (method === 'HEAD') {
      const statuses = expected.flatMap((code) =>
        code === 'OK' ? [200, 304] : [errorTable[code as keyof typeof errorTable].status],
      );
      assert.ok(statuses.includes(status), `${status}, expected ${expected}`);
      return String(status);
    }
    const code = status < 400 ? 'OK' : String(json(response).code);
    assert.ok(expected.includes(code), `${status} ${code}, expected ${expected}`);
    if (status === 405) assert.equal(headers.allow, 'GET, HEAD');
    return code;
  }

  async function checkMany(t: TestContext, runs: number, state: 'usual' | 'maintenance'): Promise<Map<string, number>> {
    const seen = new Map<string, number>();
    const property = fc.asyncProperty(requestsOf(document, [...priced, ...unpriced, ...delisted]), async (request) => {
      const code = await check(request, state);
      seen.set(code, (seen.get(code) ?? 0) + 1);
    });
    await fc.assert(property, { seed, numRuns: runs });
    t.diagnostic(`${runs} requests: ${JSON.stringify([...seen])}`);
    return seen;
  }

  test(`answers valid and invalid requests exactly as it is documented and as the contract says (seed ${seed})`, async (t) => {
    const seen = await checkMany(t, sized(2500, 20_000), 'usual');
    const codes = ['OK', 'INVALID_PARAMETER', 'MISSING_API_KEY', 'INVALID_API_KEY', 'UNKNOWN_SYMBOL', 'NOT_FOUND'];
    for (const code of [...codes, 'BAD_REQUEST', 'METHOD_NOT_ALLOWED', 'MARKET_DATA_UNAVAILABLE']) {
      assert.ok(seen.has(code), `${code} came up`);
    }
  });

  test(`does so during maintenance too (seed ${seed})`, async (t) => {
    const from = api.clock.now();
    api.service.setWindows([{ from, to: (from + 600_000) as EpochMs, description: 'Upgrade' }]);
    const seen = await checkMany(t, sized(500, 4000), 'maintenance');
    assert.ok(seen.has('SERVICE_MAINTENANCE') && seen.has('OK'));
    api.service.setWindows([]);
  });
});

describe('a limit that is used up', () => {
  test(`refuses every operation and method in the documented form, and leaves the other limits alone (seed ${seed})`, async (t) => {
    const api = await ListenerHarness.start({ limits: { key: 1, address: 1, failedAuthentication: 1 } });
    t.after(() => api.stop());
    await api.get('/v1/time');
    await api.get('/', { key: null });
    await api.get('/v1/time', { key: null });
    const requests = requestsOf(api.document, priced);
    const property = fc.asyncProperty(requests, async ({ method, path, key }) => {
      if (pages.test(path)) return;
      const text = key.kind === 'valid' ? api.key : key.kind === 'absent' ? null : key.text;
      const response = await api.get(path, { method, key: text });
      assert.equal(response.status, 429);
      assert.equal(response.headers['x-ratelimit-remaining'], '0');
    });
    await fc.assert(property, { seed, numRuns: sized(300, 5000) });
  });
});
