import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { indexBytesOf } from './groups.ts';
import { encodeKeyframe, InForce, readKeyframe } from './keyframe.ts';
import { decodeQuotes, encodeQuotes } from './quote-codec.ts';
import {
  type FactKind,
  type FactRow,
  type QuoteRow,
  type ServingRow,
  type Statistics,
  statisticNames,
} from './rows.ts';

const decimal = (text: string) => text as DecimalString;

function quote(symbol: string, at: number, source: string | undefined): QuoteRow {
  const row = { at: at as EpochMs, sub: 0, symbol: symbol as MarketSymbol };
  if (source === undefined) return { ...row, unpriced: 'no_rate', quote: undefined };
  const [bid, ask] = [decimal('1.0'), decimal('1.1')];
  const absent = Object.fromEntries(statisticNames.map((name) => [name, undefined])) as unknown as Statistics;
  const statistics = { ...absent, high24h: ask, low24h: bid, volume24h: decimal('0') };
  const made = { source, rate: `rate of ${source}`, terms: `terms of ${source}`, capturedAt: at as EpochMs };
  const prices = { bid, ask, buyPrice: ask, sellPrice: bid };
  return { ...row, unpriced: undefined, quote: { ...made, ...prices, statistics } };
}

const fact = (kind: FactKind, subject: string, at: number, text = ''): FactRow => {
  return { at: at as EpochMs, sub: 1, kind, subject, text };
};

const serving = (keyId: string, route: string, text: string): ServingRow => {
  const position = { at: 9 as EpochMs, sub: 9, askedAt: 9 as EpochMs };
  return { ...position, keyId, route, symbol: '', status: 200, text, feedAgeMs: 0, request: 1 };
};

test('the last row of each market and the last fact of each kind and subject are in force', () => {
  const state = new InForce();
  state.apply({
    quotes: [quote('BTCEUR', 1, 'kraken'), quote('ETHEUR', 2, 'kraken'), quote('BTCEUR', 3, 'bitvavo')],
    facts: [fact('listing', 'BTCEUR', 1, 'a'), fact('listing', 'ETHEUR', 1, 'b'), fact('guard', 'BTCEUR', 1, 'c')],
    servings: [],
  });
  state.apply({ quotes: [quote('ETHEUR', 4, undefined)], facts: [fact('listing', 'BTCEUR', 4, 'd')], servings: [] });
  const { quotes, facts } = state.keyframe();
  assert.deepEqual(quotes, [quote('BTCEUR', 3, 'bitvavo'), quote('ETHEUR', 4, undefined)]);
  assert.deepEqual(
    facts.map(({ kind, subject, text }) => `${kind} ${subject} ${text}`),
    ['listing BTCEUR d', 'listing ETHEUR b', 'guard BTCEUR c'],
  );
  state.clear();
  assert.deepEqual(state.keyframe().quotes, []);
  assert.deepEqual(state.keyframe().facts, []);
});

test('what a process says of itself is in force, and what only says where the record has a break is not', () => {
  const state = new InForce();
  const kinds = ['process', 'gap', 'stop', 'deletion', 'windows', 'hold'] as const;
  state.apply({ quotes: [], facts: kinds.map((kind) => fact(kind, '', 1)), servings: [] });
  assert.deepEqual(
    state.keyframe().facts.map(({ kind }) => kind),
    ['process', 'windows', 'hold'],
  );
});

test('the names of a keyframe are those in force and those that were served since the one before, once each and in order', () => {
  const state = new InForce();
  const quotes = [quote('BTCEUR', 1, 'kraken'), quote('BTCCZK', 1, undefined)];
  state.apply({
    quotes,
    facts: [],
    servings: [serving('key_b', '/v1/time', '{}'), serving('key_a', '/v1/time', '{}')],
  });
  const lasting = ['BTCCZK', 'BTCEUR', 'kraken', 'rate of kraken', 'terms of kraken'];
  assert.deepEqual(state.keyframe().names, [
    '/v1/time',
    ...lasting.slice(0, 2),
    'key_a',
    'key_b',
    ...lasting.slice(2),
    '{}',
  ]);
  assert.deepEqual(state.keyframe().names, lasting);
});

test('a keyframe is read as it was written, and anything else is refused', () => {
  const state = new InForce();
  const quotes = [quote('BTCEUR', 5, 'kraken'), quote('ETHEUR', 7, undefined)];
  const facts = [fact('listing', 'BTCEUR', 6, 'listed')];
  state.apply({ quotes, facts, servings: [serving('key_a', '/v1/time', 'text')] });
  const keyframe = state.keyframe();
  const bytes = encodeKeyframe(keyframe);
  const { names, rows } = readKeyframe(bytes);
  assert.deepEqual(names, keyframe.names);
  assert.deepEqual([rows.quotes(), rows.facts(), rows.servings(), rows.from], [quotes, facts, [], 5]);
  assert.throws(() => readKeyframe(bytes.subarray(0, 10)));
  assert.throws(() => readKeyframe(Buffer.from('something else')));
});

test('the last row of a market before a position is found without the others', () => {
  const state = new InForce();
  const rows = [quote('BTCEUR', 5, 'kraken')];
  state.apply({ quotes: rows, facts: [], servings: [] });
  const read = readKeyframe(encodeKeyframe(state.keyframe())).rows;
  const [market] = read.markets((symbol) => symbol === 'BTCEUR');
  assert.deepEqual(market?.lastBefore({ at: 6 as EpochMs, sub: 0 }), rows[0]);
  assert.deepEqual(market?.lastBefore({ at: 5 as EpochMs, sub: 1 }), rows[0]);
  assert.equal(market?.lastBefore({ at: 5 as EpochMs, sub: 0 }), undefined);
  assert.deepEqual([market?.rows(5, 6).length, market?.rows(6).length, market?.rows(0, 5).length], [1, 0, 0]);
});

test('rows in a format of another version are refused with its number, and not read as something else', () => {
  const bytes = encodeQuotes([quote('BTCEUR', 5, 'kraken')], []);
  const other = Buffer.from(bytes);
  other[0] = bytes[0]! + 1;
  const refusal = { name: 'RangeError', message: `a segment of format ${other[0]}, which this version does not read` };
  assert.throws(() => indexBytesOf(other), refusal);
  assert.throws(() => decodeQuotes(other, []), refusal);
  assert.ok(indexBytesOf(bytes) < bytes.length);
});
