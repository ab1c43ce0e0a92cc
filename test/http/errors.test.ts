import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from '../../src/board/page.ts';
import { type ErrorCode, errorTable, slugOf } from '../../src/contract/errors.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { type Answer, dataPage, instantJson, problem } from '../../src/http/answer.ts';
import type { Resource } from '../../src/http/resource.ts';
import { statusesOf } from '../contract/response-validator.ts';
import { exchange } from '../support/http-client.ts';
import type { RequestOptions } from '../support/listener-harness.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

const secret = 'postgres://user:hunter2@db';
const thrown: readonly unknown[] = [new Error(secret), secret, null, undefined, circular()];

function circular(): object {
  const self: { self?: object } = {};
  self.self = self;
  return self;
}

const throwing = thrown.map(
  (what, index): Resource => ({
    route: `/v1/throws-${index}`,
    answersInMaintenance: false,
    answer() {
      throw what;
    },
  }),
);

const badAnswers: readonly unknown[] = [
  undefined,
  null,
  {},
  { kind: 'something else' },
  problem('NO_SUCH_CODE' as ErrorCode, ''),
  { ...instantJson({}), extraHeaders: ['X-Split', 'a\r\nSet-Cookie: b'] },
  { ...instantJson({}), text: undefined },
  {
    ...dataPage({
      entityTag: () => '"a"',
      as() {
        throw new Error(secret);
      },
    } as unknown as Page),
  },
];

const unwritable = badAnswers.map(
  (answer, index): Resource => ({
    route: `/v1/unwritable-${index}`,
    answersInMaintenance: false,
    answer: () => answer as Answer,
  }),
);

describe('errors', () => {
  let api: ListenerHarness;
  before(async () => {
    api = await ListenerHarness.start({
      limits: { key: 1_000_000, address: 1_000_000, failedAuthentication: 1_000_000 },
      extra: [...throwing, ...unwritable],
    });
    api.list('BTC');
    api.tick('BTC', '50000.00', '50010.00');
  });
  after(() => api.stop());

  /** Asks, and checks the whole Error shape of the answer. */
  async function refused(target: string, code: ErrorCode, options: RequestOptions = {}): Promise<string> {
    const response = await api.get(target, options);
    const { status, title } = errorTable[code];
    assert.equal(response.status, status, target);
    assert.equal(response.headers['content-type'], 'application/problem+json');
    const { detail, requestId, ...rest } = json(response);
    assert.deepEqual(rest, { type: `http://127.0.0.1:${api.port}/errors/${slugOf(code)}`, title, status, code });
    assert.equal(requestId, response.headers['x-request-id']);
    assert.equal(response.headers['cache-control'], 'no-store');
    return String(detail);
  }

  test('no key is MISSING_API_KEY, with a challenge', async () => {
    await refused('/v1/time', 'MISSING_API_KEY', { key: null });
    const { headers } = await api.get('/v1/time', { key: null });
    assert.equal(headers['www-authenticate'], 'ApiKey realm="market-data"');
  });

  test('a key that is there but not one usable key is INVALID_API_KEY, the same for every cause, and is never echoed (fault row 19)', async () => {
    const unusable = api.addKey({ usable: false });
    const expired = api.addKey({ expiresAt: api.clock.now() });
    const broken = `${api.key.slice(0, -1)}${api.key.endsWith('0') ? '1' : '0'}`;
    const keys = [
      '',
      '""',
      `"${api.key}"`,
      `Bearer ${api.key}`,
      `${api.key} x`,
      `${api.key}, ${api.key}`,
      broken,
      unusable,
      expired,
      'x'.repeat(5000),
      'kl\xedc',
    ];
    const bodies = new Set<string>();
    for (const key of keys) {
      const detail = await refused('/v1/time', 'INVALID_API_KEY', { key });
      bodies.add(detail);
      if (key.length > 2) assert.ok(!detail.includes(key));
    }
    const twoLines = { 'X-EXCHANGE-APIKEY': api.key, 'x-exchange-apikey': api.key };
    bodies.add(await refused('/v1/time', 'INVALID_API_KEY', { key: null, headers: twoLines }));
    assert.equal(bodies.size, 1);
    assert.ok(!JSON.stringify(api.logged).includes('mdk_'));
  });

  test('spaces around a key belong to the header line, not to the key (fault row 19)', async () => {
    assert.equal((await api.get('/v1/time', { key: ` \t${api.key} \t` })).status, 200);
  });

  test('a path that does not exist is 404 with a key and 401 without, under /v1; 404 elsewhere (fault row 13)', async () => {
    await refused('/v1/nothing', 'NOT_FOUND');
    await refused('/v1', 'NOT_FOUND');
    await refused('/v1/time/', 'NOT_FOUND');
    await refused('/v1/../v1/time', 'NOT_FOUND');
    await refused('/v1//time', 'NOT_FOUND');
    await refused('/v1/nothing', 'MISSING_API_KEY', { key: null });
    for (const path of [
      '/V1/TIME',
      '//',
      '//v1/time',
      '///v1/time',
      '/v1.',
      '/v1time',
      '/v1%2Ftime',
      '/v2/time',
      '/favicon.png',
    ]) {
      await refused(path, 'NOT_FOUND', { key: null });
    }
    await refused('*', 'NOT_FOUND', { method: 'OPTIONS', key: null });
  });

  test('a path with broken percent-encoding is 400, after authentication under /v1 (fault row 13)', async () => {
    await refused('/v1/%zz', 'BAD_REQUEST');
    await refused('/v1/%zz', 'MISSING_API_KEY', { key: null });
    await refused('/%', 'BAD_REQUEST', { key: null });
  });

  test('an absolute target is served like its path (fault row 13)', async () => {
    assert.equal((await api.get(`http://api.example.com/v1/time`)).status, 200);
    assert.equal((await api.get('http://api.example.com', { key: null })).status, 200);
  });

  test('another method is 405 and says which are allowed (fault row 16)', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'OPTIONS', 'QUERY']) {
      for (const target of [
        '/v1/time',
        '/v1/status',
        '/v1/markets',
        '/v1/tickers',
        '/v1/ticker',
        '/',
        '/openapi/v1.json',
      ]) {
        await refused(target, 'METHOD_NOT_ALLOWED', { method });
      }
      const headers = { 'Content-Type': 'application/json', 'Content-Length': '0' };
      assert.equal((await api.get('/v1/time', { method, headers })).headers.allow, 'GET, HEAD');
    }
  });

  test('a symbol that is missing, repeated or malformed is 400, names the parameter and echoes nothing (fault row 14)', async () => {
    const queries = [
      '',
      '?',
      '?symbol',
      '?symbol=',
      '?symbol=%00',
      '?symbol=%0A',
      '?symbol=%zz',
      '?symbol=%F0%9F%98%80',
      '?symbol=%EF%BC%A2TCEUR',
      `?symbol=${'A'.repeat(7000)}`,
      '?symbol=%ED%A0%80',
      '?symbol=%C0%80BTCEUR',
      '?symbol=b%C4%B1tceur',
      '?symbol=BTCEUR%00',
      '?symbol=%EF%BB%BFBTCEUR',
      '?symbol=BTCEUR;symbol=ETHEUR',
      '?symbol=BTCEUR&%73ymbol=BTCEUR',
      '?symbol=BTCEUR&symbol=ETHEUR',
      '?symbol[]=BTCEUR',
      '?Symbol=BTCEUR',
      '?symbol=BTC%2FEUR',
      '?symbol=BTC%20EUR',
      '?symbol=BTC+EUR',
      '?symbol=%C4%B0BTCEUR',
      '?symbol=B',
    ];
    for (const query of queries) {
      const detail = await refused(`/v1/ticker${query}`, 'INVALID_PARAMETER');
      assert.match(detail, /"symbol"/);
      assert.doesNotMatch(detail, /[^\x20-\x7e]|AAAA/);
    }
  });

  test('a symbol that no market has is 404 UNKNOWN_SYMBOL (fault row 15)', async () => {
    for (const symbol of ['NOPEEUR', 'BTCUSD', '__proto__'.replaceAll('_', 'X')]) {
      await refused(`/v1/ticker?symbol=${symbol}`, 'UNKNOWN_SYMBOL');
    }
  });

  test('unknown parameters change nothing, however many or hostile, and cost no more than milliseconds (fault row 18)', async () => {
    const crowds = [
      Array.from({ length: 3900 }, () => 'a'),
      Array.from({ length: 1000 }, (_, index) => `a${index}`),
      Array.from({ length: 500 }, (_, index) => `%73ymbo${index % 10}=%zz`),
      ['__proto__=1', 'constructor=2', 'prototype=3', 'toString=4', '__proto__[symbol]=ETHEUR'],
    ];
    for (const crowd of crowds) {
      const tookMs: number[] = [];
      for (let attempt = 0; attempt < 10; attempt++) {
        const startedMs = performance.now();
        assert.equal((await api.get(`/v1/ticker?${crowd.join('&')}&symbol=BTCEUR`)).status, 200);
        tookMs.push(performance.now() - startedMs);
      }
      assert.ok(Math.min(...tookMs) < 50, `the best of ten took ${Math.min(...tookMs)} ms`);
    }
    assert.equal((await api.get('/v1/time?x=1')).status, 200);
  });

  test('whatever a resource throws is 500 in the same shape, with the limit counted, and the cause only in the log (fault row 34)', async () => {
    for (const resource of throwing) {
      const detail = await refused(resource.route, 'INTERNAL_ERROR');
      assert.ok(!detail.includes('hunter2'));
      assert.ok((await api.get(resource.route)).headers['x-ratelimit-remaining']);
    }
    const last = api.logged.at(-1)!;
    assert.equal(last.message, 'a request failed');
    assert.match(String((last.fields as { requestId: string }).requestId), /^[0-9a-f]{32}$/);
  });

  test('an answer that is none, or cannot be written, is 500 too and never an empty 200 (fault row 35)', async () => {
    for (const { route } of unwritable) {
      await refused(route, 'INTERNAL_ERROR');
      assert.equal(api.listener.counts.byRouteAndStatus.get(route)?.get(200), undefined);
    }
  });

  test('a client never chooses the request identifier, and no two answers share one (fault row 37)', async () => {
    const seen = new Set<string>();
    for (const sent of ['mine', 'x'.repeat(7000), '<script>', 'a\r\nX-Injected: b', '\xff\xfe']) {
      const { headers } = await api.get('/v1/time', { headers: { 'X-Request-Id': sent } });
      assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{32}$/);
      assert.equal(headers['x-injected'], undefined);
      seen.add(headers['x-request-id']!);
    }
    assert.equal(seen.size, 5);
  });

  test('Host and X-Forwarded headers reach no body (fault row 31)', async () => {
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'gopher' };
    for (const target of ['/', '/openapi/v1.json', '/v1/nothing']) {
      const { body } = await api.get(target, { headers });
      assert.doesNotMatch(body.toString(), /evil|gopher/);
    }
  });
});

describe('GET /v1/status', () => {
  test('gives the answers of the contract, and those of HTTP that the document lists for all operations, and no other', async (t) => {
    const connections = { headersTimeoutMs: 300, requestTimeoutMs: 400, connectionsCheckIntervalMs: 50 };
    const api = await ListenerHarness.start({ clock: systemClock, limits: { key: 3 }, connections });
    t.after(() => api.stop());
    const ask = async (text: string) => (await exchange(api.port, text)).responses[0]!.status;
    const whole = api.requestText('/v1/status');
    const seen = [
      await ask(whole),
      await ask(whole.replace(/Host: .*\r\n/, '')),
      await ask(api.requestText('/v1/status', { key: null })),
      await ask(whole.replace('\r\n\r\n', '\r\n')),
      await ask(api.requestText('/v1/status', { headers: { Expect: 'foo' } })),
      await ask(api.requestText('/v1/status', { headers: { 'X-Long': 'a'.repeat(9_000) } })),
    ];
    t.mock.method(api.service, 'status', () => {
      throw new Error('a fault of ours');
    });
    do seen.push(await ask(whole));
    while (!seen.includes(429));
    const own = Object.keys(api.document.paths['/v1/status']!.get.responses);
    assert.deepEqual(own, ['200', '401', '429', 'default']);
    assert.deepEqual([...new Set(seen)].sort(), [...statusesOf(api.document, '/v1/status')].sort());
  });
});
