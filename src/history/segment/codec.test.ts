import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { decodeFacts, encodeFacts } from './fact-codec.ts';
import { decodeGrouped } from './groups.ts';
import { decodeMarkets, decodeQuotes, encodeQuotes } from './quote-codec.ts';
import {
  type FactRow,
  factKinds,
  inOrder,
  type Quote,
  type QuoteRow,
  type ServingRow,
  type Statistics,
  statisticColumns,
  statisticNames,
} from './rows.ts';
import { decodeServings, encodeServings, servingDecoder } from './serving-codec.ts';

/** Records as plain objects. */
const record: typeof fc.record = (model: object) => fc.record(model as never, { noNullPrototype: true }) as never;

const base = ['', 'BTCEUR', 'kraken', 'key_0', '/v1/ticker'];

/** Prices as they come, and what no price should look like: leading zeros, endless digits, a sign. */
const decimal = fc.oneof(
  fc.tuple(fc.nat(99_999_999), fc.nat(9)).map(([ticks, places]) => (ticks / 10 ** places).toFixed(places)),
  fc.stringMatching(/^-?\d{1,30}(\.\d{1,30})?$/),
) as fc.Arbitrary<DecimalString>;
const optional = fc.option(decimal, { nil: undefined });
const instant = fc.nat(4_000_000_000_000) as fc.Arbitrary<EpochMs>;
const symbol = fc.constantFrom('BTCEUR', 'BTCCZK', 'ADAEUR', ...Array.from({ length: 80 }, (_, n) => `T${n}EUR`));

const quote: fc.Arbitrary<Quote> = record({
  source: fc.constantFrom('kraken', 'bitvavo'),
  capturedAt: instant,
  bid: decimal,
  ask: decimal,
  buyPrice: decimal,
  sellPrice: decimal,
  rate: fc.constantFrom('', '{"mid":"24.105"}'),
  terms: fc.constantFrom('{"feePercent":"0.5"}'),
  statistics: record({
    ...(Object.fromEntries(statisticNames.map((name) => [name, optional])) as Record<
      keyof Statistics,
      typeof optional
    >),
    high24h: decimal,
    low24h: decimal,
    volume24h: decimal,
  }),
});

const position = { at: instant, sub: fc.nat(300) };
const quoteRow: fc.Arbitrary<QuoteRow> = fc.oneof(
  record({ ...position, symbol: symbol as fc.Arbitrary<MarketSymbol>, unpriced: fc.constant(undefined), quote }),
  record({
    ...position,
    symbol: symbol as fc.Arbitrary<MarketSymbol>,
    unpriced: fc.constantFrom('held', 'no_rate', 'not_offered'),
    quote: fc.constant(undefined),
  }),
);
const factRow: fc.Arbitrary<FactRow> = record({
  ...position,
  kind: fc.constantFrom(...factKinds),
  subject: fc.constantFrom('', 'BTCEUR', 'CZK'),
  text: fc.string(),
});
const servingRow: fc.Arbitrary<ServingRow> = record({
  ...position,
  askedAt: instant,
  keyId: fc.constantFrom(...Array.from({ length: 70 }, (_, n) => `key_${n}`)),
  route: fc.constantFrom('/v1/ticker', '/v1/tickers'),
  symbol: fc.constantFrom('', 'BTCEUR'),
  status: fc.constantFrom(200, 304, 404, 429, 503),
  text: fc.string(),
  feedAgeMs: fc.integer({ min: -10, max: 1_000_000 }),
  request: fc.nat(2 ** 40),
});

/** The order in which the codecs give rows: by subject, and within it as they were. */
function bySubject<Row>(rows: readonly Row[], subjectOf: (row: Row) => string): Row[] {
  return rows.toSorted((one, other) =>
    subjectOf(one) < subjectOf(other) ? -1 : Number(subjectOf(one) > subjectOf(other)),
  );
}

test('every row that is encoded is decoded as it was, digit by digit', () => {
  fc.assert(
    fc.property(fc.array(quoteRow), fc.array(factRow), fc.array(servingRow), (quotes, facts, servings) => {
      const sorted = inOrder([...quotes]);
      assert.deepEqual(
        decodeQuotes(encodeQuotes(sorted, base), base),
        bySubject(sorted, (row) => row.symbol),
      );
      assert.deepEqual(
        decodeFacts(encodeFacts(facts)),
        bySubject(facts, (row) => row.subject),
      );
      assert.deepEqual(
        decodeServings(encodeServings(servings, base), base),
        bySubject(servings, (row) => row.keyId),
      );
    }),
    { numRuns: 150 },
  );
});

test('the rows of one market, or of one key, are read without the others', () => {
  fc.assert(
    fc.property(fc.array(quoteRow, { minLength: 1 }), fc.array(servingRow, { minLength: 1 }), (quotes, servings) => {
      const [market, key] = [quotes[0]!.symbol, servings[0]!.keyId];
      const ofMarket = quotes.filter((row) => row.symbol === market);
      assert.deepEqual(
        decodeGrouped(encodeQuotes(quotes, base), base, decodeMarkets, (name) => name === market).flatMap((rows) =>
          rows.rows(),
        ),
        ofMarket,
      );
      const ofKey = servings.filter(({ keyId }) => keyId === key);
      assert.deepEqual(
        decodeGrouped(encodeServings(servings, base), base, servingDecoder(), (name) => name === key),
        ofKey,
      );
    }),
    { numRuns: 50 },
  );
});

/**
 * The bytes of a segment with a code in its table of columns exchanged: as a version wrote it that has another column.
 */
function withCodes(bytes: Buffer, exchanged: Readonly<Record<number, number>>): Buffer {
  const codes = [...Array(16).keys(), ...Object.values(statisticColumns).flatMap((code) => [code, code + 1])];
  const table = Buffer.from([codes.length, ...codes]);
  const start = bytes.indexOf(table) + 1;
  assert.ok(start > 0, 'a table of the codes of all columns');
  const changed = Buffer.from(bytes);
  for (const [code, other] of Object.entries(exchanged)) changed[start + Number(code)] = other;
  return changed;
}

test('a column that the reader does not know is skipped, and one that the segment lacks is absent', () => {
  fc.assert(
    fc.property(fc.array(quoteRow, { minLength: 1 }), (quotes) => {
      const rows = bySubject(quotes, (row) => row.symbol);
      const bytes = withCodes(encodeQuotes(quotes, base), { 22: 126, 23: 127, 28: 100, 29: 101 });
      const without = { vwap24h: undefined, priceChangePercent7d: undefined };
      const expected = rows.map(({ quote, ...row }) => {
        return { ...row, quote: quote && { ...quote, statistics: { ...quote.statistics, ...without } } };
      });
      assert.deepEqual(decodeQuotes(bytes, base), expected);
      const symbols = new Set(rows.slice(-1).map((row) => row.symbol));
      const one = decodeGrouped(bytes, base, decodeMarkets, (name) => symbols.has(name as MarketSymbol));
      assert.deepEqual(
        one.flatMap((market) => market.rows()),
        expected.filter((row) => symbols.has(row.symbol)),
      );
    }),
    { numRuns: 50 },
  );
});

test('a segment without a column that every one has is refused', () => {
  const row = { at: 6 as EpochMs, sub: 0, symbol: 'BTCEUR' as MarketSymbol, unpriced: 'held' } as const;
  const bytes = withCodes(encodeQuotes([{ ...row, quote: undefined }], base), { 1: 99 });
  assert.throws(() => decodeQuotes(bytes, base), new RangeError('the column 1 is absent'));
});

test('no two statistics share a column, and those that were written once keep theirs', () => {
  const codes = Object.values(statisticColumns);
  assert.deepEqual(codes.slice(0, 7), [16, 18, 20, 22, 24, 26, 28]);
  assert.equal(new Set(codes).size, codes.length);
  assert.ok(codes.every((code) => code >= 16 && code % 2 === 0));
});

test('a text that is no decimal in its usual form keeps every character', () => {
  const odd = ['007.10', '0', '-0.00', '123456789012345678901234567890.000', '0.000000000000000001'] as DecimalString[];
  const statistics = Object.fromEntries(
    statisticNames.map((name, index) => [name, odd[index]]),
  ) as unknown as Statistics;
  const prices = { bid: odd[0]!, ask: odd[1]!, buyPrice: odd[3]!, sellPrice: odd[4]! };
  const made = { source: '', capturedAt: 5 as EpochMs, rate: '', terms: '' };
  const row: QuoteRow = {
    at: 6 as EpochMs,
    sub: 0,
    symbol: 'BTCEUR' as MarketSymbol,
    unpriced: undefined,
    quote: { ...made, ...prices, statistics },
  };
  assert.deepEqual(decodeQuotes(encodeQuotes([row, row], []), []), [row, row]);
});
