import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode } from '../../market/symbol.ts';
import { selectMarkets } from '../market-listing.ts';
import { recordedText } from '../recordings.testing.ts';
import { asList, asObject, parsePlain, UpstreamError } from '../wire.ts';
import { readInstruments } from './connector.ts';

const recorded = asObject(parsePlain(recordedText('okx-instruments-spot-2022-05-13.json')))?.data;
const usdt = { quotes: ['USDT' as CurrencyCode], symbols: 'all' } as const;
const select = (answer: unknown) => selectMarkets(readInstruments(answer), usdt);
const today = {
  instType: 'SPOT',
  instId: 'BTC-USDT',
  baseCcy: 'BTC',
  quoteCcy: 'USDT',
  tickSz: '0.1',
  lotSz: '0.00000001',
  minSz: '0.00001',
  state: 'live',
};

test('the recorded instruments become markets digit for digit', () => {
  const { markets, skipped, names } = select(recorded);
  assert.deepEqual([markets.length, skipped.length, names.length], [8, 0, 25]);
  assert.deepEqual(markets[0], {
    symbol: 'BTCUSDT',
    base: 'BTC',
    quote: 'USDT',
    status: 'trading',
    pricePrecision: 1,
    amountPrecision: 8,
    tickSize: '0.1',
    minOrderSize: '0.00001',
    minOrderValue: undefined,
  });
  const doge = markets.find(({ base }) => base === 'BABYDOGE');
  assert.deepEqual([doge?.pricePrecision, doge?.amountPrecision, doge?.minOrderSize], [12, 0, '1000000000']);
  for (const value of asList(recorded) ?? []) {
    const market = markets.find(({ base, quote }) => `${base}-${quote}` === asObject(value)?.instId);
    if (market !== undefined) assert.equal(market.tickSize, asObject(value)?.tickSz);
  }
});

test('only live is trading; every other state, known or new, is paused', () => {
  for (const state of ['suspend', 'preopen', 'test', 'post_only', 'rebase', 'settling', 'something_new', '']) {
    assert.equal(select([{ ...today, state }]).markets[0]?.status, 'paused');
  }
});

test('an instrument with an empty value is skipped with the reason, and one that is not spot is ignored', () => {
  for (const member of ['tickSz', 'lotSz', 'minSz']) {
    const { markets, skipped } = select([{ ...today, [member]: '' }]);
    assert.deepEqual([markets.length, skipped[0]?.name], [0, 'BTC-USDT']);
    assert.match(skipped[0]?.reason ?? '', new RegExp(`^${member} is missing`));
  }
  const swap = { ...today, instType: 'SWAP' };
  assert.deepEqual(select([swap, null, 1]), { markets: [], skipped: [], names: [] });
  assert.throws(() => select({}), UpstreamError);
});
