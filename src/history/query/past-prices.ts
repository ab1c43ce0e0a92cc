import type { EpochMs } from '../../ground/clock.ts';
import { type DecimalString, percentChange } from '../../market/decimal.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import {
  middleOf,
  minuteOf,
  percentNames,
  type ReferenceName,
  referenceInstants,
  referenceNames,
} from '../../market/reference-prices.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { Coverage } from '../reading/coverage.ts';
import type { RecordReader } from '../reading/record-reader.ts';
import { after, type QuoteRow } from '../segment/rows.ts';

/** A source whose newest price was older than this said nothing of that instant. */
const currentForMs = 60_000;

/**
 * The middle of bid and ask of each market whose price this source made at an instant: what was in force then. None in
 * a gap, outside the record, and where the source had fallen silent.
 */
export async function middlesAt(
  reader: RecordReader,
  coverage: Coverage,
  source: string,
  at: EpochMs,
): Promise<ReadonlyMap<MarketSymbol, DecimalString>> {
  for (const chain of coverage.chainsAt(at)) {
    const rows = [...(await reader.lastQuotes(chain, after({ at }))).values()].filter(
      ({ quote }) => quote?.source === source,
    );
    if (!rows.some(({ quote }) => quote!.capturedAt >= at - currentForMs)) continue;
    return new Map(rows.map(({ symbol, quote }) => [symbol, middleOf(quote!)]));
  }
  return new Map();
}

/** The price in the record that a percent change is counted from, and its instant. */
export interface RecordedReference {
  readonly price: DecimalString;
  readonly at: EpochMs;
}

export type RecordedChanges = { readonly [Name in ReferenceName]?: RecordedReference };

/** A change was published for the minute of its row, or for one before it. */
const minutesBack = [0, 1, 2];

/** Finds what the changes of a row were counted from: of each the price in the record that gives the very change. */
export async function recordedChanges(
  reader: RecordReader,
  coverage: Coverage,
  { at, quote }: QuoteRow,
  { exchangeSymbol }: OfferedMarket,
): Promise<RecordedChanges> {
  const { source, statistics } = quote!;
  const middle = middleOf(quote!);
  const found: Partial<Record<ReferenceName, RecordedReference>> = {};
  for (const name of referenceNames) {
    const percent = statistics[percentNames[name]];
    const minutes = percent === undefined ? [] : minutesBack.map((back) => (minuteOf(at) - back * 60_000) as EpochMs);
    for (const instant of new Set(minutes.map((minute) => referenceInstants(minute)[name]))) {
      const price = await middleAt(reader, coverage.chainsAt(instant), source, exchangeSymbol, instant);
      if (price === undefined || percentChange(price, middle) !== percent) continue;
      found[name] = { price, at: instant };
      break;
    }
  }
  return found;
}

async function middleAt(reader: RecordReader, chains: readonly number[], source: string, symbol: string, at: EpochMs) {
  for (const chain of chains) {
    const quote = (await reader.lastQuote(chain, symbol, after({ at })))?.quote;
    if (quote?.source === source) return middleOf(quote);
  }
  return undefined;
}
