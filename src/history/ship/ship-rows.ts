import { isoInstant } from '../../contract/instant.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import { decodeFacts } from '../segment/fact-codec.ts';
import { decodeQuotes } from '../segment/quote-codec.ts';
import type { FactRow, QuoteRow, RecordPosition, ServingRow } from '../segment/rows.ts';
import type { Segment } from '../segment/segment.ts';
import { decodeServings } from '../segment/serving-codec.ts';
import type { RowTable } from './clickhouse-schema.ts';

/** The rows of a segment as a table of ClickHouse takes them. */
export interface ShippedRows {
  readonly table: RowTable;
  readonly rows: readonly ShippedRow[];
}

type Cells = Readonly<Record<string, string | number>>;
type ShippedRow = Cells & { readonly at: string };

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
  const placed = <Row extends RecordPosition>(table: RowTable, rows: readonly Row[], cells: (row: Row) => Cells) => {
    const position = ({ at, sub }: Row) => ({ chain, segment: number, at: instantOf(at), sub });
    return { table, rows: rows.map((row) => ({ ...position(row), ...cells(row) })) };
  };
  if (kind === 'keyframe') return undefined;
  if (kind === 'quotes') return placed(kind, decodeQuotes(data, names), quoteCells);
  if (kind !== 'servings') return placed('facts', decodeFacts(data), factCells);
  const numbers = new RequestNumbers(requestKey());
  return placed(kind, decodeServings(data, names), (row) => servingCells(row, numbers));
}

function quoteCells({ symbol, unpriced, quote }: QuoteRow): Cells {
  if (quote === undefined) return { symbol, unpriced: unpriced ?? '' };
  const { source, capturedAt, bid, ask, buyPrice, sellPrice, rate, terms, statistics } = quote;
  const decimals = Object.entries({ bid, ask, buyPrice, sellPrice, ...statistics });
  const texts = Object.fromEntries(decimals.map(([name, value]) => [`${name}Text`, value ?? '']));
  const made = { source, timestamp: instantOf(capturedAt), rateVersion: rate, termsVersion: terms };
  return { symbol, unpriced: '', ...made, ...texts };
}

function servingCells(row: ServingRow, numbers: RequestNumbers): Cells {
  const { keyId, route, symbol, status, text, feedAgeMs } = row;
  const requestId = numbers.idOf(row.request);
  return { askedAt: instantOf(row.askedAt), keyId, route, symbol, status, text, feedAgeMs, requestId };
}

function factCells({ kind, subject, text }: FactRow): Cells {
  return { kind, subject, text };
}

/** Writes an instant as ClickHouse reads it: `2026-11-22 12:00:03.120`. */
export function instantOf(at: number): string {
  return isoInstant(at).slice(0, -1).replace('T', ' ');
}

/** The month of a row, such as 202611, as `toYYYYMM` gives it. */
export function monthOf({ at }: ShippedRow): number {
  return Number(at.slice(0, 4) + at.slice(5, 7));
}
