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
  hourMs,
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

const names = Array.from({ length: 20 }, (_, index) => `C${index}`);
const listing = (without: number) => names.slice(without).map((name) => upstreamMarket(name));

/** Loads an hour apart that lack the first `without` of twenty markets. */
function missing(catalogue: MarketCatalogue, without: number, hours: readonly [from: number, to: number]): void {
  for (let hour = hours[0]; hour <= hours[1]; hour++) catalogue.load(listing(without), after(start, hour * hourMs));
}

test('an empty load, an incomplete one and one that lacks more than half are no evidence: what they list is listed, what they lack stays', () => {
  const catalogue = loaded(listing(0));
  const loads: (() => { isEvidence: boolean })[] = [
    () => catalogue.load([], after(start, 1)),
    () => catalogue.load(listing(1), after(start, 2), { skipped: [], isComplete: false }),
    () => catalogue.load([...listing(11), upstreamMarket('NEW')], after(start, 3)),
  ];
  for (let round = 1; round <= 5; round++) for (const load of loads) assert.equal(load().isEvidence, false);
  assert.ok([...catalogue.all()].every(({ status }) => status === 'trading'));
  assert.deepEqual(catalogue.absences(0).missing, []);
  assert.equal(catalogue.find(symbol('NEWEUR'))?.status, 'trading');
  assert.equal(catalogue.load(listing(9), after(start, 4)).isEvidence, true);
});

test('a market that two loads lack is paused with its converted one, is due after its time, and never delists itself', () => {
  const catalogue = loaded(listing(0));
  missing(catalogue, 1, [1, 24]);
  for (const name of ['C0EUR', 'C0CZK']) assert.equal(catalogue.find(symbol(name))?.status, 'paused');
  assert.equal(catalogue.find(symbol('C1EUR'))?.status, 'trading');
  assert.deepEqual(catalogue.absences(dayMs), { missing: ['C0EUR'], due: [], isHeldBack: false });
  missing(catalogue, 1, [25, 25]);
  assert.deepEqual(catalogue.absences(dayMs), { missing: ['C0EUR'], due: ['C0EUR'], isHeldBack: false });
  assert.equal(catalogue.find(symbol('C0EUR'))?.status, 'paused');
});

test('a ticker, a listing, or a pair that is listed but unreadable, starts the count over (fault row 54)', () => {
  const restarts: ((catalogue: MarketCatalogue) => unknown)[] = [
    (catalogue) => catalogue.ticked(symbol('C0EUR')),
    (catalogue) => catalogue.load(listing(0), after(start, 23.5 * hourMs)),
  ];
  for (const restart of restarts) {
    const catalogue = loaded(listing(0));
    missing(catalogue, 1, [1, 23]);
    restart(catalogue);
    assert.equal(catalogue.find(symbol('C0EUR'))?.status, 'trading');
    missing(catalogue, 1, [24, 47]);
    assert.deepEqual(catalogue.absences(dayMs).due, []);
  }
  const catalogue = loaded(listing(0));
  const skipped = [{ name: 'C0', symbol: symbol('C0EUR'), reason: 'unreadable' }];
  for (let hour = 1; hour < 50; hour++) {
    catalogue.load(listing(1), after(start, hour * hourMs), { skipped, isComplete: true });
  }
  assert.deepEqual(catalogue.absences(dayMs).missing, []);
});

test('when more than a tenth of the markets are missing, those that are due are held back (fault row 54)', () => {
  const catalogue = loaded(listing(0));
  missing(catalogue, 2, [1, 26]);
  assert.deepEqual(catalogue.absences(dayMs), {
    missing: ['C0EUR', 'C1EUR'],
    due: ['C0EUR', 'C1EUR'],
    isHeldBack: false,
  });
  missing(catalogue, 3, [27, 28]);
  const { due, isHeldBack } = catalogue.absences(dayMs);
  assert.deepEqual([due, isHeldBack], [['C0EUR', 'C1EUR'], true]);
});

test('how long a market has been missing survives a restart', () => {
  const before = loaded(listing(0));
  missing(before, 1, [1, 20]);
  const catalogue = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
  catalogue.restore(JSON.parse(JSON.stringify(before.records())));
  assert.equal(catalogue.find(symbol('C0CZK'))?.status, 'paused');
  missing(catalogue, 1, [21, 25]);
  assert.deepEqual(catalogue.absences(dayMs).due, ['C0EUR']);
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
  catalogue.change(symbol('BTCEUR'), { status: 'paused' });
  catalogue.change(symbol('NOPEEUR'), { status: 'paused' });
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
