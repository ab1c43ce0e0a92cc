import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ServiceHarness } from '../support/service-harness.ts';

/** What the issue asks for, by the name it has here. */
const wanted: Readonly<Record<string, 'counter' | 'gauge'>> = {
  mdapi_requests_total: 'counter',
  mdapi_errors_total: 'counter',
  mdapi_limited_requests_total: 'counter',
  mdapi_connections_open: 'gauge',
  mdapi_connections_dropped_total: 'counter',
  mdapi_connections_cut_total: 'counter',
  mdapi_api_keys: 'gauge',
  mdapi_store_reachable: 'gauge',
  mdapi_store_file_whole: 'gauge',
  mdapi_store_mass_change_held: 'gauge',
  mdapi_service_status: 'gauge',
  mdapi_market_data_age_seconds: 'gauge',
  mdapi_rate_age_seconds: 'gauge',
  mdapi_rate_valid: 'gauge',
  mdapi_markets: 'gauge',
  mdapi_markets_missing: 'gauge',
  mdapi_markets_without_price: 'gauge',
  mdapi_feed_path: 'gauge',
  mdapi_feed_connections_total: 'counter',
  mdapi_feed_connections_ended_total: 'counter',
  mdapi_feed_connections_renewed_total: 'counter',
  mdapi_feed_frames_total: 'counter',
  mdapi_feed_frames_dropped_total: 'counter',
  mdapi_feed_tickers_total: 'counter',
  mdapi_feed_tickers_rejected_total: 'counter',
  mdapi_feed_polls_total: 'counter',
  mdapi_feed_catalogue_loads_total: 'counter',
  mdapi_feed_symbols_subscribed: 'gauge',
  mdapi_feed_symbols_rejected: 'gauge',
  mdapi_feed_pairs_skipped: 'gauge',
  mdapi_feed_symbols_quiet: 'gauge',
  mdapi_event_loop_delay_seconds: 'gauge',
  mdapi_build_info: 'gauge',
};

/** A step of a derivation as it is served. */
interface Step {
  readonly step: string;
  readonly value: string;
  readonly stepCode: { readonly code: string };
}

describe('the private listener', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  before(async () => {
    const settings = { 'limits.address': '5', 'limits.failedAuthentication': '3' };
    service = await ServiceHarness.start({ after: (run) => cleanups.push(run as () => unknown) }, { settings });
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  test('says that the process lives, and is ready while it serves', async () => {
    const live = await service.admin('/livez');
    assert.deepEqual([live.status, await live.json()], [200, { live: true }]);
    const ready = await service.admin('/readyz');
    assert.deepEqual([ready.status, ready.headers.get('cache-control')], [200, 'no-store']);
    assert.deepEqual(await ready.json(), { ready: true, phase: 'serving', notes: [], conditions: [] });
  });

  test('has every metric, with a type and a help text', async () => {
    const response = await service.admin('/metrics');
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4; charset=utf-8$/);
    const { types } = await service.metrics();
    for (const [name, type] of Object.entries(wanted)) assert.equal(types.get(name), type, name);
  });

  test('counts each request by route and status, each error by code and each refusal by limit', async () => {
    const { api } = service;
    const before = await service.metrics();
    const asked: readonly (readonly [target: string, key: string | null | undefined, route: string, status: string])[] =
      [
        ['/v1/time', undefined, '/v1/time', '200'],
        ['/v1/tickers', undefined, '/v1/tickers', '200'],
        ['/v1/tickers?a=b', undefined, '/v1/tickers', '200'],
        ['/v1/ticker?symbol=BTCEUR', undefined, '/v1/ticker', '200'],
        ['/v1/ticker?symbol=NOSUCHEUR', undefined, '/v1/ticker', '404'],
        ['/v1/ticker', undefined, '/v1/ticker', '400'],
        ['/v1/none-such', undefined, 'unmatched', '404'],
        ['/v1/time', null, 'unmatched', '401'],
        ['/v1/time', 'wrong', 'unmatched', '401'],
      ];
    for (const [target, key] of asked) await api.get(target, { key: key as string | null });
    const now = await service.metrics();
    const grown = (name: string, labels: Record<string, string>) =>
      now.value(name, labels) - before.value(name, labels);
    for (const [, , route, status] of asked) {
      const expected = asked.filter((one) => one[2] === route && one[3] === status).length;
      assert.equal(grown('mdapi_requests_total', { route, status }), expected, `${route} ${status}`);
    }
    assert.equal(grown('mdapi_errors_total', { code: 'UNKNOWN_SYMBOL' }), 1);
    assert.equal(grown('mdapi_errors_total', { code: 'INVALID_PARAMETER' }), 1);
    assert.equal(grown('mdapi_errors_total', { code: 'MISSING_API_KEY' }), 1);
    assert.equal(grown('mdapi_errors_total', { code: 'INVALID_API_KEY' }), 1);

    // A minute may begin under way: as many as two minutes allow, and one more.
    for (let round = 0; round < 11; round++) await api.get('/', { key: null });
    for (let round = 0; round < 7; round++) await api.get('/v1/time', { key: 'wrong' });
    const limited = await service.metrics();
    assert.ok(limited.value('mdapi_limited_requests_total', { category: 'address' }) > 0);
    assert.ok(limited.value('mdapi_limited_requests_total', { category: 'failedAuthentication' }) > 0);
    assert.equal(limited.value('mdapi_limited_requests_total', { category: 'key' }), 0);
  });

  test('shows the state of the feed, the markets and the data', async () => {
    const { simulator } = service;
    const metrics = await service.metrics();
    assert.equal(metrics.value('mdapi_feed_path', { path: 'live' }), 1);
    assert.equal(metrics.value('mdapi_feed_path', { path: 'fallback' }), 0);
    assert.equal(metrics.value('mdapi_service_status', { state: 'operational' }), 1);
    assert.equal(metrics.value('mdapi_markets', { status: 'trading' }), 8);
    assert.equal(metrics.value('mdapi_feed_symbols_subscribed'), 4);
    assert.equal(metrics.value('mdapi_rate_valid', { quote: 'CZK' }), 1);
    assert.equal(metrics.value('mdapi_api_keys'), 1);
    assert.equal(metrics.value('mdapi_build_info', { version: '1.0.0', node: process.versions.node }), 1);
    assert.ok(metrics.value('mdapi_market_data_age_seconds') < 5);
    assert.ok(metrics.value('mdapi_feed_tickers_total') > 0);

    await simulator.faults.set({ fault: 'down' });
    await service.untilTicker('degraded');
    service.clock.shift(96 * 3_600_000);
    const broken = await service.metrics();
    assert.equal(broken.value('mdapi_feed_path', { path: 'fallback' }), 1);
    assert.equal(broken.value('mdapi_service_status', { state: 'outage' }), 1);
    assert.ok(broken.value('mdapi_market_data_age_seconds') >= 96 * 3_600);
    await simulator.faults.set({ fault: 'rate-gone' });
    service.clock.shift(96 * 3_600_000);
    const unrated = await service.metrics();
    assert.equal(unrated.value('mdapi_rate_valid', { quote: 'CZK' }), 0);
    assert.ok(unrated.value('mdapi_rate_age_seconds', { quote: 'CZK' }) >= 96 * 3_600);
    assert.equal(unrated.value('mdapi_markets_without_price', { reason: 'no_rate' }), 4);

    const ready = await service.admin('/readyz');
    assert.equal(ready.status, 200, 'it stays ready, so that the status can be asked');
    assert.deepEqual(((await ready.json()) as { notes: string[] }).notes, [
      'market data: outage',
      '4 traded markets have no price: no_rate',
    ]);
    await simulator.faults.clear();
    await service.untilLive();
    assert.ok((await service.metrics()).value('mdapi_feed_connections_total') >= 2);
  });

  test('explains each price, and says why there is none', async () => {
    const { simulator } = service;
    simulator.setRate('24.500');
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCCZK', '1243439');
    const response = await service.admin('/prices/btcczk');
    const report = (await response.json()) as Record<string, unknown> & { buy: Step[]; rate: object };
    assert.equal(response.status, 200);
    assert.deepEqual(
      [report.symbol, report.exchangeSymbol, report.bid, report.ask],
      ['BTCCZK', 'BTCEUR', '50000.0', '50000.1'],
    );
    assert.deepEqual(
      report.buy.map(({ step, value, stepCode }) => [step, value, stepCode.code]),
      [
        ['best ask of kraken', '50000.1', 'quote'],
        ['× (1 + fee 0.5 %)', '50250.1005', 'fee'],
        ['× EUR/CZK mid rate 24.500', '1231127.46225', 'rate'],
        ['× (1 + margin 1 %)', '1243438.7368725', 'margin'],
        ['rounded up to 0 decimals', '1243439', 'rounding'],
      ],
    );
    const unknown = await service.admin('/prices/NOSUCHEUR');
    assert.deepEqual([unknown.status, await unknown.json()], [404, { kind: 'unknown_symbol' }]);
  });

  test('holds no key, account or address in any answer', async () => {
    const { key, keyId, accountId } = service.credentials;
    for (const path of ['/metrics', '/readyz', '/livez', '/prices/BTCCZK']) {
      const text = await (await service.admin(path)).text();
      for (const secret of [key, key.slice(4), keyId, accountId, '127.0.0.1', '::1', 'client@example.com']) {
        assert.ok(!text.includes(secret), `${path} does not hold ${secret}`);
      }
    }
  });
});
