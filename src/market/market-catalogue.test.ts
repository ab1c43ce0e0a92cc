import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketCatalogue, type MarketSelection, type OfferedMarket } from './market-catalogue.ts';
import type { PricingPolicy } from './pricing.ts';
import {
  after,
  CZK,
  currency,
  dayMs,
  decimal,
  EUR,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
} from './samples.testing.ts';
import type { UpstreamMarket } from './upstream.ts';

const USD = currency('USD');

function loaded(
  markets: readonly UpstreamMarket[],
  policy: Partial<PricingPolicy> = {},
  selection: MarketSelection = everyEuroMarket,
): MarketCatalogue {
  const catalogue = new MarketCatalogue(pricingPolicy(policy), selection);
  catalogue.load(markets, start);
  return catalogue;
}

function symbols(markets: Iterable<OfferedMarket>): string[] {
  return [...markets].map((market) => market.symbol);
}

test('an exchange market is offered with the upstream’s own precisions and sizes, these in their shortest form', () => {
  const catalogue = loaded([upstreamMarket('BTC')]);
  assert.deepEqual(catalogue.find(symbol('BTCEUR')), {
    symbol: 'BTCEUR',
    base: 'BTC',
    quote: 'EUR',
    status: 'trading',
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: '0.1',
    minOrderSize: '0.00005',
    minOrderValue: '0.5',
    exchangeSymbol: 'BTCEUR',
    isConverted: false,
    listedUntil: undefined,
  });
});

test('a converted market has the same base, status and sizes, one decimal less, its own tick size and no smallest value', () => {
  const catalogue = loaded([upstreamMarket('BTC', { pricePrecision: 5, tickSize: decimal('0.00005') })]);
  assert.deepEqual(catalogue.find(symbol('BTCCZK')), {
    symbol: 'BTCCZK',
    base: 'BTC',
    quote: 'CZK',
    status: 'trading',
    pricePrecision: 4,
    amountPrecision: 8,
    tickSize: '0.0001',
    minOrderSize: '0.00005',
    minOrderValue: undefined,
    exchangeSymbol: 'BTCEUR',
    isConverted: true,
    listedUntil: undefined,
  });
});

test('the precision of a converted market is at least 0, and the configured one where there is one', () => {
  const cases: [number, number | undefined, number, string][] = [
    [0, undefined, 0, '1'],
    [1, undefined, 0, '1'],
    [2, undefined, 1, '0.1'],
    [2, 0, 0, '1'],
    [0, 3, 3, '0.001'],
  ];
  for (const [upstreamPrecision, configured, precision, tickSize] of cases) {
    const pricePrecision = new Map(configured === undefined ? [] : [[symbol('BTCCZK'), configured]]);
    const catalogue = loaded([upstreamMarket('BTC', { pricePrecision: upstreamPrecision })], { pricePrecision });
    const market = catalogue.find(symbol('BTCCZK'))!;
    assert.deepEqual([market.pricePrecision, market.tickSize], [precision, tickSize]);
  }
});

test('markets are ordered by symbol, in whatever order the upstream lists them', () => {
  const catalogue = loaded(['XRP', '1INCH', 'BTC', 'AAVE', 'BTCX'].map((base) => upstreamMarket(base)));
  const all = symbols(catalogue.all());
  assert.deepEqual(all, [...all].sort());
  assert.deepEqual(symbols(catalogue.listed(start)), all);
  assert.equal(all.length, 10);
});

test('only the selected quotes and symbols are offered, and the markets derived from them', () => {
  const upstream = [upstreamMarket('BTC'), upstreamMarket('ETH'), upstreamMarket('BTC', { quote: USD })];
  assert.deepEqual(symbols(loaded(upstream).all()), ['BTCCZK', 'BTCEUR', 'ETHCZK', 'ETHEUR']);
  const oneSymbol = { quotes: new Set([EUR, USD]), symbols: new Set([symbol('BTCUSD')]) };
  assert.deepEqual(symbols(loaded(upstream, {}, oneSymbol).all()), ['BTCUSD']);
  const two = { quotes: new Set([EUR]), symbols: new Set([symbol('BTCUSD'), symbol('ETHEUR')]) };
  assert.deepEqual(symbols(loaded(upstream, {}, two).all()), ['ETHCZK', 'ETHEUR']);
});

test('without converted quotes there are exchange markets only; with several each gets its markets', () => {
  assert.deepEqual(symbols(loaded([upstreamMarket('BTC')], { converted: new Map() }).all()), ['BTCEUR']);
  const converted = new Map([
    [CZK, { via: EUR, marginPercent: decimal('1') }],
    [currency('HUF'), { via: EUR, marginPercent: decimal('2') }],
    [currency('PLN'), { via: USD, marginPercent: decimal('2') }],
  ]);
  assert.deepEqual(symbols(loaded([upstreamMarket('BTC')], { converted }).all()), ['BTCCZK', 'BTCEUR', 'BTCHUF']);
});

test('no currency is quoted in itself', () => {
  assert.deepEqual(symbols(loaded([upstreamMarket('CZK')]).all()), ['CZKEUR']);
});

test('a market that the exchange itself lists is not also converted', () => {
  const own = { quotes: new Set([EUR, CZK]), symbols: 'all' as const };
  const catalogue = loaded([upstreamMarket('BTC'), upstreamMarket('BTC', { quote: CZK })], {}, own);
  assert.deepEqual(symbols(catalogue.all()), ['BTCCZK', 'BTCEUR']);
  assert.equal(catalogue.find(symbol('BTCCZK'))!.isConverted, false);
});

test('a symbol the operator delisted stays delisted when the exchange starts to list it itself', () => {
  const own = { quotes: new Set([EUR, CZK]), symbols: 'all' as const };
  const catalogue = loaded([upstreamMarket('BTC')], {}, own);
  catalogue.applyControls([{ symbol: symbol('BTCCZK'), operatorPaused: false, delistedAt: start }]);
  catalogue.load([upstreamMarket('BTC'), upstreamMarket('BTC', { quote: CZK })], after(start, 1));
  const market = catalogue.find(symbol('BTCCZK'))!;
  assert.deepEqual(
    [market.isConverted, market.status, market.listedUntil],
    [false, 'delisted', after(start, 30 * dayMs)],
  );
});

test('no catalogue was ever loaded until a load lists a selected market, or records of one are restored', () => {
  const catalogue = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
  catalogue.load([], start);
  catalogue.load([upstreamMarket('BTC', { quote: USD })], start);
  catalogue.restore([]);
  assert.equal(catalogue.everLoaded, false);
  assert.deepEqual(symbols(catalogue.listed(start)), []);
  const other = loaded([upstreamMarket('BTC')]);
  assert.equal(other.everLoaded, true);
  catalogue.restore(other.records());
  assert.equal(catalogue.everLoaded, true);
});

test('an empty load is no evidence: it neither delists nor counts', () => {
  const catalogue = loaded([upstreamMarket('BTC')]);
  for (let load = 1; load <= 5; load++) catalogue.load([], after(start, load));
  catalogue.load([upstreamMarket('ETH')], after(start, 6));
  catalogue.load([upstreamMarket('ETH')], after(start, 7));
  assert.equal(catalogue.find(symbol('BTCEUR'))!.status, 'trading');
  catalogue.load([upstreamMarket('ETH')], after(start, 8));
  assert.equal(catalogue.find(symbol('BTCEUR'))!.status, 'delisted');
});

test('a market that the upstream no longer lists is delisted at the third load, and its converted market with it', () => {
  const catalogue = loaded([upstreamMarket('BTC'), upstreamMarket('ETH')]);
  for (const byMs of [1, 2, 3]) catalogue.load([upstreamMarket('ETH')], after(start, byMs));
  for (const name of ['BTCEUR', 'BTCCZK']) {
    const market = catalogue.find(symbol(name))!;
    assert.deepEqual([market.status, market.listedUntil], ['delisted', after(start, 3 + 30 * dayMs)]);
  }
  assert.equal(catalogue.find(symbol('ETHCZK'))!.status, 'trading');
  catalogue.load([upstreamMarket('BTC'), upstreamMarket('ETH')], after(start, 4));
  assert.equal(catalogue.find(symbol('BTCEUR'))!.status, 'delisted');
});

test('a delisted market is listed through the last millisecond of its 30 days and gone with the next', () => {
  const catalogue = loaded([upstreamMarket('BTC'), upstreamMarket('ETH')]);
  catalogue.applyControls([{ symbol: symbol('BTCEUR'), operatorPaused: false, delistedAt: start }]);
  const end = after(start, 30 * dayMs);
  assert.deepEqual(symbols(catalogue.listed(after(end, -1))), ['BTCCZK', 'BTCEUR', 'ETHCZK', 'ETHEUR']);
  assert.deepEqual(symbols(catalogue.listed(end)), ['ETHCZK', 'ETHEUR']);
  assert.equal(catalogue.nextRemovalAt(after(end, -1)), end);
  assert.equal(catalogue.nextRemovalAt(end), undefined);
  assert.equal(catalogue.find(symbol('BTCEUR'))!.status, 'delisted', 'known for good, so that it never comes back');
});

test('a converted market is paused, resumed and delisted without its exchange market', () => {
  const catalogue = loaded([upstreamMarket('BTC')]);
  const decide = (operatorPaused: boolean, delistedAt?: typeof start) =>
    catalogue.applyControls([{ symbol: symbol('BTCCZK'), operatorPaused, delistedAt }]);
  const states = () => symbols(catalogue.all()).map((name) => catalogue.find(symbol(name))!.status);
  decide(true);
  assert.deepEqual(states(), ['paused', 'trading']);
  decide(false);
  assert.deepEqual(states(), ['trading', 'trading']);
  decide(false, start);
  assert.deepEqual(states(), ['delisted', 'trading']);
  decide(false);
  assert.deepEqual(states(), ['delisted', 'trading'], 'final');
});

test('a decision made before the market is known holds once it is listed', () => {
  const catalogue = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
  catalogue.applyControls([{ symbol: symbol('BTCEUR'), operatorPaused: true, delistedAt: undefined }]);
  catalogue.load([upstreamMarket('BTC')], start);
  assert.equal(catalogue.find(symbol('BTCEUR'))!.status, 'paused');
});

test('a status change between loads holds at once, for the converted market too, and is ignored for an unknown one', () => {
  const catalogue = loaded([upstreamMarket('BTC')]);
  catalogue.changeStatus(symbol('BTCEUR'), 'paused');
  catalogue.changeStatus(symbol('NOPEEUR'), 'paused');
  assert.equal(catalogue.find(symbol('BTCEUR'))!.status, 'paused');
  assert.equal(catalogue.find(symbol('BTCCZK'))!.status, 'paused');
  assert.equal(catalogue.find(symbol('NOPEEUR')), undefined);
});

test('a later load replaces a market’s precisions and sizes', () => {
  const catalogue = loaded([upstreamMarket('BTC')]);
  catalogue.load([upstreamMarket('BTC', { pricePrecision: 3, minOrderValue: undefined })], after(start, 1));
  const market = catalogue.find(symbol('BTCEUR'))!;
  assert.deepEqual([market.pricePrecision, market.minOrderValue], [3, undefined]);
  assert.equal(catalogue.find(symbol('BTCCZK'))!.pricePrecision, 2);
});

test('an exchange market knows all markets derived from it', () => {
  const catalogue = loaded([upstreamMarket('BTC')]);
  assert.deepEqual(catalogue.pricedFrom(symbol('BTCEUR')), ['BTCCZK', 'BTCEUR']);
  assert.deepEqual(catalogue.pricedFrom(symbol('BTCCZK')), []);
});

test('markets that are no longer selected are not restored', () => {
  const before = loaded([upstreamMarket('BTC'), upstreamMarket('ETH')]);
  const narrower = new MarketCatalogue(pricingPolicy(), {
    quotes: new Set([EUR]),
    symbols: new Set([symbol('ETHEUR')]),
  });
  narrower.restore(before.records());
  assert.deepEqual(symbols(narrower.all()), ['ETHCZK', 'ETHEUR']);
});
