import type { EpochMs } from '../../ground/clock.ts';
import type { Coverage } from '../reading/coverage.ts';
import type { RecordReader, RecordSpan } from '../reading/record-reader.ts';
import { isBefore, type QuoteRow } from '../segment/rows.ts';

/** Another process has what was published before this long after it. */
const lagMaxMs = 60_000;
const beginning = { sub: 0 };

/**
 * Gives what was published in a span, of a market or of all, each row once: from one chain after the other. Where the
 * next one goes on, what it has later than the one before is left out, and what it had earlier is given at that
 * instant.
 */
export async function* publishedQuotes(
  reader: RecordReader,
  coverage: Coverage,
  symbol: string | undefined,
  span: RecordSpan,
): AsyncGenerator<QuoteRow[]> {
  const parts = coverage.parts({ from: span.from - lagMaxMs, to: span.to });
  for (const [index, { chain, from, to }] of parts.entries()) {
    if (to <= span.from) continue;
    const last = parts[index - 1];
    const known = new Map<string, QuoteRow>();
    if (last?.to === from) {
      const before = { at: from as EpochMs, ...beginning };
      for (const row of (await reader.lastQuotes(last.chain, before, symbol)).values()) known.set(row.symbol, row);
      const had = [...(await reader.lastQuotes(chain, before, symbol)).values()].filter((row) => isNew(row, known));
      if (from >= span.from && had.length > 0) yield had.map((row) => ({ ...row, ...before }));
      for (const row of had) known.set(row.symbol, row);
    }
    const within = { from: Math.max(from, span.from) as EpochMs, to: Math.min(to, span.to) as EpochMs };
    for await (const rows of reader.quotes(chain, symbol, within)) {
      const news = known.size === 0 ? rows : rows.filter((row) => isNew(row, known));
      if (news.length > 0) yield news;
    }
  }
}

/** Whether a row of the next chain says more than what the one before had last of its market. */
function isNew(row: QuoteRow, known: Map<string, QuoteRow>): boolean {
  const last = known.get(row.symbol);
  if (last === undefined) return true;
  const one = row.quote?.capturedAt;
  const other = last.quote?.capturedAt;
  const isLater = one === undefined || other === undefined || one === other ? isBefore(last, row) : one > other;
  if (!isLater || contentOf(row) === contentOf(last)) return false;
  known.delete(row.symbol);
  return true;
}

function contentOf({ unpriced, quote }: QuoteRow): string {
  return JSON.stringify([unpriced, quote]);
}
