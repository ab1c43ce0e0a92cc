import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketCatalogue, type MarketRecord } from './market-catalogue.ts';
import { Markets } from './markets.ts';
import {
  after,
  CZK,
  dayMs,
  decimal,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from './samples.testing.ts';
import type { ListedMarket, ListedStatus } from './upstream.ts';

const bases = Array.from({ length: 20 }, (_, index) => `B${String.fromCharCode(65 + index)}`);
const BA = symbol('BAEUR');
const delistAfterMs = dayMs;

const listed = (base: string, status: ListedStatus): ListedMarket => ({ ...upstreamMarket(base), status });
const list = (states: Readonly<Record<string, ListedStatus>> = {}) =>
  bases.map((base) => listed(base, states[base] ?? 'trading'));
const symbols = (catalogue: MarketCatalogue) => [...catalogue.all()].map((market) => market.symbol);

function catalogueOf(rules = { ids: ['one'], lists: new Map() }) {
  return new MarketCatalogue(pricingPolicy({ converted: new Map() }), everyEuroMarket, undefined, rules);
}

/** A catalogue that has seen all markets trade. */
function trading(): MarketCatalogue {
  const catalogue = catalogueOf();
  catalogue.load(list(), start);
  return catalogue;
}

/** A load an hour. */
function pass(catalogue: MarketCatalogue, fromHour: number, toHour: number, states: Record<string, ListedStatus>) {
  for (let hour = fromHour; hour <= toHour; hour++) catalogue.load(list(states), after(start, hour * hourMs));
}

test('a market that had ended when it was first seen is in no list and counts for nothing, until it trades (fault row 95)', () => {
  const catalogue = catalogueOf();
  for (let hour = 0; hour <= 48; hour++) {
    const report = catalogue.load(list({ BA: 'ended', BB: 'ended', BC: 'ended' }), after(start, hour * hourMs));
    assert.deepEqual([report.isEvidence, report.lacking], [true, 0]);
  }
  assert.equal(symbols(catalogue).length, 17);
  assert.deepEqual(catalogue.absences(delistAfterMs), { missing: [], due: [], isHeldBack: false });
  assert.equal(catalogue.statusAt('one', BA), undefined, 'it is none of the source either');
  catalogue.load(list({ BB: 'ended', BC: 'paused' }), after(start, 49 * hourMs));
  assert.equal(catalogue.find(BA)?.status, 'trading');
  assert.equal(catalogue.find(symbol('BBEUR')), undefined);
  assert.equal(catalogue.find(symbol('BCEUR')), undefined, 'in a maintenance all markets are called paused');
  catalogue.load(list({ BB: 'ended' }), after(start, 50 * hourMs));
  assert.equal(catalogue.find(symbol('BCEUR'))?.status, 'trading');
});

test('a market that ends and stays in the list is paused at once, and due after its time (fault row 95)', () => {
  const catalogue = trading();
  pass(catalogue, 1, 1, { BA: 'ended' });
  assert.equal(catalogue.find(BA)?.status, 'paused');
  pass(catalogue, 2, 24, { BA: 'ended' });
  assert.deepEqual(catalogue.absences(delistAfterMs).due, []);
  pass(catalogue, 25, 25, { BA: 'ended' });
  assert.deepEqual(catalogue.absences(delistAfterMs), { missing: [BA], due: [BA], isHeldBack: false });
  assert.equal(catalogue.find(BA)?.pricePrecision, 1, 'its terms are the last known ones');
});

test('a state that pauses is no end, however long it lasts (fault row 95)', () => {
  const catalogue = trading();
  pass(catalogue, 1, 60, { BA: 'paused' });
  assert.equal(catalogue.find(BA)?.status, 'paused');
  assert.deepEqual(catalogue.absences(delistAfterMs).missing, []);
});

test('a price, and being listed in another state, start the time of a market that ended over (fault row 95)', () => {
  for (const comeBack of [
    (catalogue: MarketCatalogue) => void catalogue.ticked(BA),
    (catalogue: MarketCatalogue) => pass(catalogue, 20, 20, { BA: 'paused' }),
  ]) {
    const catalogue = trading();
    pass(catalogue, 1, 20, { BA: 'ended' });
    comeBack(catalogue);
    assert.equal(catalogue.find(BA)?.status, 'paused');
    pass(catalogue, 21, 44, { BA: 'ended' });
    assert.deepEqual(catalogue.absences(delistAfterMs).due, []);
    pass(catalogue, 45, 45, { BA: 'ended' });
    assert.deepEqual(catalogue.absences(delistAfterMs).due, [BA]);
  }
});

test('how long a market has ended survives a restart, and an ended one that was known stays known (fault row 95)', () => {
  const before = trading();
  pass(before, 1, 20, { BA: 'ended' });
  const records = JSON.parse(JSON.stringify(before.records())) as MarketRecord[];
  const catalogue = catalogueOf();
  catalogue.restore(records, before.listedBySource());
  pass(catalogue, 21, 24, { BA: 'ended' });
  assert.deepEqual([catalogue.find(BA)?.status, catalogue.absences(delistAfterMs).due], ['paused', []]);
  pass(catalogue, 25, 25, { BA: 'ended' });
  assert.deepEqual(catalogue.absences(delistAfterMs).due, [BA]);
});

test('of more than a tenth that end at once none is due by itself (fault row 95)', () => {
  const catalogue = trading();
  pass(catalogue, 1, 40, { BA: 'ended', BB: 'ended', BC: 'ended' });
  const { due, isHeldBack } = catalogue.absences(delistAfterMs);
  assert.deepEqual([due.length, isHeldBack], [3, true]);
});

test('a load that lacks most of the markets says nothing of how long the others have ended (fault row 95)', () => {
  const catalogue = trading();
  // Of two equal ones the second would be believed.
  const few = (hour: number) => [listed('BA', 'ended'), listed(hour % 2 === 0 ? 'BB' : 'BC', 'trading')];
  for (let hour = 1; hour <= 48; hour++) catalogue.load(few(hour), after(start, hour * hourMs));
  assert.equal(catalogue.find(BA)?.status, 'paused');
  assert.deepEqual(catalogue.absences(delistAfterMs).missing, []);
});

test('a placeholder of one source hides neither the market of another nor the converted one (fault row 95)', () => {
  const two = catalogueOf({ ids: ['one', 'two'], lists: new Map() });
  two.load([listed('BA', 'ended'), listed('BB', 'trading')], start, undefined, 'one');
  two.load([{ ...listed('BA', 'trading'), pricePrecision: 5 }], start, undefined, 'two');
  assert.deepEqual([two.find(BA)?.status, two.find(BA)?.pricePrecision], ['trading', 5]);
  const converting = new MarketCatalogue(pricingPolicy(), {
    quotes: new Set([CZK, upstreamMarket('BA').quote]),
    symbols: 'all',
  });
  converting.load([listed('BA', 'trading'), { ...upstreamMarket('BA', { quote: CZK }), status: 'ended' }], start);
  assert.equal(converting.find(symbol('BACZK'))?.isConverted, true);
});

test('a market of a former record that never had a price and has ended is none, with what is converted from it (fault row 95)', () => {
  const former = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
  former.load(list({ BA: 'paused', BB: 'paused', BC: 'paused', BD: 'paused' }), start);
  former.applyControls([{ symbol: symbol('BCEUR'), operatorPaused: true, delistedAt: undefined }]);
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.restore({ records: former.records(), tickers: [], references: [], rates: [] });
  markets.tickerReceived(upstreamTicker({ symbol: symbol('BBEUR') }));
  markets.catalogueLoaded(list({ BA: 'ended', BB: 'ended', BC: 'ended' }), after(start, hourMs));
  const { catalogue } = markets;
  assert.deepEqual([catalogue.find(BA), catalogue.find(symbol('BACZK'))], [undefined, undefined]);
  for (const known of ['BBEUR', 'BCEUR', 'BCCZK', 'BDEUR']) assert.ok(catalogue.find(symbol(known)), known);
  assert.deepEqual([...catalogue.forgotten], [BA]);
  assert.equal(catalogue.records().length, 38);

  const follower = new MarketCatalogue(pricingPolicy(), everyEuroMarket);
  follower.restore(former.records());
  follower.restore(catalogue.records(), catalogue.listedBySource(), undefined, [...catalogue.forgotten]);
  assert.deepEqual(symbols(follower), symbols(catalogue), 'in the processes that follow too');

  markets.catalogueLoaded(list({ BB: 'ended' }), after(start, 2 * hourMs));
  assert.equal(catalogue.find(BA)?.status, 'trading', 'it came to life');
  assert.deepEqual([...catalogue.forgotten], []);
  markets.catalogueLoaded(list({ BA: 'ended' }), after(start, 3 * hourMs));
  assert.equal(catalogue.find(BA)?.status, 'paused', 'from then on it has a life');
});

test('announced terms hold at once, those that are left out stay, and unknown markets stay unknown (fault row 96)', () => {
  const catalogue = trading();
  catalogue.change(BA, { pricePrecision: 9, tickSize: decimal('0.000000001') });
  const { pricePrecision, tickSize, amountPrecision, status } = catalogue.find(BA)!;
  assert.deepEqual([pricePrecision, tickSize, amountPrecision, status], [9, '0.000000001', 8, 'trading']);
  catalogue.change(symbol('NOPEEUR'), { pricePrecision: 9 });
  assert.equal(catalogue.find(symbol('NOPEEUR')), undefined);
});
