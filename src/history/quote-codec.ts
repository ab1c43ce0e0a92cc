import type { EpochMs } from '../clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { ColumnsReader, ColumnsWriter, DecimalColumnReader, DecimalColumnWriter, decimalWidth } from './columns.ts';
import { encodeGrouped, type Group, readGrouped } from './groups.ts';
import type { NameWriter } from './names.ts';
import type { NoQuote, Quote, QuoteRow, Statistics } from './rows.ts';

/** Codes of why there is no quote; 0 is a quote. Add at the end only. */
const noQuotes: readonly NoQuote[] = ['no_ticker', 'held', 'no_rate', 'rounds_to_zero', 'not_offered'];

const statisticNames = [
  'high24h',
  'low24h',
  'volume24h',
  'vwap24h',
  'priceChangePercent1h',
  'priceChangePercent24h',
  'priceChangePercent7d',
] as const satisfies readonly (keyof Statistics)[];

/** The columns of a group, by their index. Decimals take two each. */
const columns = { at: 0, sub: 1, state: 2, source: 3, age: 4, rate: 5, terms: 6, statistics: 7, decimals: 8 } as const;
/** A market and those around it: enough for a converted one to be beside its origin. */
const subjectsPerGroup = 16;
const priceColumns = 4;
const columnCount = columns.decimals + (priceColumns + statisticNames.length) * decimalWidth;

/** @param base the names that the reader will know from the keyframe */
export function encodeQuotes(rows: readonly QuoteRow[], base: readonly string[]): Buffer {
  return encodeGrouped(
    rows,
    ({ symbol }) => symbol,
    base,
    (names) => ({ names, subjectsPerGroup, encode: (markets) => encodeGroup(markets, names) }),
  );
}

/**
 * Gives the rows again, market by market.
 *
 * @param only of this market alone
 */
export function decodeQuotes(data: Uint8Array, base: readonly string[], only?: string): QuoteRow[] {
  const grouped = readGrouped(data, base);
  return [...grouped.groups(only)].flatMap((group) => decodeGroup(group, grouped.names, only));
}

/** How a price has changed, and with it what is made from it. */
function ratioOf(value: string, last: string | undefined): number {
  const ratio = last === undefined ? 1 : Number(value) / Number(last);
  return Number.isFinite(ratio) ? ratio : 1;
}

function encodeGroup(markets: readonly (readonly QuoteRow[])[], names: NameWriter): Buffer {
  const writer = new ColumnsWriter(columnCount);
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
    this.#decimals = Array.from(
      { length: priceColumns + statisticNames.length },
      (_, index) => new DecimalColumnWriter(writer, columns.decimals + index * decimalWidth),
    );
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
    const [bid, ask, buy, sell] = this.#decimals;
    bid!.write(quote.bid);
    ask!.write(quote.ask, ratioOf(quote.bid, last?.bid));
    buy!.write(quote.buyPrice, ratioOf(quote.ask, last?.ask));
    sell!.write(quote.sellPrice, ratioOf(quote.bid, last?.bid));
  }

  writeStatistics(statistics: Statistics): void {
    for (const [index, name] of statisticNames.entries()) this.#decimals[priceColumns + index]!.write(statistics[name]);
  }
}

function decodeGroup({ subjects, bytes }: Group, names: readonly string[], only: string | undefined): QuoteRow[] {
  const reader = new ColumnsReader(bytes, columnCount);
  const at = reader.column(columns.at);
  const sub = reader.column(columns.sub);
  const state = reader.column(columns.state);
  const quoteReader = new QuoteReader(reader, names);
  const decoded: QuoteRow[] = [];
  for (const { name, count } of subjects) {
    const symbol = name as MarketSymbol;
    let lastAt = 0;
    quoteReader.reset();
    for (let index = 0; index < count; index++) {
      lastAt += at.difference();
      const position = { at: lastAt as EpochMs, sub: sub.count() };
      const code = state.byte();
      if (only !== undefined && only !== name) {
        if (code === 0) quoteReader.skip();
        continue;
      }
      const unpriced = code === 0 ? undefined : noQuotes[code - 1];
      const quote = code === 0 ? quoteReader.read(lastAt) : undefined;
      decoded.push({ ...position, symbol, unpriced, quote });
    }
    if (only === name) break;
  }
  return decoded;
}

class QuoteReader {
  readonly #columns: ColumnsReader;
  readonly #names: readonly string[];
  readonly #decimals: readonly DecimalColumnReader[];
  #age = 0;
  #last: Quote | undefined;

  constructor(reader: ColumnsReader, names: readonly string[]) {
    this.#columns = reader;
    this.#names = names;
    this.#decimals = Array.from(
      { length: priceColumns + statisticNames.length },
      (_, index) => new DecimalColumnReader(reader, columns.decimals + index * decimalWidth),
    );
  }

  reset(): void {
    this.#age = 0;
    this.#last = undefined;
    for (const decimal of this.#decimals) decimal.reset();
  }

  read(at: number): Quote {
    const last = this.#last;
    this.#age += this.#columns.column(columns.age).difference();
    const [source, rate, terms] = [columns.source, columns.rate, columns.terms].map((index) => this.#name(index));
    const [bids, asks, buys, sells] = this.#decimals;
    const bid = bids!.read<DecimalString>()!;
    const ask = asks!.read<DecimalString>(ratioOf(bid, last?.bid))!;
    const buyPrice = buys!.read<DecimalString>(ratioOf(ask, last?.ask))!;
    const sellPrice = sells!.read<DecimalString>(ratioOf(bid, last?.bid))!;
    const isChanged = this.#columns.column(columns.statistics).byte() === 1;
    const statistics = isChanged || last === undefined ? this.#statistics() : last.statistics;
    const capturedAt = (at - this.#age) as EpochMs;
    this.#last = {
      source: source!,
      capturedAt,
      bid,
      ask,
      buyPrice,
      sellPrice,
      rate: rate!,
      terms: terms!,
      statistics,
    };
    return this.#last;
  }

  /** Passes over a row of a market that nobody asked for. */
  skip(): void {
    this.#columns.column(columns.age).count();
    for (const index of [columns.source, columns.rate, columns.terms]) this.#columns.column(index).count();
    for (let index = 0; index < priceColumns; index++) this.#decimals[index]!.skip();
    if (this.#columns.column(columns.statistics).byte() === 0) return;
    for (let index = priceColumns; index < this.#decimals.length; index++) this.#decimals[index]!.skip();
  }

  #name(column: number): string {
    return this.#names[this.#columns.column(column).count()]!;
  }

  #statistics(): Statistics {
    const values = statisticNames.map((name, index) => [name, this.#decimals[priceColumns + index]!.read()]);
    return Object.fromEntries(values) as Statistics;
  }
}
