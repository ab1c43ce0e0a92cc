import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode } from '../../market/symbol.ts';
import { type RateOrigin, secondOrigin } from './rate-origins.ts';

const second = (source: RateOrigin['source'], pair: string, compare?: RateOrigin | 'off') => {
  const [base, quote] = pair.split('/') as [CurrencyCode, CurrencyCode];
  const found = secondOrigin({ source, ...(compare !== undefined && { compare }) }, base, quote);
  return found && ('url' in found ? `${found.source} ${new URL(found.url).host}` : found.source);
};

test('a rate is compared by default with the bank that has it and is not its source', () => {
  assert.equal(second('cnb', 'EUR/CZK'), 'ecb www.ecb.europa.eu');
  assert.equal(second('ecb', 'EUR/CZK'), 'cnb api.cnb.cz');
  assert.equal(second('json', 'EUR/CZK'), 'cnb api.cnb.cz');
  assert.equal(second('exchange', 'USD/CZK'), 'cnb api.cnb.cz');
  assert.equal(second('json', 'EUR/PLN'), 'ecb www.ecb.europa.eu');
  assert.equal(second('cnb', 'USD/CZK'), undefined);
  assert.equal(second('ecb', 'EUR/PLN'), undefined);
  assert.equal(second('json', 'USD/PLN'), undefined);
});

test('a rate is compared with what is configured, or with nothing', () => {
  assert.equal(second('cnb', 'EUR/CZK', { source: 'exchange', market: 'EURCZK' as never }), 'exchange');
  assert.equal(second('cnb', 'EUR/CZK', 'off'), undefined);
});
