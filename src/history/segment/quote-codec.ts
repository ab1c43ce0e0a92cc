import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { byPosition, ColumnsReader, ColumnsWriter } from './columns.ts';
import { DecimalColumnReader, DecimalColumnWriter, type Decimals, decimalCodes, ratioOf } from './decimal-columns.ts';
import { decodeGrouped, encodeGrouped, type GroupDecoder, type NameWriter } from './groups.ts';
import {
  isBefore,
  noQuotes,
  type Quote,
  type QuoteRow,
  type RecordPosition,
  type Statistics,
  statisticColumns,
  statisticNames,
} from './rows.ts';

/** The codes of the columns that every group has. */
const columns = { at: 0, sub: 1, state: 2, source: 3, age: 4, rate: 5, terms: 6, statistics: 7 } as const;
/** The first codes of bid, ask, buy and sell price. */
const priceColumns = [8, 10, 12, 14];
/** The first codes of all decimals. */
const decimalColumns = [...priceColumns, ...Object.values(statisticColumns)];
const allColumns = [...Object.values(columns), ...decimalColumns.flatMap(decimalCodes)];
/** The columns of segments without a table of them. */
const columnsOfFormat2 = byPosition(30);
/** A market and those around it: enough for a converted one to be beside its origin. */
const subjectsPerGroup = 16;

/**
 * @param base the names that the reader will know from the keyframe
 * @param isSmall so few rows that they are one group
 */
export function encodeQuotes(rows: readonly QuoteRow[], base: readonly string[], isSmall = false): Buffer {
  const perGroup = isSmall ? undefined : subjectsPerGroup;
  return encodeGrouped(rows, ({ symbol }) => symbol, base, {
    subjectsPerGroup: perGroup,
    columns: allColumns,
    encode: encodeGroup,
  });
}

/** Gives the rows again, market by market. */
export function decodeQuotes(data: Uint8Array, base: readonly string[]): QuoteRow[] {
  return decodeGrouped(data, base, decodeMarkets).flatMap((market) => market.rows());
}

function encodeGroup(markets: readonly (readonly QuoteRow[])[], names: NameWriter): Buffer {
  const writer = new ColumnsWriter(allColumns);
  const [at, sub, state, statistics] = [columns.at, columns.sub, columns.state, columns.statistics].map((index) =>
    writer.column(index),
  );
  const quoteWriter = new QuoteWriter(writer, names);
  for (const rows of markets) {
    let last: QuoteRow | undefined;
    let lastQuote: Quote | undefined;
    quoteWriter.reset();
    for (const row of rows) {
      at!.difference(row.at - (last?.at ?? 0));
      sub!.count(row.sub);
      state!.byte(row.unpriced === undefined ? 0 : 1 + noQuotes.indexOf(row.unpriced));
      last = row;
      if (row.quote === undefined) continue;
      quoteWriter.write(row.at, row.quote, lastQuote);
      const isChanged = lastQuote === undefined || areChanged(row.quote.statistics, lastQuote.statistics);
      statistics!.byte(isChanged ? 1 : 0);
      if (isChanged) quoteWriter.writeStatistics(row.quote.statistics);
      lastQuote = row.quote;
    }
  }
  return writer.compressed();
}

function areChanged(statistics: Statistics, last: Statistics): boolean {
  return statistics !== last && statisticNames.some((name) => statistics[name] !== last[name]);
}

/** The columns that only a quote has. */
class QuoteWriter {
  readonly #columns: ColumnsWriter;
  readonly #names: NameWriter;
  readonly #decimals: readonly DecimalColumnWriter[];
  #age = 0;

  constructor(writer: ColumnsWriter, names: NameWriter) {
    this.#columns = writer;
    this.#names = names;
    this.#decimals = decimalColumns.map((first) => new DecimalColumnWriter(writer, first));
  }

  reset(): void {
    this.#age = 0;
    for (const decimal of this.#decimals) decimal.reset();
  }

  write(at: number, quote: Quote, last: Quote | undefined): void {
    const age = at - quote.capturedAt;
    this.#columns.column(columns.age).difference(age - this.#age);
    this.#age = age;
    this.#columns.column(columns.source).count(this.#names.indexOf(quote.source));
    this.#columns.column(columns.rate).count(this.#names.indexOf(quote.rate));
    this.#columns.column(columns.terms).count(this.#names.indexOf(quote.terms));
    const ratioOfSide = (side: 'bid' | 'ask') => (last === undefined ? 1 : ratioOf(+quote[side], +last[side]));
    const ofBid = ratioOfSide('bid');
    const [bid, ask, buy, sell] = this.#decimals;
    bid!.write(quote.bid);
    ask!.write(quote.ask, ofBid);
    buy!.write(quote.buyPrice, ratioOfSide('ask'));
    sell!.write(quote.sellPrice, ofBid);
  }

  writeStatistics(statistics: Statistics): void {
    for (const [index, name] of statisticNames.entries())
      this.#decimals[priceColumns.length + index]!.write(statistics[name]);
  }
}

/** The markets of a group that are wanted, column by column: rows are made only of those that are read. */
export const decodeMarkets: GroupDecoder<MarketRows> = (group) => {
  const { subjects, bytes, isWanted } = group;
  const reader = new ColumnsReader(bytes, group.columns ?? columnsOfFormat2);
  const decimals = decimalColumns.map((first) => new DecimalColumnReader(reader, first));
  const decoded: MarketRows[] = [];
  const last = subjects.findLastIndex(({ name }) => isWanted(name));
  for (const { name, count } of subjects.slice(0, last + 1)) {
    if (isWanted(name)) decoded.push(new MarketRows(name as MarketSymbol, count, group.names, reader, decimals));
    else skipMarket(count, reader, decimals);
  }
  return decoded;
};

function skipMarket(count: number, reader: ColumnsReader, decimals: readonly DecimalColumnReader[]): void {
  for (const index of [columns.at, columns.sub]) reader.column(index).skipCounts(count);
  const quotes = countOf(reader.column(columns.state).raw(count), 0);
  for (const index of [columns.age, columns.source, columns.rate, columns.terms]) {
    reader.column(index).skipCounts(quotes);
  }
  const changes = countOf(reader.column(columns.statistics).raw(quotes), 1);
  for (const [index, decimal] of decimals.entries()) decimal.skip(index < priceColumns.length ? quotes : changes);
}

function countOf(bytes: Uint8Array, value: number): number {
  let count = 0;
  for (const byte of bytes) if (byte === value) count++;
  return count;
}

/** The rows of a market in a segment, in their order. */
class MarketRows {
  readonly symbol: MarketSymbol;
  readonly #names: readonly string[];
  readonly #at: Float64Array;
  readonly #sub: Float64Array;
  readonly #state: Uint8Array;
  readonly #ages: Float64Array;
  /** Source, rate and terms, by the numbers of their names. */
  readonly #made: readonly Float64Array[];
  readonly #areChanged: Uint8Array;
  readonly #prices: readonly Decimals[];
  readonly #statistics: readonly Decimals[];
  /** The row, the quote and the change of the statistics that were looked at last. */
  #cursor = { row: -1, quote: -1, change: -1 };
  #lastStatistics: { readonly change: number; readonly values: Statistics } | undefined;

  constructor(
    symbol: MarketSymbol,
    count: number,
    names: readonly string[],
    reader: ColumnsReader,
    decimals: readonly DecimalColumnReader[],
  ) {
    this.symbol = symbol;
    this.#names = names;
    this.#at = reader.column(columns.at).cumulated(count);
    this.#sub = reader.column(columns.sub).counts(count);
    this.#state = reader.column(columns.state).raw(count);
    const quotes = countOf(this.#state, 0);
    this.#ages = reader.column(columns.age).cumulated(quotes);
    this.#made = [columns.source, columns.rate, columns.terms].map((index) => reader.column(index).counts(quotes));
    const bid = decimals[0]!.read(quotes);
    const ofBid = bid.ratios();
    const ask = decimals[1]!.read(quotes, ofBid);
    this.#prices = [bid, ask, decimals[2]!.read(quotes, ask.ratios()), decimals[3]!.read(quotes, ofBid)];
    this.#areChanged = reader.column(columns.statistics).raw(quotes);
    const changes = countOf(this.#areChanged, 1);
    this.#statistics = decimals.slice(priceColumns.length).map((decimal) => decimal.read(changes));
  }

  /** All of them, or those from an instant on and before another. */
  rows(from = 0, to = Number.POSITIVE_INFINITY): QuoteRow[] {
    const rows: QuoteRow[] = [];
    for (let index = 0; index < this.#at.length; index++) {
      const at = this.#at[index]!;
      if (at >= from && at < to) rows.push(this.#row(index));
    }
    return rows;
  }

  /** The last one before a position. */
  lastBefore(position: RecordPosition): QuoteRow | undefined {
    for (let index = this.#at.length - 1; index >= 0; index--) {
      if (isBefore(this.#position(index), position)) return this.#row(index);
    }
    return undefined;
  }

  #position(index: number): RecordPosition {
    return { at: this.#at[index] as EpochMs, sub: this.#sub[index]! };
  }

  #row(index: number): QuoteRow {
    const code = this.#state[index]!;
    const unpriced = code === 0 ? undefined : noQuotes[code - 1];
    this.#moveTo(index);
    const quote = code === 0 ? this.#quote(this.#at[index]!) : undefined;
    return { ...this.#position(index), symbol: this.symbol, unpriced, quote };
  }

  /** Counts the quotes and the changes up to a row. */
  #moveTo(row: number): void {
    if (row < this.#cursor.row) this.#cursor = { row: -1, quote: -1, change: -1 };
    const cursor = this.#cursor;
    while (cursor.row < row) {
      if (this.#state[++cursor.row] !== 0) continue;
      if (this.#areChanged[++cursor.quote] === 1) cursor.change++;
    }
  }

  #quote(at: number): Quote {
    const { quote, change } = this.#cursor;
    const price = (column: number) => this.#prices[column]!.text<DecimalString>(quote)!;
    const name = (column: number) => this.#names[this.#made[column]![quote]!]!;
    if (this.#lastStatistics?.change !== change) {
      this.#lastStatistics = { change, values: this.#statisticsOf(change) };
    }
    return {
      source: name(0),
      capturedAt: (at - this.#ages[quote]!) as EpochMs,
      bid: price(0),
      ask: price(1),
      buyPrice: price(2),
      sellPrice: price(3),
      rate: name(1),
      terms: name(2),
      statistics: this.#lastStatistics.values,
    };
  }

  #statisticsOf(change: number): Statistics {
    const values = statisticNames.map((name, index) => [name, this.#statistics[index]!.text(change)]);
    return Object.fromEntries(values) as Statistics;
  }
}
