import { isoInstant } from '../contract/instant.ts';
import type { RowTable } from './clickhouse-schema.ts';
import { decodeFacts } from './fact-codec.ts';
import { decodeQuotes } from './quote-codec.ts';
import { RequestNumbers } from './request-numbers.ts';
import type { FactRow, Position, QuoteRow, ServingRow } from './rows.ts';
import type { Segment } from './segment.ts';
import { decodeServings } from './serving-codec.ts';

/** The rows of a segment as a table of ClickHouse takes them. */
export interface ShippedRows {
  readonly table: RowTable;
  readonly rows: readonly ShippedRow[];
}

type ShippedRow = Readonly<Record<string, string | number | null>> & { readonly at: string };

/**
 * Throws on bytes that are something else.
 *
 * @param names those of the keyframe
 * @param requestKey of the process that wrote it
 * @returns `undefined` for a keyframe: it repeats what is in other segments
 */
export function shippedRowsOf(
  { kind, chain, number, data }: Segment,
  names: readonly string[],
  requestKey: () => Uint8Array,
): ShippedRows | undefined {
  const placed = ({ at, sub }: Position) => ({ chain, segment: number, at: instantOf(at), sub });
  if (kind === 'quotes') return { table: kind, rows: decodeQuotes(data, names).map((row) => quoteRow(row, placed)) };
  if (kind === 'servings') {
    const numbers = new RequestNumbers(requestKey());
    return { table: kind, rows: decodeServings(data, names).map((row) => servingRow(row, placed, numbers)) };
  }
  if (kind === 'keyframe') return undefined;
  return { table: 'facts', rows: decodeFacts(data).map((row) => factRow(row, placed)) };
}

type Placed = (row: Position) => { chain: number; segment: number; at: string; sub: number };

function quoteRow(row: QuoteRow, placed: Placed): ShippedRow {
  const { symbol, unpriced = '', quote } = row;
  if (quote === undefined) return { ...placed(row), symbol, unpriced };
  const { source, capturedAt, bid, ask, buyPrice, sellPrice, rate, terms, statistics } = quote;
  const decimals = Object.entries({ bid, ask, buyPrice, sellPrice, ...statistics });
  const texts = decimals.map(([name, value]) => [`${name}Text`, value ?? ''] as const);
  return {
    ...placed(row),
    ...{ symbol, unpriced, source, timestamp: instantOf(capturedAt), rateVersion: rate, termsVersion: terms },
    ...(Object.fromEntries(texts) as Readonly<Record<string, string>>),
  };
}

function servingRow(row: ServingRow, placed: Placed, numbers: RequestNumbers): ShippedRow {
  const { keyId, route, symbol, status, text, feedAgeMs } = row;
  const requestId = numbers.idOf(row.request);
  return { ...placed(row), askedAt: instantOf(row.askedAt), keyId, route, symbol, status, text, feedAgeMs, requestId };
}

function factRow(row: FactRow, placed: Placed): ShippedRow {
  const { kind, subject, text } = row;
  return { ...placed(row), kind, subject, text };
}

/** As ClickHouse reads it: `2026-11-22 12:00:03.120`. */
export function instantOf(at: number): string {
  return isoInstant(at).slice(0, -1).replace('T', ' ');
}

/** The month of a row, such as 202611, as `toYYYYMM` gives it. */
export function monthOf({ at }: ShippedRow): number {
  return Number(at.slice(0, 4) + at.slice(5, 7));
}
