import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { FakeClock } from '../test/support/fake-clock.ts';
import { candleIntervals, candles } from './candles.ts';
import { type CatalogueOptions, loadCatalogue } from './catalogue.ts';
import { Exchange } from './exchange.ts';
import { tickerFrame } from './kraken/ws-messages.ts';
import type { Market } from './market-walk.ts';
import { randomnessFromSeed } from './randomness.ts';
import type { TickerField } from './ticker.ts';

const everything: CatalogueOptions = { markets: undefined, quotes: undefined };

function exchangeOf(test: TestContext, seed: number, updatesPerSecond: number, catalogue = everything) {
  const clock = new FakeClock();
  const randomness = randomnessFromSeed(seed);
  const exchange = new Exchange({ clock, randomness, catalogue: loadCatalogue(catalogue), updatesPerSecond });
  test.diagnostic(`seed ${seed}`);
  test.after(() => exchange.stop());
  return { clock, exchange };
}

function framesOf(exchange: Exchange): string[] {
  const frames: string[] = [];
  exchange.listen({
    tickerChanged: (market, lastChanged) => {
      const values = market.values(market.changedAtUs / 1000);
      frames.push(`${lastChanged} ${tickerFrame('update', market.pair.symbol, values, undefined)}`);
    },
    instrumentChanged: () => {},
  });
  return frames;
}

/** A wire value in whole units of its last decimal. */
function unitsOf(market: Market, text: string): number {
  assert.match(text, /^-?\d+(\.\d+)?$/);
  assert.equal(text.split('.')[1]?.length ?? 0, market.pair.priceDecimals, `${market.pair.symbol} ${text}`);
  return Number(text.replace('.', ''));
}

describe('the market of the simulated exchange', () => {
  it('repeats frame by frame for the same seed, and differs for another seed', async (test) => {
    const [first, second, other] = [exchangeOf(test, 5, 200), exchangeOf(test, 5, 200), exchangeOf(test, 6, 200)];
    const frames = [first, second, other].map(({ exchange }) => framesOf(exchange));
    for (const { clock } of [first, second, other]) await clock.advance(5000);
    assert.equal(frames[0]?.length, 1000);
    assert.deepEqual(frames[0], frames[1]);
    assert.notDeepEqual(frames[0], frames[2]);
  });

  it('keeps every ticker consistent: bid below ask, on the tick, last and vwap within low and high, change from 24 h ago', async (test) => {
    const { clock, exchange } = exchangeOf(test, 7, 3000);
    for (let minute = 0; minute < 40; minute += 8) {
      await clock.advance(1000);
      clock.jump(8 * 60_000);
      for (const market of exchange.markets.values()) {
        const values = market.values(clock.now());
        const units = (field: TickerField) => unitsOf(market, values[field]);
        const context = JSON.stringify(values);
        assert.ok(units('bid') > 0 && units('bid') < units('ask'), context);
        for (const field of ['bid', 'ask', 'last'] as const)
          assert.equal(units(field) % market.pair.tickUnits, 0, context);
        assert.ok(units('low') <= units('last') && units('last') <= units('high'), context);
        assert.ok(units('low') <= units('vwap') && units('vwap') <= units('high'), context);
        const before = units('last') - units('change');
        assert.equal(Number(values.change_pct), Math.round((units('change') / before) * 10_000) / 100 + 0, context);
        assert.match(values.volume, /^\d+\.\d{8}$/);
      }
    }
  });

  it('updates every market once in each round', async (test) => {
    const { clock, exchange } = exchangeOf(test, 8, 100, { ...everything, quotes: ['EUR'] });
    const turns = new Map<string, number>();
    exchange.listen({
      tickerChanged: ({ pair }) => turns.set(pair.symbol, (turns.get(pair.symbol) ?? 0) + 1),
      instrumentChanged: () => {},
    });
    await clock.advance((exchange.markets.size * 1000 * 3) / 100 + 20);
    assert.equal(turns.size, exchange.markets.size);
    for (const [symbol, count] of turns) assert.ok(count >= 2 && count <= 4, `${symbol}: ${count}`);
  });

  it('moves at the configured rate, from once in five seconds to thousands a second, with one timer', async (test) => {
    for (const [updatesPerSecond, seconds, expected] of [
      [0.2, 20, 4],
      [50, 2, 100],
      [5000, 1, 5000],
    ] as const) {
      const { clock, exchange } = exchangeOf(test, 9, updatesPerSecond, { ...everything, markets: 20 });
      await clock.advance(seconds * 1000);
      assert.ok(Math.abs(exchange.updates - expected) <= expected * 0.02, `${exchange.updates} of ${expected}`);
      assert.equal(clock.pendingTimers, 1);
    }
  });

  it('catches up on no more than a second after a suspension', async (test) => {
    const { clock, exchange } = exchangeOf(test, 10, 100);
    clock.monotonicMs = () => 60_000;
    await clock.advance(10);
    assert.ok(exchange.updates <= 100, String(exchange.updates));
  });

  it('starts at the recorded price where there is a recording, and its cross rates agree', (test) => {
    const { clock, exchange } = exchangeOf(test, 11, 0);
    const last = (symbol: string) => Number(exchange.markets.get(symbol)?.values(clock.now()).last);
    for (const [symbol, price] of [
      ['BTC/CHF', 56218.3],
      ['WAVES/EUR', 13.2539],
      ['SC/EUR', 0.04303],
    ] as const) {
      assert.ok(Math.abs(last(symbol) / price - 1) < 0.002, `${symbol} ${last(symbol)}`);
    }
    assert.ok(Math.abs(last('BTC/EUR') / last('ETH/EUR') / (last('BTC/USD') / last('ETH/USD')) - 1) < 0.002);
    assert.ok(Math.abs(last('EUR/CZK') / 24.315 - 1) < 0.002);
  });
});

describe('the candles', () => {
  it('are 720 connected rows that contain their own prices and end at the newest price', (test) => {
    const { clock, exchange } = exchangeOf(test, 12, 0);
    const market = exchange.markets.get('BTC/EUR')!;
    for (const interval of candleIntervals) {
      const rows = candles(market, interval, clock.now(), undefined);
      assert.equal(rows.length, 720);
      for (const [index, [time, open, high, low, close, vwap, volume]] of rows.entries()) {
        const [o, h, l, c, v] = [open, high, low, close, vwap].map((text) => unitsOf(market, text));
        assert.ok(l! <= Math.min(o!, c!, v!) && Math.max(o!, c!, v!) <= h!, `${interval} ${index}`);
        assert.match(volume, /^\d+\.\d{8}$/);
        const next = rows[index + 1];
        if (next === undefined) assert.equal(close, market.values(clock.now()).last);
        else assert.deepEqual([next[0], next[1]], [time + interval * 60, close]);
      }
    }
  });

  it('agree between an hour and its sixty minutes, and do not change later', async (test) => {
    const { clock, exchange } = exchangeOf(test, 13, 0);
    const market = exchange.markets.get('ETH/EUR')!;
    const hour = candles(market, 60, clock.now(), undefined).at(-2)!;
    const minutes = candles(market, 1, clock.now(), undefined).filter(
      ([time]) => time >= hour[0] && time < hour[0] + 3600,
    );
    assert.equal(minutes.length, 60);
    assert.deepEqual([minutes[0]?.[1], minutes.at(-1)?.[4]], [hour[1], hour[4]]);
    await clock.advance(3_600_000);
    assert.deepEqual(candles(market, 60, clock.now(), undefined).at(-3), hour);
  });

  it('give the price that the change over 24 hours starts from', (test) => {
    const { clock, exchange } = exchangeOf(test, 14, 0);
    const market = exchange.markets.get('BTC/EUR')!;
    const values = market.values(clock.now());
    const dayAgoS = clock.now() / 1000 - 86_400;
    const row = candles(market, 60, clock.now(), undefined).find(([time]) => time === dayAgoS);
    assert.equal(unitsOf(market, values.last) - unitsOf(market, values.change), unitsOf(market, row![1]));
  });
});

describe('the catalogue', () => {
  it('has the requested number of markets, well-known ones first, synthesised ones beyond the recorded', () => {
    const few = loadCatalogue({ markets: 3, quotes: ['EUR'] });
    assert.deepEqual(few.map(({ pair }) => pair?.symbol).toSorted(), ['BTC/EUR', 'ETH/EUR', 'EUR/CZK', 'XRP/EUR']);
    const many = loadCatalogue({ markets: 5000, quotes: ['EUR'] });
    const symbols = new Set(many.flatMap(({ pair }) => (pair?.quote === 'EUR' ? [pair.symbol] : [])));
    assert.equal(symbols.size, 5000);
  });

  it('is the recorded one by default: 58 pairs in EUR, two of them dark, and EUR/CZK', () => {
    const entries = loadCatalogue({ markets: undefined, quotes: ['EUR'] });
    assert.equal(entries.length, 59);
    assert.deepEqual(
      entries.filter(({ pair }) => pair === undefined).map(({ id }) => id),
      ['XETHZEUR.d', 'XXBTZEUR.d'],
    );
    assert.equal(entries.at(-1)?.id, 'EURCZK');
  });
});
