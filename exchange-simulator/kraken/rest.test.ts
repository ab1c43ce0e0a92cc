import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { result, startForTest } from '../test-client.testing.ts';

const recording = readFileSync(new URL('../recordings/asset-pairs-2021-04-17.json', import.meta.url));
const recorded = JSON.parse(recording.toString('utf8')).result;

describe('REST of the simulated exchange', () => {
  it("serves today's AssetPairs: every recorded field as recorded, and the newer fields", async (test) => {
    const { simulator } = await startForTest(test);
    const pairs = await result(simulator, 'AssetPairs');
    assert.equal(Object.keys(pairs).length, Object.keys(recorded).length + 1);
    for (const [id, old] of Object.entries<Record<string, unknown>>(recorded)) {
      const { cost_decimals: costDecimals, costmin, tick_size: tick, status, ...rest } = pairs[id];
      assert.deepEqual(rest, old);
      if (old.wsname === undefined) continue;
      assert.equal(status, 'online');
      assert.match(tick, /^\d+(\.\d*[1-9])?$/);
      assert.match(costmin, /^\d+(\.\d+)?$/);
      assert.equal(typeof costDecimals, 'number');
    }
    assert.equal(pairs.XXBTZEUR.tick_size, '0.1');
    assert.equal(pairs.XXMRZEUR.tick_size, '0.05');
    assert.equal(pairs.YFIEUR.tick_size, '1');
    assert.equal(pairs.EURCZK.wsname, 'EUR/CZK');
  });

  it('lists in Assets the assets of every pair', async (test) => {
    const { simulator } = await startForTest(test);
    const [assets, pairs] = [await result(simulator, 'Assets'), await result(simulator, 'AssetPairs')];
    for (const { base, quote } of Object.values<{ base: string; quote: string }>(pairs)) {
      assert.ok(base in assets && quote in assets, `${base} ${quote}`);
    }
    assert.deepEqual(Object.keys(assets.XXBT), ['aclass', 'altname', 'decimals', 'display_decimals', 'status']);
    assert.deepEqual([assets.XXBT.altname, assets.XXDG.altname, assets.ZEUR.altname], ['XBT', 'XDG', 'EUR']);
  });

  it('answers Ticker for all or for pairs by id, altname or wsname, as strings of exactly the decimals of the pair', async (test) => {
    const { simulator } = await startForTest(test);
    const tickers = await result(simulator, 'Ticker?pair=XBTEUR,XXDGXXBT,ETH/EUR');
    assert.deepEqual(Object.keys(tickers), ['XXBTZEUR', 'XXDGXXBT', 'XETHZEUR']);
    const { a, b, c, v, p, t, l, h, o } = tickers.XXBTZEUR;
    for (const price of [a[0], b[0], c[0], ...p, ...l, ...h, o]) assert.match(price, /^\d+\.\d$/);
    for (const amount of [c[1], ...v]) assert.match(amount, /^\d+\.\d{8}$/);
    assert.match(`${a[1]} ${a[2]}`, /^\d+ \d+\.\d{3}$/);
    assert.ok(t.every(Number.isInteger));
    assert.ok(
      Number(v[0]) <= Number(v[1]) && t[0] <= t[1] && Number(l[0]) >= Number(l[1]) && Number(h[0]) <= Number(h[1]),
    );
    const all = await result(simulator, 'Ticker');
    assert.equal(Object.keys(all).length, simulator.state().markets);
  });

  it('answers 200 with an error for unknown names', async (test) => {
    const { simulator } = await startForTest(test);
    for (const [call, error] of [
      ['Ticker?pair=NOPE', 'EQuery:Unknown asset pair'],
      ['Ticker?pair=XBTEUR,NOPE', 'EQuery:Unknown asset pair'],
      ['AssetPairs?pair=NOPE', 'EQuery:Unknown asset pair'],
      ['OHLC?pair=NOPE', 'EQuery:Unknown asset pair'],
      ['OHLC?pair=XBTEUR&interval=7', 'EGeneral:Invalid arguments'],
      ['OHLC', 'EGeneral:Invalid arguments'],
      ['Depth?pair=XBTEUR', 'EGeneral:Unknown method'],
    ]) {
      const answer = await fetch(`${simulator.restUrl}/0/public/${call}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), { error: [error] });
    }
    assert.equal((await fetch(`${simulator.restUrl}/`)).status, 404);
  });

  it('answers OHLC under the id of the pair, and only candles newer than `since`', async (test) => {
    const { simulator } = await startForTest(test);
    const { XXBTZEUR: rows, last } = await result(simulator, 'OHLC?pair=XBTEUR&interval=60');
    assert.equal(rows.length, 720);
    assert.equal(rows.at(-2)[0], last);
    assert.deepEqual(
      rows
        .at(-1)
        .map((cell: unknown) => typeof cell)
        .join(' '),
      'number string string string string string string number',
    );
    const newer = await result(simulator, `OHLC?pair=XXBTZEUR&interval=60&since=${last}`);
    assert.deepEqual(newer.XXBTZEUR, rows.slice(-1));
  });

  it('answers Time and SystemStatus', async (test) => {
    const { simulator, clock } = await startForTest(test);
    const time = { unixtime: clock.now() / 1000, rfc1123: 'Sat, 21 Nov 26 10:00:00 +0000' };
    assert.deepEqual(await result(simulator, 'Time'), time);
    assert.deepEqual(await result(simulator, 'SystemStatus'), { status: 'online', timestamp: '2026-11-21T10:00:00Z' });
    assert.deepEqual(simulator.state().requests, { Time: 1, SystemStatus: 1, cnb: 0, ecb: 0, json: 0 });
  });
});
