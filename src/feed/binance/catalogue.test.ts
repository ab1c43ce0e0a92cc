import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode } from '../../market/symbol.ts';
import { selectMarkets } from '../market-listing.ts';
import { recordedText } from '../recordings.testing.ts';
import { asList, asObject, parsePlain, UpstreamError } from '../wire.ts';
import { readExchangeInfo } from './connector.ts';

const recorded = parsePlain(recordedText('binance-exchange-info-eur-2021-10-12.json'));
const eur = { quotes: ['EUR' as CurrencyCode], symbols: 'all' } as const;
const priceFilter = { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000', tickSize: '0.05000000' };
const lotSize = { filterType: 'LOT_SIZE', minQty: '0.00010000', maxQty: '9000', stepSize: '0.00001000' };
const today = {
  symbol: 'BTCEUR',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'EUR',
  isSpotTradingAllowed: true,
  filters: [priceFilter, lotSize, { filterType: 'NOTIONAL', minNotional: '5.00000000' }],
};

const select = (answer: unknown) => selectMarkets(readExchangeInfo(answer), eur);
const read = (...symbols: object[]) => select({ symbols });

test('the recorded catalogue gives all its EUR markets, with the digits of its filters', () => {
  const { markets, skipped, names } = select(recorded);
  assert.equal(markets.length, 34);
  assert.deepEqual(skipped, []);
  assert.equal(names.length, 37);
  assert.deepEqual(
    markets.find(({ base }) => base === 'BTC'),
    {
      symbol: 'BTCEUR',
      base: 'BTC',
      quote: 'EUR',
      status: 'trading',
      pricePrecision: 2,
      amountPrecision: 5,
      tickSize: '0.01',
      minOrderSize: '0.00001',
      minOrderValue: '10',
    },
  );
  const shib = markets.find(({ base }) => base === 'SHIB');
  assert.deepEqual([shib?.pricePrecision, shib?.amountPrecision], [8, 0]);
  for (const value of asList(asObject(recorded)?.symbols) ?? []) {
    const filters = asList(asObject(value)?.filters) ?? [];
    const market = markets.find(({ symbol }) => symbol === asObject(value)?.symbol);
    if (market === undefined) continue;
    const lot = asObject(filters.find((filter) => asObject(filter)?.filterType === 'LOT_SIZE'));
    assert.equal(Number(market.minOrderSize), Number(lot?.minQty));
  }
});

test('in today’s shape NOTIONAL is the minimum value, and a tick need not be a power of ten', () => {
  const [market] = read(today).markets;
  assert.deepEqual([market?.tickSize, market?.pricePrecision, market?.minOrderValue], ['0.05', 2, '5']);
});

test('only TRADING with spot orders allowed is trading; where nothing trades every other state, known or new, is paused', () => {
  for (const status of ['END_OF_DAY', 'HALT', 'BREAK', 'CANCEL_ONLY', 'SOMETHING_NEW', undefined]) {
    assert.equal(read({ ...today, status }).markets[0]?.status, 'paused');
  }
  assert.equal(read({ ...today, isSpotTradingAllowed: false }).markets[0]?.status, 'paused');
  assert.equal(read(today).markets[0]?.status, 'trading');
});

test('a filter value of 0 means that the rule is off: the pair is skipped with the reason, and the others stay', () => {
  const broken: [object[], string][] = [
    [[{ ...priceFilter, tickSize: '0.00000000' }, lotSize], 'PRICE_FILTER has no tickSize above 0'],
    [[lotSize], 'PRICE_FILTER has no tickSize above 0'],
    [[priceFilter, { ...lotSize, stepSize: '0.00000000' }], 'LOT_SIZE has no stepSize above 0'],
    [[priceFilter, { ...lotSize, minQty: '0' }], 'LOT_SIZE has no minQty above 0'],
  ];
  for (const [filters, reason] of broken) {
    const { markets, skipped } = read({ ...today, symbol: 'XEUR', baseAsset: 'X', filters }, today);
    assert.deepEqual(skipped, [{ name: 'XEUR', symbol: 'XEUR', reason }]);
    assert.deepEqual(
      markets.map(({ symbol }) => symbol),
      ['BTCEUR'],
    );
  }
  const unbounded = { ...today, filters: [priceFilter, lotSize, { filterType: 'NOTIONAL', minNotional: '0' }] };
  assert.equal(read(unbounded).markets[0]?.minOrderValue, undefined);
});

test('a base that is no currency code is skipped with the reason', () => {
  const { markets, skipped } = read({ ...today, symbol: '币安EUR', baseAsset: '币安' });
  assert.deepEqual([markets.length, skipped[0]?.name], [0, '币安EUR']);
  assert.match(skipped[0]?.reason ?? '', /letters and digits/);
});

test('an answer that is no catalogue is malformed, and an unreadable entry is ignored', () => {
  for (const result of [null, [], {}, { symbols: {} }]) assert.throws(() => select(result), UpstreamError);
  assert.deepEqual(select({ symbols: [null, 1, {}] }).markets, []);
});
