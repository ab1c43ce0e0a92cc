import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyOfAsset, liveNameOf } from './messages.ts';

test('legacy assets lose their prefix by id, and an asset that merely begins with X or Z keeps it', () => {
  const ids = ['XXBT', 'XXDG', 'ZEUR', 'XETH', 'XTZ', 'ZRX', 'XMLN', 'ZEC', 'USDT'];
  assert.deepEqual(
    ids.map((id) => currencyOfAsset(id, new Map())),
    ['BTC', 'DOGE', 'EUR', 'ETH', 'XTZ', 'ZRX', 'MLN', 'ZEC', 'USDT'],
  );
});

test('the exchange’s own asset names take precedence', () => {
  const assets = new Map([
    ['ZCZK', 'CZK'],
    ['XBT.M', 'XBT'],
  ]);
  assert.equal(currencyOfAsset('ZCZK', assets), 'CZK');
  assert.equal(currencyOfAsset('XBT.M', assets), 'BTC');
});

test('an asset whose name is not a currency code has no currency', () => {
  assert.equal(currencyOfAsset('ETH2.S', new Map()), undefined);
  assert.equal(currencyOfAsset('', new Map()), undefined);
});

test('live names are the common ones', () => {
  assert.equal(liveNameOf('XBT/EUR'), 'BTC/EUR');
  assert.equal(liveNameOf('XDG/XBT'), 'DOGE/BTC');
  assert.equal(liveNameOf('ADA/EUR'), 'ADA/EUR');
  for (const broken of ['', 'ADAEUR', 'ADA/', 'A/B/C']) assert.equal(liveNameOf(broken), undefined);
});
