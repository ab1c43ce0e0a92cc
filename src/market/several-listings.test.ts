import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketCatalogue } from './market-catalogue.ts';
import {
  after,
  dayMs,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
} from './samples.testing.ts';
import type { UpstreamMarketStatus } from './upstream.ts';

const BTCEUR = symbol('BTCEUR');
const bases = ['BTC', 'ETH', 'XRP', 'LTC'];

/** A catalogue of the sources `one` and `two`. */
function catalogue() {
  const policy = pricingPolicy({ converted: new Map() });
  const made = new MarketCatalogue(policy, everyEuroMarket, undefined, { ids: ['one', 'two'], lists: new Map() });
  /** The catalogue of a source, so many hours after the start, which lacks some. */
  const load = (
    source: string,
    hours: number,
    lacking: readonly string[] = [],
    status: UpstreamMarketStatus = 'trading',
  ) => {
    const markets = bases.filter((base) => !lacking.includes(base)).map((base) => upstreamMarket(base, { status }));
    return made.load(markets, after(start, hours * hourMs), undefined, source);
  };
  const absences = () => made.absences(2 * hourMs);
  const delist = (name: string, hours: number) =>
    made.applyControls([{ symbol: symbol(name), operatorPaused: false, delistedAt: after(start, hours * hourMs) }]);
  return { made, load, absences, delist, status: () => made.find(BTCEUR)?.status };
}

test('a market that all sources lack is due by the source that has lacked it for the shortest time', () => {
  for (const [early, late] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    const { load, absences, status } = catalogue();
    for (const source of ['one', 'two']) load(source, 0);
    for (let hour = 1; hour <= 4; hour++) load(early, hour, ['BTC']);
    assert.deepEqual([absences().missing, status()], [[], 'trading'], 'the other one still lists it');
    for (let hour = 5; hour <= 6; hour++) load(late, hour, ['BTC']);
    assert.deepEqual([absences().missing, absences().due], [[BTCEUR], []]);
    assert.equal(status(), 'paused');
    load(late, 7, ['BTC']);
    assert.deepEqual(absences().due, [BTCEUR]);
  }
});

test('a market is trading while one of the sources that list it trades it', () => {
  const { load, status } = catalogue();
  load('one', 0, [], 'paused');
  assert.equal(status(), 'paused');
  load('two', 0);
  assert.equal(status(), 'trading');
  load('two', 1, ['BTC']);
  load('two', 2, ['BTC']);
  assert.equal(status(), 'paused', 'the one that trades it lists it no more');
});

test('which source listed what lasts over a restart: a market goes missing with the one that listed it', () => {
  const before = catalogue();
  before.load('one', 0, ['BTC']);
  before.load('two', 0);
  assert.deepEqual(
    before.made.listedBySource().map(([source, symbols]) => [source, symbols.length, symbols.includes(BTCEUR)]),
    [
      ['one', 3, false],
      ['two', 4, true],
    ],
  );
  const { made, load, absences } = catalogue();
  made.restore(before.made.records(), before.made.listedBySource());
  assert.deepEqual([made.statusAt('one', BTCEUR), made.statusAt('two', BTCEUR)], [undefined, 'trading']);
  for (let hour = 1; hour <= 3; hour++) load('one', hour, ['BTC']);
  assert.deepEqual(absences().missing, []);
  for (let hour = 1; hour <= 3; hour++) load('two', hour, ['BTC']);
  assert.deepEqual(absences().missing, [BTCEUR]);
});

test('records that say nothing of sources are held against the first one alone', () => {
  const before = catalogue();
  before.load('two', 0);
  const { made } = catalogue();
  made.restore(before.made.records());
  assert.deepEqual([made.statusAt('one', BTCEUR), made.statusAt('two', BTCEUR)], ['trading', undefined]);
});

test('a load names the delisted markets, which are neither missing nor part of the tenth', () => {
  const { load, absences, delist } = catalogue();
  assert.deepEqual(load('one', 0).delisted, []);
  delist('BTCEUR', 1);
  const verdict = load('one', 1, ['BTC']);
  assert.deepEqual(verdict, { isEvidence: true, withheld: new Set(), lacking: 0, delisted: [BTCEUR] });
  load('one', 2, ['BTC']);
  assert.deepEqual(absences(), { missing: [], due: [], isHeldBack: false });
});

test('the next market to leave the list is the one that was delisted first, in whatever order that became known', () => {
  const { made, load, delist } = catalogue();
  load('one', 0);
  delist('BTCEUR', 3);
  delist('ETHEUR', 1);
  delist('LTCEUR', 2);
  const leaves = (hours: number) => after(start, hours * hourMs + 30 * dayMs);
  assert.equal(made.nextRemovalAt(start), leaves(1));
  assert.equal(made.nextRemovalAt(leaves(1)), leaves(2));
  assert.equal(made.nextRemovalAt(leaves(2)), leaves(3));
  assert.equal(made.nextRemovalAt(leaves(3)), undefined);
});

test('an earlier delisting stays when a record of another process knows a later one or none', () => {
  const { made, load, delist } = catalogue();
  load('one', 0);
  delist('BTCEUR', 1);
  const [record] = made.records().filter((each) => each.symbol === BTCEUR);
  for (const delistedAt of [undefined, after(start, 9 * hourMs)]) made.restore([{ ...record!, delistedAt }]);
  assert.equal(made.find(BTCEUR)?.listedUntil, after(start, hourMs + 30 * dayMs));
  made.applyControls([{ symbol: symbol('ETHEUR'), operatorPaused: true, delistedAt: undefined }]);
  const [paused] = made.records().filter((each) => each.symbol === 'ETHEUR');
  made.restore([{ ...paused!, operatorPaused: false }]);
  assert.equal(made.find(symbol('ETHEUR'))?.status, 'paused', 'the operator decided it here');
});
