import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientTicker } from './client-ticker.ts';
import { MarketCatalogue, type OfferedMarket } from './market-catalogue.ts';
import { priceFactors } from './pricing.ts';
import { markedDown, markedUp, minus, over, rational, rounded, times } from './rational.testing.ts';
import {
  after,
  anyDecimal,
  anyPositiveDecimal,
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import { type AcceptedTicker, judgeTicker } from './ticker-acceptance.ts';
import type { ReferencePrices, UpstreamTicker } from './upstream.ts';

function accepted(changes: Partial<UpstreamTicker> = {}): AcceptedTicker {
  const judgement = judgeTicker(upstreamTicker(changes), undefined, 'kraken');
  assert.ok('accepted' in judgement);
  return judgement.accepted;
}

function offered(name: string, changes: Partial<OfferedMarket> = {}): OfferedMarket {
  const catalogue = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
  catalogue.load([upstreamMarket('BTC')], start);
  return { ...catalogue.find(symbol(name))!, ...changes };
}

const exchange = priceFactors(decimal('0.5'), undefined);
const converted = priceFactors(decimal('0.5'), { rate: conversionRate(), marginPercent: decimal('1') });

const references: ReferencePrices = {
  price1hAgo: decimal('84033.5'),
  price24hAgo: decimal('85000'),
  price7dAgo: decimal('80000'),
};

const optionalFields = ['vwap24h', 'priceChangePercent1h', 'priceChangePercent24h', 'priceChangePercent7d'] as const;

test('a ticker of an exchange market carries the fee in its two prices and nowhere else', () => {
  const market = offered('BTCEUR');
  assert.deepEqual(clientTicker(market, accepted(), references, exchange), {
    market,
    buyPrice: '84631.2',
    sellPrice: '83788.8',
    high24h: '85120.0',
    low24h: '83004.7',
    volume24h: '412.70318822',
    vwap24h: '84077.3',
    priceChangePercent1h: '0.21',
    priceChangePercent24h: '-1.05',
    priceChangePercent7d: '5.26',
    capturedAt: after(start, -40),
    source: 'kraken',
  });
});

test('a ticker of a converted market has its statistics at the mid rate, and volume and changes as they are', () => {
  const market = offered('BTCCZK');
  assert.deepEqual(clientTicker(market, accepted(), references, converted), {
    market,
    buyPrice: '2078385',
    sellPrice: '2016952',
    high24h: '2069693',
    low24h: '2018259',
    volume24h: '412.70318822',
    vwap24h: '2044340',
    priceChangePercent1h: '0.21',
    priceChangePercent24h: '-1.05',
    priceChangePercent7d: '5.26',
    capturedAt: after(start, -40),
    source: 'kraken',
  });
});

test('what the feed does not provide is undefined and never null, zero or empty', () => {
  const bare = accepted({ last: undefined, vwap24h: undefined, priceChangePercent24h: undefined });
  const ticker = clientTicker(offered('BTCEUR'), bare, undefined, exchange)!;
  for (const field of optionalFields) assert.equal(ticker[field], undefined, field);
  const none: ReferencePrices = { price1hAgo: undefined, price24hAgo: undefined, price7dAgo: undefined };
  const known = clientTicker(offered('BTCEUR'), accepted({ priceChangePercent24h: undefined }), none, exchange)!;
  for (const field of optionalFields.slice(1)) assert.equal(known[field], undefined, field);
});

test('each percent change is independent: a missing one leaves the others', () => {
  for (const missing of ['price1hAgo', 'price24hAgo', 'price7dAgo'] as const) {
    const ticker = clientTicker(
      offered('BTCEUR'),
      accepted({ priceChangePercent24h: undefined }),
      { ...references, [missing]: undefined },
      exchange,
    )!;
    assert.equal(ticker.priceChangePercent1h, missing === 'price1hAgo' ? undefined : '0.21');
    assert.equal(ticker.priceChangePercent24h, missing === 'price24hAgo' ? undefined : '-0.93');
    assert.equal(ticker.priceChangePercent7d, missing === 'price7dAgo' ? undefined : '5.26');
  }
});

test('the 24-hour change is the live channel’s own where it sends one, to two decimals', () => {
  const known: [string, string][] = [
    ['-1.05', '-1.05'],
    ['0.125', '0.12'],
    ['0.135', '0.14'],
    ['-0.004', '0.00'],
    ['12', '12.00'],
  ];
  for (const [sent, served] of known) {
    const ticker = accepted({ priceChangePercent24h: decimal(sent) });
    assert.equal(clientTicker(offered('BTCEUR'), ticker, references, exchange)!.priceChangePercent24h, served);
  }
});

test('a reference price of zero gives no change', () => {
  const zero = { ...references, price1hAgo: decimal('0.0') };
  assert.equal(clientTicker(offered('BTCEUR'), accepted(), zero, exchange)!.priceChangePercent1h, undefined);
});

test('a market whose sell price rounds to zero has no price', () => {
  const tiny = accepted({ bid: decimal('0.09'), ask: decimal('0.10') });
  assert.equal(clientTicker(offered('BTCEUR'), tiny, references, exchange), undefined);
  const enough = accepted({ bid: decimal('0.11'), ask: decimal('0.12') });
  assert.equal(clientTicker(offered('BTCEUR'), enough, references, exchange)!.sellPrice, '0.1');
});

test('a fee of the whole price leaves no price to sell at', () => {
  const all = priceFactors(decimal('100'), undefined);
  const more = priceFactors(decimal('250'), undefined);
  assert.equal(clientTicker(offered('BTCEUR'), accepted(), references, all), undefined);
  assert.equal(clientTicker(offered('BTCEUR'), accepted(), references, more), undefined);
});

test('every field equals exact fractions rounded once, over random markets, rates and terms', (t) => {
  const price = anyPositiveDecimal(9, 12);
  const anyCase = fc.record({
    bid: price,
    spread: price,
    high: price,
    vwap: price,
    last: price,
    hourAgo: price,
    volume: anyDecimal(9, 12),
    change: anyDecimal(2, 9),
    fee: anyDecimal(1, 4),
    margin: anyDecimal(1, 4),
    mid: fc.option(anyPositiveDecimal(4, 9), { nil: undefined }),
    pricePrecision: fc.integer({ min: 0, max: 18 }),
    amountPrecision: fc.integer({ min: 0, max: 18 }),
  });
  check(
    t,
    fc.property(anyCase, (it) => {
      const ask = it.bid.length > it.spread.length ? it.bid : decimal(`9${'0'.repeat(9)}`);
      const market = offered('BTCEUR', it);
      const conversion = it.mid && { rate: conversionRate({ mid: it.mid }), marginPercent: it.margin };
      const source = accepted({
        bid: it.bid,
        ask,
        high24h: it.high,
        low24h: it.high,
        vwap24h: it.vwap,
        last: it.last,
        volume24h: it.volume,
        priceChangePercent24h: it.change,
      });
      const past = { ...references, price1hAgo: it.hourAgo };
      const ticker = clientTicker(market, source, past, priceFactors(it.fee, conversion));
      const mid = rational(it.mid ?? '1');
      const margin = it.mid === undefined ? '0' : it.margin;
      const places = it.pricePrecision;
      const sell = times(times(rational(it.bid), markedDown(it.fee)), times(mid, markedDown(margin)));
      const sellPrice = rounded(sell, places, 'down');
      if (!/[1-9]/.test(sellPrice)) return assert.equal(ticker, undefined);
      assert.ok(ticker !== undefined);
      const buy = times(times(rational(ask), markedUp(it.fee)), times(mid, markedUp(margin)));
      assert.equal(ticker.sellPrice, sellPrice);
      assert.equal(ticker.buyPrice, rounded(buy, places, 'up'));
      assert.equal(ticker.high24h, rounded(times(rational(it.high), mid), places, 'half-even'));
      assert.equal(ticker.vwap24h, rounded(times(rational(it.vwap), mid), places, 'half-even'));
      assert.equal(ticker.volume24h, rounded(rational(it.volume), it.amountPrecision, 'half-even'));
      assert.equal(ticker.priceChangePercent24h, rounded(rational(it.change), 2, 'half-even'));
      const moved = over(minus(rational(it.last), rational(it.hourAgo)), rational(it.hourAgo));
      assert.equal(ticker.priceChangePercent1h, rounded(times(moved, rational('100')), 2, 'half-even'));
    }),
    { numRuns: 1_500 },
  );
});
