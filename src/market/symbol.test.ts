import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currency } from './samples.testing.ts';
import { parseCurrency, parseSymbol, symbolOf } from './symbol.ts';

test('a symbol is read in any case and answered in capitals', () => {
  for (const text of ['BTCEUR', 'btceur', 'BtcEur', '1inchEUR']) assert.equal(parseSymbol(text), text.toUpperCase());
});

test('what cannot be a symbol is refused, and no letter of another script becomes one of ours', () => {
  const wrong = [
    '',
    'B',
    'A'.repeat(33),
    'BTC/EUR',
    'BTC-EUR',
    ' BTCEUR',
    'BTCEUR\n',
    'BTC\0EUR',
    'ＢＴＣＥＵＲ',
    'btcıeur',
    'İBTC',
    'ßEUR',
    'ſEUR',
    '😀😀',
    '__proto__',
  ];
  for (const text of wrong) assert.equal(parseSymbol(text), undefined, JSON.stringify(text));
});

test('a currency is 1 to 16 capitals and digits', () => {
  for (const text of ['BTC', '1INCH', 'X', 'A'.repeat(16)]) assert.equal(parseCurrency(text), text);
  for (const text of ['', 'btc', 'A'.repeat(17), 'BT C', 'BTC\n', 'É', null, undefined, 5, {}]) {
    assert.equal(parseCurrency(text), undefined, JSON.stringify(text));
  }
});

test('a symbol is base and quote without anything between', () => {
  assert.equal(symbolOf(currency('BTC'), currency('CZK')), 'BTCCZK');
});
