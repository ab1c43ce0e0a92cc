import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { type DatedPrices, type Statistics, TickerAssembler } from './ticker-assembler.ts';

const btc = 'BTCEUR' as MarketSymbol;
const statistics = { high24h: '12', low24h: '8', volume24h: '100', vwap24h: '10', priceChangePercent24h: '1' };
let clock: FakeClock;
let old: number;
let assembler: TickerAssembler;

beforeEach(() => {
  clock = new FakeClock();
  old = 0;
  assembler = new TickerAssembler(clock, () => old++);
});

function prices(bid: string): DatedPrices {
  const [now, ask] = [clock.now(), '11' as DecimalString];
  return { bid: bid as DecimalString, ask, upstreamTime: now, askedAt: now, receivedAt: now, path: 'live' };
}

const day = (high24h = '12') => ({ last: undefined, ...statistics, high24h }) as Statistics;

test('a ticker comes out once both halves are there, in either order, with the time of the best prices', async () => {
  assert.equal(assembler.prices(btc, prices('10')), undefined);
  const at = clock.now();
  await clock.advance(500);
  const first = assembler.statistics(btc, day());
  assert.deepEqual([first?.bid, first?.high24h, first?.upstreamTime], ['10', '12', at]);
  assert.equal(assembler.statistics('ETHEUR' as MarketSymbol, day()), undefined);
  assert.equal(assembler.prices('ETHEUR' as MarketSymbol, prices('5'))?.bid, '5');
});

test('it comes out when a best price changes, and once a second while the same ones are confirmed', async () => {
  assembler.statistics(btc, day());
  assembler.prices(btc, prices('10'));
  assert.equal(assembler.prices(btc, prices('10')), undefined);
  assert.equal(assembler.prices(btc, prices('10.1'))?.bid, '10.1');
  assert.equal(assembler.statistics(btc, day('13')), undefined);
  await clock.advance(1_000);
  const confirmed = assembler.confirmed(btc, clock.now(), clock.now());
  assert.deepEqual([confirmed?.bid, confirmed?.high24h, confirmed?.upstreamTime], ['10.1', '13', clock.now()]);
});

test('statistics older than five minutes keep the market priced without the optional fields, and that is counted', async () => {
  assembler.statistics(btc, day());
  await clock.advance(300_000);
  assert.equal(assembler.prices(btc, prices('10'))?.vwap24h, '10');
  assert.equal(old, 0);
  await clock.advance(1);
  const ticker = assembler.prices(btc, prices('10.2'));
  assert.deepEqual([ticker?.high24h, ticker?.vwap24h, ticker?.priceChangePercent24h], ['12', undefined, undefined]);
  assert.equal(old, 1);
  assert.equal(assembler.statisticsAgeMs(btc), 300_001);
});

test('prices that are lost are neither confirmed nor sent again', () => {
  assembler.statistics(btc, day());
  assembler.prices(btc, prices('10'));
  assembler.dropPrices(btc);
  assert.equal(assembler.confirmed(btc, clock.now(), clock.now()), undefined);
  assert.equal(assembler.statistics(btc, day()), undefined);
  assert.equal(assembler.prices(btc, prices('10'))?.bid, '10');
});
