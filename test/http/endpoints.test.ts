import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { delistedListedForMs } from '../../src/contract/limits.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import { markets } from '../../src/http/resources/markets.ts';
import { status } from '../../src/http/resources/status.ts';
import { ticker } from '../../src/http/resources/ticker.ts';
import { tickers } from '../../src/http/resources/tickers.ts';
import { time } from '../../src/http/resources/time.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

/** The parts of the document that name errors. */
interface OpenApiDocument {
  readonly paths: Record<string, { readonly get: { readonly responses: Record<string, { readonly $ref?: string }> } }>;
  readonly components: { readonly responses: Record<string, object> };
}

describe('the endpoints of the contract', () => {
  const clock = new FakeClock('2026-11-21T10:00:00.123Z');
  let api: ListenerHarness;

  before(async () => {
    api = await ListenerHarness.start({ clock, limits: { key: 1_000_000 } });
    api.list('BTC', 'ETH');
    api.tick('BTC', '50000.00', '50010.00');
    api.rate('24.315');
  });
  after(() => api.stop());

  test('GET /v1/time gives one instant in two forms and is never stored', async () => {
    const response = await api.get('/v1/time');
    assert.deepEqual(json(response), { serverTime: '2026-11-21T10:00:00.123Z', serverTimeMs: 1795255200123 });
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.equal(response.headers.etag, undefined);
  });

  test('the document lists SERVICE_OVERLOADED for just those endpoints that are ever refused for load', async () => {
    const { paths, components } = json<OpenApiDocument>(await api.get('/openapi/v1.json'));
    for (const { route, isNeverShed } of [markets, status, ticker, tickers, time]) {
      const unavailable = paths[route]!.get.responses['503'];
      const documented = JSON.stringify([unavailable, unavailable?.$ref && components.responses.Unavailable]);
      assert.equal(documented.includes('SERVICE_OVERLOADED'), isNeverShed === undefined, route);
    }
  });

  test('GET /v1/status gives the state of the service and of the feed, and when the feed was last updated', async () => {
    assert.deepEqual(json(await api.get('/v1/status')), {
      status: 'operational',
      api: 'operational',
      components: { ticker: 'operational' },
      maintenance: null,
      lastUpdatedAt: '2026-11-21T10:00:00.123Z',
      lastUpdatedAtMs: 1795255200123,
      serverTime: '2026-11-21T10:00:00.123Z',
      serverTimeMs: 1795255200123,
    });
  });

  test('GET /v1/markets lists exchange and converted markets, ordered by symbol', async () => {
    const { markets } = json<{ markets: Record<string, unknown>[] }>(await api.get('/v1/markets'));
    assert.deepEqual(
      markets.map(({ symbol }) => symbol),
      ['BTCCZK', 'BTCEUR', 'ETHCZK', 'ETHEUR'],
    );
    assert.deepEqual(markets[0], {
      symbol: 'BTCCZK',
      base: 'BTC',
      quote: 'CZK',
      status: 'trading',
      pricePrecision: 1,
      amountPrecision: 8,
      tickSize: '0.1',
      minOrderSize: '0.0001',
    });
    assert.equal(markets[1]?.minOrderValue, '0.5');
  });

  test('GET /v1/ticker gives final client prices as decimal strings, the symbol in any case (fault row 15)', async () => {
    const ticker = {
      symbol: 'BTCEUR',
      base: 'BTC',
      quote: 'EUR',
      buyPrice: '50260.05',
      sellPrice: '49750.00',
      high24h: '50010.00',
      low24h: '50000.00',
      volume24h: '12.50000000',
      vwap24h: '50000.00',
      priceChangePercent24h: '1.50',
      timestamp: '2026-11-21T10:00:00.123Z',
      timestampMs: 1795255200123,
    };
    for (const symbol of ['BTCEUR', 'btceur', 'BtcEur']) {
      assert.deepEqual(json(await api.get(`/v1/ticker?symbol=${symbol}`)), ticker);
    }
  });

  test('GET /v1/ticker of a converted market includes fee, rate and margin', async () => {
    const { buyPrice, sellPrice, high24h } = json(await api.get('/v1/ticker?symbol=BTCCZK'));
    assert.equal(buyPrice, '1234293.9');
    assert.equal(sellPrice, '1197574.5');
    assert.equal(high24h, '1215993.2');
  });

  test('GET /v1/tickers has one entry per market that has a price, each the same as /v1/ticker gives', async () => {
    const { tickers } = json<{ tickers: { symbol: string }[] }>(await api.get('/v1/tickers'));
    assert.deepEqual(
      tickers.map(({ symbol }) => symbol),
      ['BTCCZK', 'BTCEUR'],
    );
    for (const ticker of tickers) {
      assert.deepEqual(ticker, json(await api.get(`/v1/ticker?symbol=${ticker.symbol}`)));
    }
  });

  test('a new price is in the next answer', async () => {
    api.tick('BTC', '50001.00', '50011.00');
    const { tickers } = json<{ tickers: { sellPrice: string }[] }>(await api.get('/v1/tickers'));
    assert.equal(tickers[1]?.sellPrice, '49750.99');
    assert.equal(json(await api.get('/v1/ticker?symbol=BTCEUR')).sellPrice, '49750.99');
  });

  test('market data is revalidated: the same entity tag answers 304 without a body, in every coding (fault row 36)', async () => {
    for (const target of ['/v1/markets', '/v1/tickers', '/v1/ticker?symbol=BTCEUR']) {
      for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
        const headers = { 'Accept-Encoding': coding };
        const full = await api.get(target, { headers });
        const { etag = '', vary, 'cache-control': cacheControl } = full.headers;
        assert.match(etag, /^"[^"]+"$/);
        for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await api.get(target, { headers: { ...headers, 'If-None-Match': tag } });
          assert.equal(again.status, 304);
          assert.equal(again.body.length, 0);
          assert.deepEqual(
            [again.headers.etag, again.headers.vary, again.headers['cache-control']],
            [etag, vary, cacheControl],
          );
          assert.ok(again.headers.date);
        }
        assert.equal((await api.get(target, { headers: { ...headers, 'If-None-Match': '"other"' } })).status, 200);
      }
    }
  });

  test('/v1/time and /v1/status are never answered 304 (fault row 36)', async () => {
    for (const target of ['/v1/time', '/v1/status']) {
      assert.equal((await api.get(target, { headers: { 'If-None-Match': '*' } })).status, 200);
    }
  });

  test('every coding carries the identity body, each under an entity tag of its own', async () => {
    const decode = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
    for (const target of ['/v1/markets', '/v1/tickers', '/v1/ticker?symbol=BTCEUR', '/openapi/v1.json', '/']) {
      const plain = await api.get(target);
      const tags = new Set([plain.headers.etag]);
      for (const [coding, decompress] of Object.entries(decode)) {
        const coded = await api.get(target, { headers: { 'Accept-Encoding': coding } });
        assert.equal(coded.headers['content-encoding'], coding);
        assert.deepEqual(decompress(coded.body), plain.body);
        tags.add(coded.headers.etag);
      }
      assert.equal(tags.size, 4, `entity tags of ${target}`);
    }
  });

  test('the coding follows the weights of Accept-Encoding', async () => {
    const chosen = async (header: string) =>
      (await api.get('/v1/tickers', { headers: { 'Accept-Encoding': header } })).headers['content-encoding'];
    assert.equal(await chosen('gzip, deflate, br, zstd'), 'zstd');
    assert.equal(await chosen('gzip;q=0.9, br;q=0.8'), 'gzip');
    assert.equal(await chosen('gzip;q=0, br;q=0'), undefined);
    assert.equal(await chosen('*'), 'gzip');
    assert.equal(await chosen('deflate'), undefined);
    assert.equal(await chosen('identity, gzip;q=0.5'), undefined);
    assert.equal(await chosen('GZIP'), 'gzip');
  });

  test('HEAD answers as GET does, without the body, and counts the same (fault row 17)', async () => {
    const key = api.addKey({ limitPerMinute: 100 });
    for (const target of [
      '/v1/time',
      '/v1/status',
      '/v1/markets',
      '/v1/tickers',
      '/v1/ticker?symbol=BTCEUR',
      '/v1/ticker',
    ]) {
      const get = await api.get(target, { key });
      const head = await api.get(target, { key, method: 'HEAD' });
      assert.equal(head.status, get.status);
      assert.equal(head.body.length, 0);
      const varying = ['x-request-id', 'x-ratelimit-remaining', 'date'];
      for (const name of Object.keys(get.headers).filter((name) => !varying.includes(name))) {
        assert.equal(head.headers[name], get.headers[name], `${name} of HEAD ${target}`);
      }
      assert.equal(Number(head.headers['x-ratelimit-remaining']), Number(get.headers['x-ratelimit-remaining']) - 1);
    }
  });

  test('GET / is JSON for machines and HTML for browsers, and links what there is', async () => {
    const machine = await api.get('/', { key: null });
    assert.equal(machine.headers['content-type'], 'application/json');
    const { links } = json<{ links: Record<string, string> }>(machine);
    assert.equal(links.openapi, `http://127.0.0.1:${api.port}/openapi/v1.json`);
    const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const page = await api.get('/', { key: null, headers: browser });
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    for (const { headers } of [machine, page]) assert.match(headers.vary ?? '', /Accept\b/);
  });

  test('GET /openapi/v1.json needs no key and may be read from any origin', async () => {
    const response = await api.get('/openapi/v1.json', { key: null });
    assert.equal(json<{ openapi: string }>(response).openapi.slice(0, 4), '3.1.');
    assert.equal(json<{ info: { version: string } }>(response).info.version, '1.0');
    assert.equal(response.headers['access-control-allow-origin'], '*');
    assert.equal(response.headers['cache-control'], 'public, max-age=300');
  });

  test('nothing under /v1 may be read by a browser of another origin', async () => {
    const response = await api.get('/v1/time', { headers: { Origin: 'https://example.org' } });
    assert.equal(response.headers['access-control-allow-origin'], undefined);
  });

  test('a paused market is listed as paused and keeps its ticker', async () => {
    api.markets.marketChanged('BTCEUR' as MarketSymbol, { status: 'paused' });
    const { markets } = json<{ markets: { symbol: string; status: string }[] }>(await api.get('/v1/markets'));
    assert.deepEqual(
      markets.filter(({ symbol }) => symbol.startsWith('BTC')).map(({ status }) => status),
      ['paused', 'paused'],
    );
    assert.equal((await api.get('/v1/ticker?symbol=BTCEUR')).status, 200);
    api.markets.marketChanged('BTCEUR' as MarketSymbol, { status: 'trading' });
  });

  test('a delisted market has no ticker and is listed for exactly 30 days (fault row 15)', async () => {
    const delistedAt = clock.now();
    api.markets.applyControls([{ symbol: 'BTCEUR' as MarketSymbol, operatorPaused: false, delistedAt }]);
    const states = async () => {
      const { markets } = json<{ markets: { symbol: string; status: string }[] }>(await api.get('/v1/markets'));
      return markets.filter(({ symbol }) => symbol.startsWith('BTC')).map(({ status }) => status);
    };
    assert.deepEqual(await states(), ['delisted', 'delisted']);
    const refused = await api.get('/v1/ticker?symbol=BTCEUR');
    assert.deepEqual([refused.status, json(refused).code], [404, 'UNKNOWN_SYMBOL']);
    assert.equal((await api.get('/v1/tickers')).status, 503, 'no other market has a price');
    clock.jump(delistedListedForMs - 1);
    assert.deepEqual(await states(), ['delisted', 'delisted']);
    clock.jump(1);
    assert.deepEqual(await states(), []);
    clock.jump(delistedAt - clock.now());
  });
});

describe('what is served without data', () => {
  let api: ListenerHarness;
  before(async () => {
    api = await ListenerHarness.start({ limits: { key: 1_000_000 } });
  });
  after(() => api.stop());

  const unavailable = async (target: string) => {
    const response = await api.get(target);
    assert.deepEqual([response.status, json(response).code], [503, 'MARKET_DATA_UNAVAILABLE'], target);
    assert.equal(response.headers['retry-after'], '5');
  };

  test('markets and tickers are 503 with Retry-After until there are any, and time and status answer (fault row 39)', async () => {
    await unavailable('/v1/markets');
    await unavailable('/v1/tickers');
    assert.equal((await api.get('/v1/time')).status, 200);
    const status = json(await api.get('/v1/status'));
    assert.deepEqual([status.status, status.lastUpdatedAt, status.lastUpdatedAtMs], ['outage', null, null]);
    await unavailable('/v1/ticker?symbol=BTCEUR');
  });

  test('a listed market without a ticker is 503, and left out of the list', async () => {
    api.list('BTC', 'ETH');
    await unavailable('/v1/ticker?symbol=BTCEUR');
    await unavailable('/v1/tickers');
    api.tick('ETH', '3000.00', '3001.00');
    const { tickers } = json<{ tickers: { symbol: string }[] }>(await api.get('/v1/tickers'));
    assert.deepEqual(
      tickers.map(({ symbol }) => symbol),
      ['ETHEUR'],
    );
  });

  test('a converted market is 503 while there is no rate; the exchange market is not touched (fault row 40)', async () => {
    await unavailable('/v1/ticker?symbol=ETHCZK');
    assert.equal((await api.get('/v1/ticker?symbol=ETHEUR')).status, 200);
    api.rate('24.3');
    assert.equal((await api.get('/v1/ticker?symbol=ETHCZK')).status, 200);
  });

  test('a converted market loses its price the moment its rate is too old, and gets it back with a new one (fault row 40)', async () => {
    const clock = api.clock as FakeClock;
    clock.jump(96 * 3_600_000 - 1);
    assert.equal((await api.get('/v1/ticker?symbol=ETHCZK')).status, 200);
    clock.jump(1);
    await unavailable('/v1/ticker?symbol=ETHCZK');
    assert.equal((await api.get('/v1/ticker?symbol=ETHEUR')).status, 200, 'the latest ticker is served however old');
    api.rate('24.4');
    assert.equal((await api.get('/v1/ticker?symbol=ETHCZK')).status, 200);
  });

  test('the ticker component is degraded on the fallback, and in outage when more than 300,000 ms behind (fault row 39)', async () => {
    const clock = api.clock as FakeClock;
    const component = async () =>
      json<{ components: { ticker: string } }>(await api.get('/v1/status')).components.ticker;
    api.feed.feedCurrent('fallback', clock.now(), clock.monotonicMs());
    assert.equal(await component(), 'degraded');
    clock.jump(300_000);
    assert.equal(await component(), 'degraded');
    clock.jump(1);
    assert.equal(await component(), 'outage');
    assert.equal((await api.get('/v1/tickers')).status, 200);
    api.feed.feedCurrent('live', clock.now(), clock.monotonicMs());
    assert.equal(await component(), 'operational');
  });

  test('every answer with prices, 304 and MARKET_DATA_UNAVAILABLE among them, carries the state of the feed; no other does', async () => {
    const clock = api.clock as FakeClock;
    const etag = (await api.get('/v1/tickers')).headers.etag!;
    const feedStatuses = async () => {
      const answers = [
        await api.get('/v1/tickers'),
        await api.get('/v1/tickers', { headers: { 'If-None-Match': etag } }),
        await api.get('/v1/ticker?symbol=ETHEUR'),
        await api.get('/v1/ticker?symbol=BTCEUR'),
        await api.get('/v1/tickers', { method: 'HEAD' }),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 304, 200, 503, 200],
      );
      return new Set(answers.map(({ headers }) => headers['x-feed-status']));
    };
    assert.deepEqual(await feedStatuses(), new Set(['operational']));
    api.feed.pathChanged('fallback');
    assert.deepEqual(await feedStatuses(), new Set(['degraded']));
    clock.jump(300_001);
    assert.deepEqual(await feedStatuses(), new Set(['outage']));
    for (const target of [
      '/v1/time',
      '/v1/status',
      '/v1/markets',
      '/v1/ticker',
      '/v1/ticker?symbol=NONE',
      '/v1/none',
    ]) {
      assert.equal((await api.get(target)).headers['x-feed-status'], undefined, target);
    }
  });
});

describe('maintenance', () => {
  const clock = new FakeClock('2026-11-21T10:00:00.000Z');
  const from = (clock.now() + 60_000) as EpochMs;
  const to = (clock.now() + 2 * 3_600_000) as EpochMs;
  let api: ListenerHarness;
  before(async () => {
    api = await ListenerHarness.start({ clock, limits: { key: 1_000_000 } });
    api.list('BTC');
    api.tick('BTC', '50000.00', '50010.00');
    api.service.setWindows([{ from, to, description: 'Database upgrade — short' }]);
  });
  after(() => api.stop());

  test('an announced window is shown and does not run (fault row 38)', async () => {
    const status = json(await api.get('/v1/status'));
    assert.equal(status.status, 'operational');
    assert.deepEqual(status.maintenance, {
      from: '2026-11-21T10:01:00.000Z',
      fromMs: from,
      to: '2026-11-21T12:00:00.000Z',
      toMs: to,
      description: 'Database upgrade — short',
    });
    assert.equal((await api.get('/v1/time')).status, 200);
  });

  test('while it runs all but the status answer 503 with the seconds to its end, at most an hour (fault row 38)', async () => {
    clock.jump(59_999);
    assert.equal((await api.get('/v1/time')).status, 200, 'a millisecond before its start');
    clock.jump(1);
    for (const target of ['/v1/time', '/v1/markets', '/v1/tickers', '/v1/ticker?symbol=BTCEUR', '/v1/ticker']) {
      const response = await api.get(target);
      assert.deepEqual([response.status, json(response).code], [503, 'SERVICE_MAINTENANCE'], target);
      assert.equal(response.headers['retry-after'], '3600');
    }
    const status = json(await api.get('/v1/status'));
    assert.deepEqual(
      [status.status, status.api, status.components],
      ['maintenance', 'maintenance', { ticker: 'degraded' }],
    );
  });

  test('authentication, limits, unknown paths and methods go before maintenance (fault row 38)', async () => {
    assert.equal((await api.get('/v1/time', { key: null })).status, 401);
    assert.equal((await api.get('/v1/nothing')).status, 404);
    assert.equal((await api.get('/v1/time', { method: 'POST' })).status, 405);
    const key = api.addKey({ limitPerMinute: 1 });
    assert.equal((await api.get('/v1/time', { key })).status, 503);
    assert.equal((await api.get('/v1/time', { key })).status, 429);
  });

  test('outside /v1 maintenance changes nothing', async () => {
    assert.equal((await api.get('/', { key: null })).status, 200);
    assert.equal((await api.get('/openapi/v1.json', { key: null })).status, 200);
  });

  test('the last second counts as one, and at its end everything is back (fault row 38)', async () => {
    clock.jump(to - clock.now() - 1);
    const last = await api.get('/v1/time');
    assert.deepEqual([last.status, last.headers['retry-after']], [503, '1']);
    clock.jump(1);
    assert.equal((await api.get('/v1/time')).status, 200);
    assert.equal(json(await api.get('/v1/status')).maintenance, null);
  });

  test('of windows that overlap or touch the last end counts, and an outage of the feed is still shown (fault row 38)', async () => {
    const start = clock.now();
    const window = (fromMs: number, toMs: number, description: string) => ({
      from: (start + fromMs) as EpochMs,
      to: (start + toMs) as EpochMs,
      description,
    });
    api.service.setWindows([window(0, 20_000, 'first'), window(10_000, 60_000, 'second')]);
    clock.jump(15_000);
    const both = await api.get('/v1/time');
    assert.equal(both.status, 503);
    const shownTo = json<{ maintenance: { toMs: number } }>(await api.get('/v1/status')).maintenance.toMs;
    assert.ok(Number(both.headers['retry-after']) <= Math.ceil((shownTo - clock.now()) / 1000));
    clock.jump(5000);
    assert.equal((await api.get('/v1/time')).status, 503, 'the first is over, the second runs');
    const now = clock.now();
    const touching = [
      window(30_000, 45_000, 'third'),
      window(60_000, 90_000, 'fourth'),
      window(45_000, 60_000, 'fifth'),
    ];
    api.service.setWindows([window(0, 30_000, 'first'), ...touching]);
    const chain = await api.get('/v1/time');
    assert.equal(chain.headers['retry-after'], String((start + 90_000 - now) / 1000), 'to the end of all that touch');
    const { maintenance } = json<{ maintenance: { toMs: number } }>(await api.get('/v1/status'));
    assert.equal(maintenance.toMs, start + 30_000, 'the end of the one that is shown');
    api.service.setWindows([window(0, 3_600_000, 'long')]);
    clock.jump(400_000);
    const { status, components } = json(await api.get('/v1/status'));
    assert.deepEqual([status, components], ['maintenance', { ticker: 'outage' }]);
    api.service.setWindows([]);
    assert.equal(json(await api.get('/v1/status')).status, 'outage');
    assert.equal((await api.get('/v1/tickers')).status, 200);
  });
});
