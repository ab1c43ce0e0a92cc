import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { type ListingChoice, selectMarkets } from '../market-listing.ts';
import { asObject, parsePlain, UpstreamError } from '../wire.ts';
import { readAssetPairs, readAssets } from './messages.ts';

const recording = new URL('../../../exchange-simulator/recordings/asset-pairs-2021-04-17.json', import.meta.url);
const recorded = asObject(parsePlain(readFileSync(recording, 'utf8')))?.result;
const eur = { quotes: ['EUR' as CurrencyCode], symbols: 'all' } as const;

const today = {
  altname: 'XBTEUR',
  wsname: 'XBT/EUR',
  base: 'XXBT',
  quote: 'ZEUR',
  cost_decimals: 5,
  pair_decimals: 1,
  lot_decimals: 8,
  ordermin: '0.00005',
  costmin: '0.5',
  tick_size: '0.1',
  status: 'online',
};

const select = (pairs: unknown, choice: ListingChoice) => selectMarkets(readAssetPairs(pairs, new Map()), choice);

function readOne(changes: object) {
  return select({ XXBTZEUR: { ...today, ...changes } }, eur);
}

test('the recorded catalogue of 2021 gives 56 EUR markets: 58 pairs less two dark pools', () => {
  const { markets, skipped, names } = select(recorded, eur);
  assert.equal(markets.length, 56);
  assert.deepEqual(skipped, []);
  assert.equal(names.length, new Set(names.map((pair) => pair.symbol)).size);
  assert.ok(markets.every((market) => market.status === 'trading' && market.quote === 'EUR'));
});

test('each recorded market keeps its digits, and a tick of its decimals where none is given', () => {
  const { markets, names } = select(recorded, eur);
  const bitcoin = markets.find((market) => market.base === 'BTC');
  assert.deepEqual(bitcoin, {
    symbol: 'BTCEUR',
    base: 'BTC',
    quote: 'EUR',
    status: 'trading',
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: '0.1',
    minOrderSize: '0.0002',
    minOrderValue: undefined,
  });
  const doge = names.find((pair) => pair.symbol === ('DOGEEUR' as MarketSymbol));
  assert.deepEqual(doge, { symbol: 'DOGEEUR', id: 'XDGEUR', liveName: 'DOGE/EUR' });
  const whole = markets.find((market) => market.base === 'YFI');
  assert.deepEqual([whole?.pricePrecision, whole?.tickSize], [0, '1']);
  const pairs = asObject(recorded) ?? {};
  for (const market of markets) {
    const id = names.find((pair) => pair.symbol === market.symbol)?.id ?? '';
    assert.equal(market.minOrderSize, asObject(pairs[id])?.ordermin);
  }
});

test('in today’s shape tick_size applies even when it is not a power of ten, and costmin is the minimum value', () => {
  const market = readOne({ tick_size: '0.5', pair_decimals: 1 }).markets[0];
  assert.deepEqual([market?.tickSize, market?.pricePrecision, market?.minOrderValue], ['0.5', 1, '0.5']);
});

test('only online is trading; every other state, known or new, is paused', () => {
  const states = ['online', 'cancel_only', 'post_only', 'limit_only', 'reduce_only', 'something_new', 7, null];
  const read = states.map((status) => readOne({ status }).markets[0]?.status);
  assert.deepEqual(read, ['trading', 'paused', 'paused', 'paused', 'paused', 'paused', 'paused', 'paused']);
});

test('a pair that lacks what a market needs is reported and the others stay', () => {
  const broken = [
    { pair_decimals: undefined },
    { pair_decimals: 19 },
    { lot_decimals: '8.5' },
    { ordermin: undefined },
    { ordermin: '0' },
    { tick_size: 'NaN' },
    { tick_size: '-0.1' },
  ];
  for (const changes of broken) {
    const pairs = { XXBTZEUR: { ...today, ...changes }, ADAEUR: { ...today, wsname: 'ADA/EUR', base: 'ADA' } };
    const { markets, skipped } = select(pairs, eur);
    assert.deepEqual(
      markets.map((market) => market.symbol),
      ['ADAEUR'],
    );
    assert.deepEqual(
      skipped.map((pair) => pair.name),
      ['XXBTZEUR'],
    );
  }
});

test('other quote currencies and symbols that were not chosen are not markets, but keep their names', () => {
  const chosen = { quotes: ['EUR' as CurrencyCode], symbols: ['ADAEUR' as MarketSymbol] };
  const { markets, names } = select(recorded, chosen);
  assert.deepEqual(
    markets.map((market) => market.symbol),
    ['ADAEUR'],
  );
  assert.ok(names.some((pair) => pair.symbol === ('BTCUSD' as MarketSymbol)));
});

test('two pairs of one symbol make one market, and the second is reported', () => {
  const { markets, skipped } = select({ XXBTZEUR: today, XBTEUR2: today }, eur);
  assert.equal(markets.length, 1);
  assert.deepEqual(
    skipped.map((pair) => pair.name),
    ['XBTEUR2'],
  );
});

test('a pair under the live name of another, or of no pair, is refused and takes no name (fault row 58)', () => {
  const fakes = {
    AFAKEEUR: { ...today, base: 'FAKE' },
    FAKEUSD: { ...today, base: 'FAKE', quote: 'ZUSD' },
    ODDEUR: { ...today, base: 'ODD', wsname: 'EVEN/EUR' },
  };
  const { markets, skipped, names } = select({ ...fakes, XXBTZEUR: today }, eur);
  assert.deepEqual(
    markets.map((market) => market.symbol),
    ['BTCEUR'],
  );
  assert.deepEqual(names, [{ symbol: 'BTCEUR', id: 'XXBTZEUR', liveName: 'BTC/EUR' }]);
  assert.deepEqual(
    skipped.map(({ symbol, reason }) => `${symbol}: ${reason}`),
    [
      'FAKEEUR: its live name BTC/EUR differs from its base and quote, FAKE/EUR',
      'FAKEUSD: its live name BTC/EUR differs from its base and quote, FAKE/USD',
      'ODDEUR: its live name EVEN/EUR differs from its base and quote, ODD/EUR',
    ],
  );
});

test('a pair with lower-case letters is offered in capitals, unless another pair has that name already', () => {
  const tokenised = { ...today, base: 'AAPLx', wsname: 'AAPLx/EUR' };
  const alone = select({ AAPLxEUR: tokenised }, eur);
  assert.deepEqual(alone.names, [{ symbol: 'AAPLXEUR', id: 'AAPLxEUR', liveName: 'AAPLx/EUR' }]);
  assert.deepEqual([alone.markets[0]?.symbol, alone.markets[0]?.base, alone.skipped], ['AAPLXEUR', 'AAPLX', []]);
  const other = { ...today, base: 'AAPLX', wsname: 'AAPLX/EUR' };
  const both = select({ AAPLxEUR: tokenised, AAPLXEUR: other }, eur);
  assert.deepEqual(
    both.names.map(({ id }) => id),
    ['AAPLXEUR'],
  );
  assert.deepEqual(both.skipped, [{ name: 'AAPLxEUR', symbol: 'AAPLXEUR', reason: 'AAPLXEUR has the same symbol' }]);
});

test('an answer that is not a catalogue is malformed, and an unreadable entry in one is ignored', () => {
  for (const result of [null, [], 'x', undefined]) {
    assert.throws(() => select(result, eur), UpstreamError);
    assert.throws(() => readAssets(result), UpstreamError);
  }
  assert.deepEqual(select({ A: null, B: [], C: 'x' }, eur).markets, []);
});
