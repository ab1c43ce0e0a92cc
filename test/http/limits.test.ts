import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { seed, sized } from '../faults/full-size.ts';
import { FakeClock, seededRandomness } from '../support/fake-clock.ts';
import { exchange, type WireResponse } from '../support/http-client.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

describe('the three limits', () => {
  const startOfMinute = '2026-11-21T10:00:00.000Z';
  let clock: FakeClock;
  let api: ListenerHarness;

  beforeEach(async () => {
    clock = new FakeClock(startOfMinute);
    api = await ListenerHarness.start({ clock });
  });
  afterEach(() => api.stop());

  const figures = ({ headers }: WireResponse) =>
    ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => Number(headers[name]));

  /** Asks as often and gives the statuses. */
  async function statuses(count: number, target: string, key?: string | null): Promise<number[]> {
    const found: number[] = [];
    for (let sent = 0; sent < count; sent++) {
      found.push((await api.get(target, key === undefined ? {} : { key })).status);
    }
    return found;
  }

  const times = (count: number, status: number) => Array.from({ length: count }, () => status);
  const reset = Date.parse(startOfMinute) / 1000 + 60;

  test('a key has 60 requests a minute over all endpoints together, and every answer says what is left (fault row 28)', async () => {
    const targets = ['/v1/time', '/v1/status', '/v1/markets', '/v1/tickers', '/v1/ticker', '/v1/nothing'];
    for (let used = 1; used <= 60; used++) {
      const response = await api.get(targets[used % targets.length]!);
      assert.notEqual(response.status, 429);
      assert.deepEqual(figures(response), [60, 60 - used, reset]);
    }
    clock.jump(15_500);
    const refused = await api.get('/v1/time');
    assert.deepEqual([refused.status, json(refused).code], [429, 'RATE_LIMIT_EXCEEDED']);
    assert.deepEqual(figures(refused), [60, 0, reset]);
    assert.equal(refused.headers['retry-after'], '45', 'the ceiling of 44.5 s');
  });

  test('an address without a key has 30 a minute for the root, the description document and unknown paths together (fault row 28)', async () => {
    const targets = ['/', '/openapi/v1.json', '/nothing'];
    for (let used = 1; used <= 30; used++) {
      const response = await api.get(targets[used % targets.length]!, { key: null });
      assert.deepEqual(figures(response), [30, 30 - used, reset]);
    }
    for (const target of targets) assert.equal((await api.get(target, { key: null })).status, 429);
  });

  test('an address has 10 failed authentications a minute, of both kinds together (fault row 22)', async () => {
    for (let used = 1; used <= 10; used++) {
      const response = await api.get('/v1/time', { key: used % 2 === 0 ? null : 'wrong' });
      assert.equal(response.status, 401);
      assert.deepEqual(figures(response), [10, 10 - used, reset]);
    }
    const refused = await api.get('/v1/time', { key: 'wrong' });
    assert.deepEqual([refused.status, ...figures(refused)], [429, 10, 0, reset]);
    assert.equal(refused.headers['retry-after'], '60');
  });

  test('the counters are independent: using one up changes neither of the others (fault row 28)', async () => {
    assert.deepEqual(await statuses(11, '/v1/time', 'wrong'), [...times(10, 401), 429]);
    assert.deepEqual(await statuses(31, '/', null), [...times(30, 200), 429]);
    assert.deepEqual(await statuses(61, '/v1/time'), [...times(60, 200), 429]);
    const other = api.addKey();
    assert.equal((await api.get('/v1/time', { key: other })).status, 200, 'each key has its own');
  });

  test('outside /v1 a key is not looked at (fault row 28)', async () => {
    assert.deepEqual(await statuses(31, '/openapi/v1.json'), [...times(30, 200), 429]);
    assert.deepEqual(figures(await api.get('/v1/time')), [60, 59, reset]);
  });

  test('pages for people are not counted', async () => {
    assert.equal((await api.get('/errors/not-found', { key: null })).headers['x-ratelimit-limit'], undefined);
    assert.deepEqual(figures(await api.get('/', { key: null })), [30, 29, reset]);
  });

  test('windows start with the minute; a client that waits Retry-After is never refused by the same window (fault row 25)', async () => {
    const random = seededRandomness(seed);
    const anywhere = Array.from({ length: sized(50, 1000) }, () => Math.floor(random.fraction() * 60_000));
    for (const offsetMs of [0, 1, 29_999, 59_000, 59_001, 59_990, 59_999, ...anywhere]) {
      const key = api.addKey({ limitPerMinute: 1 });
      clock.jump(offsetMs);
      assert.equal((await api.get('/v1/time', { key })).status, 200);
      const refused = await api.get('/v1/time', { key });
      assert.equal(refused.status, 429);
      const seconds = Number(refused.headers['retry-after']);
      assert.ok(seconds >= 1);
      clock.jump(seconds * 1000);
      assert.equal((await api.get('/v1/time', { key })).status, 200, `after ${offsetMs} ms`);
      clock.jump(60_000 - (clock.now() % 60_000));
    }
  });

  test('a key of its own limit is counted by that', async () => {
    const key = api.addKey({ limitPerMinute: 3 });
    assert.deepEqual(await statuses(4, '/v1/time', key), [200, 200, 200, 429]);
    assert.deepEqual(figures(await api.get('/v1/time', { key })), [3, 0, reset]);
  });

  test('a wall clock set back re-opens no spent window (fault row 27)', async () => {
    const key = api.addKey({ limitPerMinute: 2 });
    assert.deepEqual(await statuses(3, '/v1/time', key), [200, 200, 429]);
    clock.jump(-90_000);
    const refused = await api.get('/v1/time', { key });
    assert.equal(refused.status, 429);
    const [, , resetAt = 0] = figures(refused);
    assert.equal(resetAt % 60, 0);
    assert.equal(Number(refused.headers['retry-after']), Math.ceil(resetAt - clock.now() / 1000));
    clock.jump(90_000 + 60_000);
    assert.equal((await api.get('/v1/time', { key })).status, 200);
  });

  test('a wall clock set forward an hour, or slewed, leaves every figure right and no key shut out (fault row 27)', async () => {
    const key = api.addKey({ limitPerMinute: 2 });
    assert.deepEqual(await statuses(3, '/v1/time', key), [200, 200, 429]);
    clock.jump(3_600_000);
    assert.deepEqual(await statuses(3, '/v1/time', key), [200, 200, 429]);
    clock.jump(60_000);
    for (let step = 0; step < 200; step++) {
      // A second that lasts 1,001 ms, now and then with a step back of a few.
      clock.jump(step % 7 === 0 ? -3 : 1001);
      const { status, headers } = await api.get('/v1/time', { key });
      const resetSeconds = Number(headers['x-ratelimit-reset']);
      const secondsLeft = resetSeconds - clock.now() / 1000;
      assert.equal(resetSeconds % 60, 0);
      assert.ok(secondsLeft > -0.01 && secondsLeft <= 60.01, `${secondsLeft} s are left`);
      if (status === 429) assert.equal(Number(headers['retry-after']), Math.max(1, Math.ceil(secondsLeft)));
    }
  });

  test('of a burst over the turn of a minute each answer belongs to exactly one window, and its figures agree (fault row 24)', async () => {
    const key = api.addKey();
    const used = new Map<number, number>();
    clock.jump(59_990);
    for (let step = 0; step < 20; step++) {
      const ask = api.requestText('/v1/time', { key, headers: { Connection: 'keep-alive' } });
      const last = api.requestText('/v1/time', { key });
      const { responses } = await exchange(api.port, ask.repeat(6) + last);
      const now = clock.now();
      for (const response of responses) {
        api.validate('GET', '/v1/time', response);
        const [limit, remaining, resetSeconds = 0] = figures(response);
        const before = used.get(resetSeconds) ?? 0;
        assert.equal(resetSeconds, (Math.floor(now / 60_000) + 1) * 60);
        assert.equal(response.status, before < 60 ? 200 : 429);
        assert.deepEqual([limit, remaining], [60, Math.max(0, 59 - before)]);
        if (response.status === 429) {
          assert.equal(Number(response.headers['retry-after']), Math.max(1, Math.ceil(resetSeconds - now / 1000)));
        }
        used.set(resetSeconds, before + 1);
      }
      clock.jump(1);
    }
    assert.deepEqual([...used.values()], [70, 70]);
  });

  test('100 requests written at once on one connection are answered in order: 60 times 200, then 40 times 429 (fault row 9)', async () => {
    const keepAlive = api.requestText('/v1/time', { headers: { Connection: 'keep-alive' } });
    const { responses, rest } = await exchange(api.port, keepAlive.repeat(99) + api.requestText('/v1/time'));
    assert.equal(rest.length, 0);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [...times(60, 200), ...times(40, 429)],
    );
    assert.deepEqual(
      responses.slice(0, 60).map((response) => figures(response)[1]),
      Array.from({ length: 60 }, (_, index) => 59 - index),
    );
    for (const response of responses) api.validate('GET', '/v1/time', response);
  });

  test('what is answered 304, 400, 404, 405 and 503 is counted too', async () => {
    const key = api.addKey();
    const asked: [string, string][] = [
      ['GET', '/v1/ticker'],
      ['GET', '/v1/nothing'],
      ['POST', '/v1/time'],
      ['GET', '/v1/tickers'],
      ['GET', '/v1/%zz'],
    ];
    for (const [index, [method, target]] of asked.entries()) {
      assert.deepEqual(figures(await api.get(target, { method, key })), [60, 59 - index, reset], target);
    }
  });
});

describe('the address that is counted', () => {
  let api: ListenerHarness;
  beforeEach(async () => {
    api = await ListenerHarness.start({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
  });
  afterEach(() => api.stop());

  const remaining = async (forwardedFor: string) => {
    const { headers } = await api.get('/', { key: null, headers: { 'X-Forwarded-For': forwardedFor } });
    return Number(headers['x-ratelimit-remaining']);
  };

  test('is the right-most entry of X-Forwarded-For that no trusted proxy wrote, however it is spelled (fault row 31)', async () => {
    assert.equal(await remaining('203.0.113.7'), 29);
    assert.equal(await remaining('6.6.6.6, 203.0.113.7'), 28, 'what a client wrote itself does not count');
    assert.equal(await remaining('203.0.113.7, 10.1.2.3'), 27);
    assert.equal(await remaining('203.0.113.7:5555'), 26);
    assert.equal(await remaining('::ffff:203.0.113.7'), 25);
    assert.equal(await remaining('203.0.113.8'), 29);
  });

  test('is the /64 of an IPv6 address (fault rows 30 and 31)', async () => {
    assert.equal(await remaining('2001:db8:1:2::1'), 29);
    assert.equal(await remaining('[2001:DB8:1:2:ffff::9]:443'), 28);
    assert.equal(await remaining('2001:db8:1:3::1'), 29);
  });

  test('is the nearest known hop when the header is garbage, empty, in several lines, or endless (fault row 31)', async () => {
    const own = await remaining('');
    for (const [index, garbage] of [
      'unknown',
      'garbage',
      ',,,',
      '"',
      '1.2.3.4.5',
      '<script>',
      '[::1',
      '\xff',
    ].entries()) {
      assert.equal(await remaining(garbage), own - 1 - index, garbage);
    }
    assert.equal(await remaining('198.51.100.1, garbage'), own - 9, 'what is left of garbage is not trusted');
    const twoLines = { 'X-Forwarded-For': '6.6.6.6', 'x-forwarded-for': '198.51.100.2' };
    const { headers } = await api.get('/', { key: null, headers: twoLines });
    assert.equal(headers['x-ratelimit-remaining'], '29');
    assert.equal(await remaining('198.51.100.2'), 28);
    assert.equal(await remaining(`${'1.1.1.1,'.repeat(900)}198.51.100.2`), 27);
    const hops = Array.from({ length: 700 }, () => '10.0.0.1').join();
    assert.equal(await remaining(`198.51.100.3,${hops}`), 29, 'of too many hops the last one that is looked at counts');
  });

  test('is the socket’s own when the peer is not trusted (fault row 31)', async () => {
    const untrusting = await ListenerHarness.start();
    const spoof = (from: string) => untrusting.get('/', { key: null, headers: { 'X-Forwarded-For': from } });
    assert.equal((await spoof('1.1.1.1')).headers['x-ratelimit-remaining'], '29');
    assert.equal((await spoof('2.2.2.2')).headers['x-ratelimit-remaining'], '28');
    await untrusting.stop();
  });
});
