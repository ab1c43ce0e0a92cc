import type { Static } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';
import type { Candle } from '../history/query/candles.ts';
import type { PriceAt, ProvenAnswer, RecordSummary } from '../history/query/questions.ts';
import type { Finding, Verification } from '../history/query/verify.ts';
import type { ServedRow } from '../history/reading/record-reader.ts';
import type { RecordDoubt } from '../history/record/worker.ts';
import type { Gap, QuoteRow, RateVersion, RecordPosition, TermsVersion } from '../history/segment/rows.ts';
import type { RecordHold } from '../history/segment/segment-store.ts';
import * as fields from './fields.ts';
import { changesOf, type PriceAnswer, priceReport, withheldView } from './price.ts';
import { requestId } from './request.ts';

/** A place in the order of the record, as text: `1795255200000.3`. */
export function position(description: string) {
  return fields.form(description, '^\\d{1,15}\\.\\d{1,9}$', '1795255200000.3');
}

const positionField = position(
  'Its place in the order of all that was published: the millisecond, and the place within it.',
);

export function positionText({ at, sub }: RecordPosition): string {
  return `${at}.${sub}`;
}

/** @param text as {@link position} has it */
export function positionOf(text: string): RecordPosition {
  const [at, sub] = text.split('.').map(Number) as [RecordPosition['at'], number];
  return { at, sub };
}

const QuoteSchema = fields.named(
  'RecordedQuote',
  'A price as it was published. All but the first four are null where there was none.',
  {
    position: positionField,
    ...fields.instantFields('at', 'When it was published.'),
    unpriced: fields.nullableLine('Why the market had no price from then on; null where it had one.', 'no_rate', 32),
    source: fields.nullableLine('The exchange that it came from.', 'kraken', 64),
    ...fields.nullableInstantFields('timestamp', 'The public time of the ticker.'),
    bid: fields.nullableDecimal('Best bid on the exchange.', '50000.0'),
    ask: fields.nullableDecimal('Best ask on the exchange.', '50000.1'),
    buyPrice: fields.nullableDecimal('What a client paid.', '1257810'),
    sellPrice: fields.nullableDecimal('What a client received.', '1220000'),
    rate: fields.nullableDecimal('The conversion rate; null where nothing was converted.', '24.500'),
    terms: fields.nullableLine('The version of the terms.', 'configuration', 1000),
  },
);

export const GapSchema = fields.named('RecordGap', 'A span without a record.', {
  ...fields.instantFields('from', 'The last instant that is recorded.'),
  ...fields.nullableInstantFields('to', 'From when on it is recorded again; null while it is not.'),
  reason: fields.openEnum(
    ['killed', 'slow', 'stopped', 'silent'],
    'Why: the process was killed, the disk was full or slow, the service was stopped, or its machine is silent.',
  ),
});

export const RecordHoldSchema = fields.named('RecordHold', 'A span that retention leaves alone.', {
  id: fields.count('Its number.', 1),
  ...fields.instantFields('from', 'Where the span begins.'),
  ...fields.instantFields('to', 'Where it ends.'),
  reason: fields.line('Why it is kept.', 'complaint 4711', 200),
});

export const RecordSummarySchema = fields.named('RecordSummary', 'The record of what was quoted and served.', {
  recorded: Type.Boolean({ description: 'Whether this service records (`history.url`).' }),
  ...fields.nullableInstantFields('from', 'The first instant in the record.'),
  ...fields.nullableInstantFields('to', 'The last sealed instant.'),
  segments: fields.count('Segments.', 5760),
  bytes: fields.count('Their bytes.', 480_000_000),
  gaps: fields.listOf(GapSchema, 'Where it is not complete.'),
  holds: fields.listOf(RecordHoldSchema, 'What is kept beyond its time.'),
});

const nextField = fields.nullableLine(
  'What to give as `after` for the next page; null on the last.',
  '1795255200000.3',
  32,
);

export const QuotePageSchema = fields.named('RecordedQuotePage', 'What was published of a market.', {
  quotes: fields.listOf(QuoteSchema, 'In their order.'),
  next: nextField,
});

const RangeSchema = fields.named('PriceRange', 'A price over a step.', {
  open: part.decimal('The open.', '1257810'),
  high: part.decimal('The high.', '1257810'),
  low: part.decimal('The low.', '1257810'),
  close: part.decimal('The close.', '1257810'),
});

const CandleSchema = fields.named('Candle', 'A step of a chart.', {
  ...fields.instantFields('from', 'Where the step begins.'),
  changes: fields.count('Changes within it; 0 where the price before went on.', 42),
  buyPrice: fields.referenceTo(RangeSchema, 'What a client paid.'),
  sellPrice: fields.referenceTo(RangeSchema, 'What a client received.'),
  bid: fields.referenceTo(RangeSchema, 'Best bid on the exchange.'),
  ask: fields.referenceTo(RangeSchema, 'Best ask on the exchange.'),
});

export const CandleListSchema = fields.named('CandleList', 'A market over a span.', {
  candles: fields.listOf(CandleSchema, 'Steps with a price, in order. A step in a gap has none.'),
  gaps: fields.listOf(GapSchema, 'Gaps of the record in the span.'),
});

const ServedSchema = fields.named('RecordedAnswer', 'An answer to a key.', {
  requestId,
  position: positionField,
  ...fields.instantFields('at', 'The instant that it was answered for.'),
  keyId: fields.id('key', 'The key that asked.'),
  route: fields.line('What was asked for.', '/v1/ticker', 100),
  symbol: fields.nullableLine('The symbol asked for; null where there was none.', 'BTCCZK', 32),
  status: Type.Integer({ description: 'The HTTP status.', minimum: 100, maximum: 599, examples: [200] }),
  code: fields.nullableLine('The code of a problem; null for any other answer.', 'UNKNOWN_SYMBOL', 64),
});

export const ServedPageSchema = fields.named('RecordedAnswerPage', 'What keys were answered.', {
  answers: fields.listOf(ServedSchema, 'In their order.'),
  next: nextField,
});

export const ProvenAnswerSchema = fields.named('ProvenAnswer', 'An answer again, with what proves it.', {
  answer: ServedSchema,
  body: fields.orNull(
    Type.String({
      description: 'The body, byte for byte as it is without compression; null where the record lacks a part of it.',
      examples: ['{"symbol":"BTCCZK"}'],
    }),
  ),
  quotes: fields.listOf(QuoteSchema, 'The published prices it shows: one of a ticker, at most ten of a list.'),
  segment: fields.nullable(
    fields.named('RecordSegment', 'A sealed segment.', {
      chain: fields.count('Its chain.', 1),
      number: fields.count('Its number in the chain.', 5760),
      hash: fields.line('SHA-256 of its content and of the segment before, in hexadecimal.', 'a1b2', 64),
    }),
    'The segment that holds it; null while its minute runs.',
  ),
});

export function quoteView(row: QuoteRow): Static<typeof QuoteSchema> {
  const { quote } = row;
  const rate = quote === undefined || quote.rate === '' ? undefined : (JSON.parse(quote.rate) as RateVersion);
  return fields.viewOf(QuoteSchema.properties, {
    ...row,
    position: positionText(row),
    source: quote?.source,
    timestamp: quote?.capturedAt,
    bid: quote?.bid,
    ask: quote?.ask,
    buyPrice: quote?.buyPrice,
    sellPrice: quote?.sellPrice,
    rate: rate?.mid,
    terms: quote && (JSON.parse(quote.terms) as TermsVersion).version,
  });
}

export function gapView({ from, to, reason }: Gap): Static<typeof GapSchema> {
  return { ...fields.instants('from', from), ...fields.instants('to', to), reason };
}

export function summaryView({ gaps, holds, ...summary }: RecordSummary): Static<typeof RecordSummarySchema> {
  const views = { gaps: gaps.map(gapView), holds: holds.map(recordHoldView) };
  return fields.viewOf(RecordSummarySchema.properties, { recorded: true, ...summary, ...views });
}

export function recordHoldView({ id, from, to, reason }: RecordHold): Static<typeof RecordHoldSchema> {
  return { id, ...fields.instants('from', from), ...fields.instants('to', to), reason };
}

/** The audit log's entry of a new hold. */
export function recordHoldEntry({ id, from, to, reason }: RecordHold) {
  const summary = `keeps the record from ${isoInstant(from)} to ${isoInstant(to)}: ${reason}`;
  const details = { fromMs: from, toMs: to, reason };
  return { action: 'history.hold', subject: { kind: 'history', id: String(id) }, summary, details } as const;
}

/** The audit log's entry of the release of a hold. */
export function recordReleaseEntry(id: number) {
  const summary = 'no longer keeps a span of the record';
  return { action: 'history.release', subject: { kind: 'history', id: String(id) }, summary } as const;
}

/** The audit log's entry of an end of the record that is compared with from now on. */
export function acceptEntry(heads: Verification['heads']) {
  const ends = heads.map(({ chain, number }) => `segment ${number} of chain ${chain}`).join(', ') || 'nothing';
  const summary = `accepts that the record ends with ${ends}`;
  return { action: 'history.accept', subject: { kind: 'history', id: '0' }, summary, details: { heads } } as const;
}

const segmentFindings = [
  'changed',
  'swapped',
  'missing',
  'deletion_unsealed',
  'damaged',
  'cut_off',
  'exchanged',
] as const;

/** The findings of `verify`, by where they are. */
export const FindingCodeSchema = fields.coded('RecordFindingCode', 'Something that is not as it was written.', {
  segment: {
    what: fields.openEnum(segmentFindings, 'What it is. `cut_off`: the chain ends before it.'),
    chain: fields.count('The chain.', 1),
    number: fields.count('The segment.', 4_711),
    chunk: fields.nullableCount('The piece of its data that is damaged; null where it is not one alone.', 2),
    day: fields.nullableLine('The day whose seal says so; null without one.', '2026-11-20', 10),
  },
  ledger: {
    what: fields.openEnum(['changed', 'missing', 'unsealed'], 'What it is.'),
    kind: fields.openEnum(['run', 'hold', 'deletion', 'entry'], 'A row, or an entry of the ledger itself.'),
    number: fields.count('Its number.', 3),
    chain: fields.nullableCount('The chain of a deletion; null otherwise.', 1),
    of: fields.nullableLine('The kind of row that an entry is of; null where that cannot be told.', 'seal', 32),
  },
  moved: {},
});

/** Gives what `verify` found first by its code; `undefined` where all is as it was written. */
export function findingCode(finding: Finding | RecordDoubt | undefined): Static<typeof FindingCodeSchema> | undefined {
  if (finding === undefined) return undefined;
  if ('subject' in finding) {
    const { what, about } = finding;
    const { kind, number, chain = null, of = null } = about;
    return { code: 'ledger', values: { what, kind, number, chain, of } };
  }
  if (finding.what === 'moved') return { code: 'moved', values: {} };
  const { what, chain, number } = finding;
  const chunk = 'chunk' in finding ? (finding.chunk ?? null) : null;
  const day = 'day' in finding ? (finding.day ?? null) : null;
  return { code: 'segment', values: { what, chain, number, chunk, day } };
}

/** Says what `verify` found first; `undefined` where all is as it was written. */
export function findingText(finding: Finding | RecordDoubt | undefined): string | undefined {
  if (finding === undefined) return undefined;
  if ('subject' in finding) return `${finding.subject}: ${finding.what}`;
  if (finding.what === 'moved') return 'its file or database was moved or exchanged';
  const { chain, number } = finding;
  const chunk = 'chunk' in finding ? `, chunk ${finding.chunk}` : '';
  const day = 'day' in finding ? `${finding.day}: ` : '';
  const what = finding.what === 'cut_off' ? 'cut off, the chain ends before it' : finding.what;
  return `${day}chain ${chain}, segment ${number}: ${what}${chunk}`;
}

export function candleView({ from, ...values }: Candle): Static<typeof CandleSchema> {
  return { ...fields.instants('from', from), ...values };
}

export function servedView(row: ServedRow): Static<typeof ServedSchema> {
  const { symbol, status, text, askedAt } = row;
  return fields.viewOf(ServedSchema.properties, {
    ...row,
    position: positionText(row),
    at: askedAt,
    symbol: symbol === '' ? undefined : symbol,
    code: status < 400 ? undefined : text.slice(0, text.indexOf(' ')),
  });
}

const shownQuotesMax = 10;

export function provenView({ serving, body, quotes, segment }: ProvenAnswer): Static<typeof ProvenAnswerSchema> {
  return {
    answer: servedView(serving),
    body: body ?? null,
    quotes: quotes.slice(0, shownQuotesMax).map(quoteView),
    segment: segment === undefined ? null : { ...segment },
  };
}

/** A recorded price, explained like today’s; `undefined` where the record has none. */
export function priceAnswerOf(found: PriceAt): PriceAnswer | undefined {
  if (found.kind === 'not_recorded') return undefined;
  const held = found.held.map(withheldView);
  if (found.kind === 'priced') {
    const changes = changesOf(found.row.quote!.statistics, (name) => found.changes[name]);
    return { kind: 'priced', report: priceReport(found.explanation, held, changes) };
  }
  if (found.reason === 'not_offered') return { kind: 'unknown_symbol' };
  return { kind: 'unpriced', reason: found.reason, held, doubts: [] };
}
