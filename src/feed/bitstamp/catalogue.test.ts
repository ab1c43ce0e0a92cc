import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode } from '../../market/symbol.ts';
import { selectMarkets } from '../market-listing.ts';
import { recordedText } from '../recordings.testing.ts';
import { parsePlain, UpstreamError } from '../wire.ts';
import { readMarkets } from './connector.ts';

const recorded = parsePlain(recordedText('bitstamp-trading-pairs-info-2022-01-05.json'));
const eur = { quotes: ['EUR' as CurrencyCode], symbols: 'all' } as const;
const select = (answer: unknown) => selectMarkets(readMarkets(answer), eur);
const today = {
  name: 'BTC/EUR',
  market_symbol: 'btceur',
  base_currency: 'BTC',
  base_decimals: 8,
  counter_currency: 'EUR',
  counter_decimals: 0,
  minimum_order_value: '10',
  trading: 'Enabled',
  market_type: 'SPOT',
};

test('the recorded catalogue, in the older shape, gives all its EUR markets', () => {
  const { markets, skipped, names } = select(recorded);
  assert.deepEqual([markets.length, skipped.length, names.length], [48, 0, 140]);
  assert.deepEqual(names[1], { symbol: 'BTCEUR', id: 'btceur', liveName: 'btceur' });
  assert.deepEqual(
    markets.find(({ base }) => base === 'XRP'),
    {
      symbol: 'XRPEUR',
      base: 'XRP',
      quote: 'EUR',
      status: 'trading',
      pricePrecision: 5,
      amountPrecision: 8,
      tickSize: '0.00001',
      minOrderSize: '0.00000001',
      minOrderValue: '20.0',
    },
  );
});

test('in today’s shape the minimum value is a value of its own', () => {
  const [market] = select([today]).markets;
  assert.deepEqual([market?.minOrderValue, market?.tickSize, market?.pricePrecision], ['10', '1', 0]);
});

test('only Enabled is trading; every other state is paused', () => {
  for (const trading of ['Disabled', 'Halted', '', undefined]) {
    assert.equal(select([{ ...today, trading }]).markets[0]?.status, 'paused');
  }
});

test('perpetuals and unreadable entries are ignored, and a spot market without its decimals is skipped', () => {
  const perpetual = { ...today, market_symbol: 'btceur-perp', market_type: 'PERPETUAL' };
  assert.deepEqual(select([perpetual, null, 1, {}]), { markets: [], skipped: [], names: [] });
  for (const member of ['counter_decimals', 'base_decimals']) {
    const { markets, skipped } = select([{ ...today, [member]: undefined }]);
    assert.deepEqual(markets, []);
    assert.deepEqual(skipped, [{ name: 'btceur', symbol: 'BTCEUR', reason: `${member} is missing or out of range` }]);
  }
  assert.throws(() => select({}), UpstreamError);
});
