import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ErrorCode, errorTable } from '../../src/contract/errors.ts';
import { problem } from '../../src/http/answer.ts';
import type { Resource } from '../../src/http/resource.ts';
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

describe('errors', () => {
  let api: ListenerHarness;
  before(async () => {
    const broken: Resource = {
      ...throwing[0]!,
      route: '/v1/unwritable',
      answer: () => problem('NO_SUCH_CODE' as ErrorCode, ''),
    };
    api = await ListenerHarness.start({
      limits: { key: 1_000_000, address: 1_000_000, failedAuthentication: 1_000_000 },
      extra: [...throwing, broken],
    });
    api.list('BTC');
    api.tick('BTC', '50000.00', '50010.00');
  });
  after(() => api.stop());

  /** Asks, and checks the whole Error shape of the answer. */
  async function refused(target: string, code: ErrorCode, options: RequestOptions = {}): Promise<string> {
    const response = await api.get(target, options);
    const { status, title, slug } = errorTable[code];
    assert.equal(response.status, status, target);
    assert.equal(response.headers['content-type'], 'application/problem+json');
    const { detail, requestId, ...rest } = json(response);
    assert.deepEqual(rest, { type: `http://127.0.0.1:${api.port}/errors/${slug}`, title, status, code });
    assert.equal(requestId, response.headers['x-request-id']);
    assert.equal(response.headers['cache-control'], 'no-store');
    return String(detail);
  }

  test('no key is MISSING_API_KEY, with a challenge', async () => {
    await refused('/v1/time', 'MISSING_API_KEY', { key: null });
    const { headers } = await api.get('/v1/time', { key: null });
    assert.equal(headers['www-authenticate'], 'ApiKey realm="market-data"');
  });

  test('a key that is there but not one usable key is INVALID_API_KEY, the same for every cause, and is never echoed', async () => {
    const unusable = api.addKey({ usable: false });
    const expired = api.addKey({ expiresAt: api.clock.now() });
    const broken = `${api.key.slice(0, -1)}${api.key.endsWith('0') ? '1' : '0'}`;
    const keys = [
      '',
      '""',
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
    assert.equal(bodies.size, 1);
  });

  test('a path that does not exist is 404 with a key and 401 without, under /v1; 404 elsewhere', async () => {
    await refused('/v1/nothing', 'NOT_FOUND');
    await refused('/v1', 'NOT_FOUND');
    await refused('/v1/time/', 'NOT_FOUND');
    await refused('/v1/nothing', 'MISSING_API_KEY', { key: null });
    for (const path of ['/V1/TIME', '//v1/time', '/v1%2Ftime', '/v2/time', '/favicon.ico']) {
      await refused(path, 'NOT_FOUND', { key: null });
    }
    await refused('*', 'NOT_FOUND', { method: 'OPTIONS', key: null });
  });

  test('a path with broken percent-encoding is 400, after authentication under /v1', async () => {
    await refused('/v1/%zz', 'BAD_REQUEST');
    await refused('/v1/%zz', 'MISSING_API_KEY', { key: null });
    await refused('/%', 'BAD_REQUEST', { key: null });
  });

  test('an absolute target is served like its path', async () => {
    assert.equal((await api.get(`http://api.example.com/v1/time`)).status, 200);
    assert.equal((await api.get('http://api.example.com', { key: null })).status, 200);
  });

  test('another method is 405 and says which are allowed', async () => {
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
      assert.equal((await api.get('/v1/time', { method })).headers.allow, 'GET, HEAD');
    }
  });

  test('a symbol that is missing, repeated or malformed is 400, names the parameter and echoes nothing', async () => {
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
      `?symbol=${'A'.repeat(5000)}`,
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

  test('a symbol that no market has is 404 UNKNOWN_SYMBOL', async () => {
    for (const symbol of ['NOPEEUR', 'BTCUSD', '__proto__'.replaceAll('_', 'X')]) {
      await refused(`/v1/ticker?symbol=${symbol}`, 'UNKNOWN_SYMBOL');
    }
  });

  test('unknown parameters change nothing, however many', async () => {
    const many = Array.from({ length: 1500 }, (_, index) => `a${index}`).join('&');
    assert.equal((await api.get(`/v1/ticker?${many}&symbol=BTCEUR&__proto__=1&constructor=2`)).status, 200);
    assert.equal((await api.get('/v1/time?x=1')).status, 200);
  });

  test('whatever a resource throws is 500 in the same shape, with the limit counted, and the cause only in the log', async () => {
    for (const resource of throwing) {
      const detail = await refused(resource.route, 'INTERNAL_ERROR');
      assert.ok(!detail.includes('hunter2'));
      assert.ok((await api.get(resource.route)).headers['x-ratelimit-remaining']);
    }
    const last = api.logged.at(-1)!;
    assert.equal(last.message, 'a request failed');
    assert.match(String((last.fields as { requestId: string }).requestId), /^[0-9a-f]{32}$/);
  });

  test('an answer that cannot be written is 500 too', async () => {
    await refused('/v1/unwritable', 'INTERNAL_ERROR');
  });

  test('a client never chooses the request identifier, and no two answers share one', async () => {
    const seen = new Set<string>();
    for (const sent of ['mine', 'x'.repeat(4000), '<script>']) {
      const { headers } = await api.get('/v1/time', { headers: { 'X-Request-Id': sent } });
      assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{32}$/);
      seen.add(headers['x-request-id']!);
    }
    assert.equal(seen.size, 3);
  });

  test('Host and X-Forwarded headers reach no body', async () => {
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'gopher' };
    for (const target of ['/', '/openapi/v1.json', '/v1/nothing']) {
      const { body } = await api.get(target, { headers });
      assert.doesNotMatch(body.toString(), /evil|gopher/);
    }
  });
});
