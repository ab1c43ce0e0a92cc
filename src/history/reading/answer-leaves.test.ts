import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../../ground/clock.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { leafOf } from '../segment/hash-tree.ts';
import { InForce } from '../segment/keyframe.ts';
import type { FactRow, QuoteRow, Rows, ServingRow } from '../segment/rows.ts';
import { AnswerLeaves, answerView } from './answer-leaves.ts';

const requestKey = Buffer.alloc(16, 7);
const symbols = ['ADAEUR', 'BTCEUR'] as MarketSymbol[];
const decimal = (value: number) => `${value}.5` as DecimalString;

function listingRow(at: EpochMs, symbol: MarketSymbol, value: number): FactRow {
  const market = {
    symbol,
    baseAsset: symbol.slice(0, 3),
    quoteAsset: 'EUR',
    status: 'trading',
    displayName: `${symbol} ${value}`,
    pricePrecision: 1,
    quantityPrecision: 8,
    tickSize: '0.1',
    minQuantity: '1',
  };
  return {
    at,
    sub: 0,
    kind: 'listing',
    subject: symbol,
    text: JSON.stringify({ market: value === 0 ? null : market }),
  };
}

function quoteRow(at: EpochMs, symbol: MarketSymbol, value: number): QuoteRow {
  if (value === 0) return { at, sub: 0, symbol, unpriced: 'unlisted', quote: undefined } as unknown as QuoteRow;
  const prices = { bid: decimal(value), ask: decimal(value), buyPrice: decimal(value), sellPrice: decimal(value) };
  const made = { source: 'kraken', rate: '', terms: '{}', capturedAt: at, statistics: {} };
  return { at, sub: 0, symbol, unpriced: undefined, quote: { ...made, ...prices } } as unknown as QuoteRow;
}

function servingRow(at: EpochMs, symbol: MarketSymbol, value: number): ServingRow {
  const route = ['/v1/ticker', '/v1/tickers', '/v1/markets', '/v1/time'][value]!;
  const asked = { askedAt: at, route, symbol: route === '/v1/ticker' ? symbol : '', status: 200, text: '' };
  return { at, sub: 1, keyId: 'key_a', ...asked, feedAgeMs: 0, request: at };
}

const makers = { quotes: quoteRow, facts: listingRow, servings: servingRow };
const step = fc.record({
  kind: fc.constantFrom('quotes', 'facts', 'servings', 'servings'),
  symbol: fc.constantFrom(...symbols),
  value: fc.nat(3),
  isLastOfBatch: fc.boolean(),
});

test('what is remembered of listings and prices makes no other leaf than what is made from them anew', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      const [inForce, outside] = [new InForce(), new InForce()];
      const leaves = new AnswerLeaves(inForce, requestKey);
      const expected: Buffer[] = [];
      let batch: Rows = { quotes: [], facts: [], servings: [] };
      for (const [index, { kind, symbol, value, isLastOfBatch }] of steps.entries()) {
        const row = makers[kind](index as EpochMs, symbol, value);
        const alone: Rows = { quotes: [], facts: [], servings: [], [kind]: [row] };
        (batch[kind] as unknown[]).push(row);
        const forgetful = new AnswerLeaves(outside, requestKey);
        forgetful.apply(alone);
        if (kind === 'servings') expected.push(forgetful.take()[0]!);
        if (!isLastOfBatch) continue;
        leaves.apply(batch);
        batch = { quotes: [], facts: [], servings: [] };
      }
      leaves.apply(batch);
      assert.deepEqual(leaves.take()[0], Buffer.concat(expected));
    }),
  );
});

test('the ids of many requests are those of each', () => {
  const numbers = new RequestNumbers(requestKey);
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), (some) => {
      const ids = numbers.idsOf(some);
      assert.deepEqual(
        ids.map((id) => numbers.numberOf(id)),
        some,
      );
    }),
  );
});

test('a leaf is the hash of the answer as JSON, whatever its key and its symbol are called', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (keyId, symbol) => {
      const serving = { ...servingRow(1_795_461_373_624 as EpochMs, symbol as MarketSymbol, 0), keyId };
      const leaves = new AnswerLeaves(new InForce(), requestKey);
      leaves.apply({ quotes: [], facts: [], servings: [serving] });
      const requestId = new RequestNumbers(requestKey).idOf(serving.request);
      // Nothing was published: what was answered has no bytes.
      const text = JSON.stringify({ ...answerView({ ...serving, requestId }), content: hash('sha256', '') });
      assert.deepEqual(leaves.take()[0], Buffer.from(leafOf(text), 'latin1'));
    }),
  );
});
