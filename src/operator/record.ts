import Type, { type Static } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import * as part from '../contract/schema-parts.ts';
import type { Candle } from '../history/query/candles.ts';
import type { PriceAt, ProvenAnswer, RecordSummary } from '../history/query/questions.ts';
import type { Finding, Verification } from '../history/query/verify.ts';
import type { ServedRow } from '../history/reading/record-reader.ts';
import type { RecordDoubt } from '../history/record/worker.ts';
import type { Gap, Position, QuoteRow, RateVersion, TermsVersion } from '../history/segment/rows.ts';
import type { Hold } from '../history/segment/segment-store.ts';
import {
  count,
  described,
  id,
  instantFields,
  instants,
  line,
  named,
  nullable,
  nullableDecimal,
  nullableInstantFields,
  nullableLine,
  openEnum,
  orNull,
  viewOf,
} from './fields.ts';
import { changesOf, heldView, type PriceAnswer, priceReport } from './price.ts';
import { requestId } from './request.ts';

/** A place in the order of the record, as text: `1795255200000.3`. */
export const positionPattern = '^\\d{1,15}\\.\\d{1,9}$';

const positionField = Type.String({
  description: 'Its place in the order of all that was published: the millisecond, and the place within it.',
  pattern: positionPattern,
  examples: ['1795255200000.3'],
});

export function positionText({ at, sub }: Position): string {
  return `${at}.${sub}`;
}

/** @param text as `positionField` has it */
export function positionOf(text: string): Position {
  const [at, sub] = text.split('.').map(Number) as [Position['at'], number];
  return { at, sub };
}

const QuoteSchema = named(
  'RecordedQuote',
  'A price as it was published. All but the first four are null where there was none.',
  {
    position: positionField,
    ...instantFields('at', 'When it was published.'),
    unpriced: nullableLine('Why the market had no price from then on; null where it had one.', 'no_rate', 32),
    source: nullableLine('The exchange that it came from.', 'kraken', 64),
    ...nullableInstantFields('timestamp', 'The public time of the ticker.'),
    bid: nullableDecimal('Best bid on the exchange.', '50000.0'),
    ask: nullableDecimal('Best ask on the exchange.', '50000.1'),
    buyPrice: nullableDecimal('What a client paid.', '1257810'),
    sellPrice: nullableDecimal('What a client received.', '1220000'),
    rate: nullableDecimal('The conversion rate; null where nothing was converted.', '24.500'),
    terms: nullableLine('The version of the terms.', 'configuration', 1_000),
  },
);

export const GapSchema = named('RecordGap', 'A span without a record.', {
  ...instantFields('from', 'The last instant that is recorded.'),
  ...nullableInstantFields('to', 'From when on it is recorded again; null while it is not.'),
  reason: openEnum(
    ['killed', 'slow', 'stopped', 'silent'],
    'Why: the process was killed, the disk was full or slow, the service was stopped, or its machine is silent.',
  ),
});

export const HoldSchema = named('RecordHold', 'A span that retention leaves alone.', {
  id: count('Its number.', 1),
  ...instantFields('from', 'Where the span begins.'),
  ...instantFields('to', 'Where it ends.'),
  reason: line('Why it is kept.', 'complaint 4711', 200),
});

export const RecordSummarySchema = named('RecordSummary', 'The record of what was quoted and served.', {
  recorded: Type.Boolean({ description: 'Whether this service records (`history.url`).' }),
  ...nullableInstantFields('from', 'The first instant in the record.'),
  ...nullableInstantFields('to', 'The last sealed instant.'),
  segments: count('Segments.', 5_760),
  bytes: count('Their bytes.', 480_000_000),
  gaps: Type.Array(GapSchema, { description: 'Where it is not complete.' }),
  holds: Type.Array(HoldSchema, { description: 'What is kept beyond its time.' }),
});

const nextField = nullableLine('What to give as `after` for the next page; null on the last.', '1795255200000.3', 32);

export const QuotePageSchema = named('RecordedQuotePage', 'What was published of a market.', {
  quotes: Type.Array(QuoteSchema, { description: 'In their order.' }),
  next: nextField,
});

const RangeSchema = named('PriceRange', 'A price over a step.', {
  open: part.decimal('The open.', '1257810'),
  high: part.decimal('The high.', '1257810'),
  low: part.decimal('The low.', '1257810'),
  close: part.decimal('The close.', '1257810'),
});

const CandleSchema = named('Candle', 'A step of a chart.', {
  ...instantFields('from', 'Where the step begins.'),
  changes: count('Changes within it; 0 where the price before went on.', 42),
  buyPrice: described(RangeSchema, 'What a client paid.'),
  sellPrice: described(RangeSchema, 'What a client received.'),
  bid: described(RangeSchema, 'Best bid on the exchange.'),
  ask: described(RangeSchema, 'Best ask on the exchange.'),
});

export const CandleListSchema = named('CandleList', 'A market over a span.', {
  candles: Type.Array(CandleSchema, { description: 'Steps with a price, in order. A step in a gap has none.' }),
  gaps: Type.Array(GapSchema, { description: 'Gaps of the record in the span.' }),
});

const ServedSchema = named('RecordedAnswer', 'An answer to a key.', {
  requestId,
  position: positionField,
  ...instantFields('at', 'The instant that it was answered for.'),
  keyId: id('key', 'The key that asked.'),
  route: line('What was asked for.', '/v1/ticker', 100),
  symbol: nullableLine('The symbol asked for; null where there was none.', 'BTCCZK', 32),
  status: Type.Integer({ description: 'The HTTP status.', minimum: 100, maximum: 599, examples: [200] }),
  code: nullableLine('The code of a problem; null for any other answer.', 'UNKNOWN_SYMBOL', 64),
});

export const ServedPageSchema = named('RecordedAnswerPage', 'What keys were answered.', {
  answers: Type.Array(ServedSchema, { description: 'In their order.' }),
  next: nextField,
});

export const ProvenAnswerSchema = named('ProvenAnswer', 'An answer again, with what proves it.', {
  answer: ServedSchema,
  body: orNull(
    Type.String({
      description: 'The body, byte for byte as it is without compression; null where the record lacks a part of it.',
      examples: ['{"symbol":"BTCCZK"}'],
    }),
  ),
  quotes: Type.Array(QuoteSchema, {
    description: 'The published prices it shows: one of a ticker, at most ten of a list.',
  }),
  segment: nullable(
    named('RecordSegment', 'A sealed segment.', {
      chain: count('Its chain.', 1),
      number: count('Its number in the chain.', 5_760),
      hash: line('SHA-256 of its content and of the segment before, in hexadecimal.', 'a1b2', 64),
    }),
    'The segment that holds it; null while its minute runs.',
  ),
});

export function quoteView(row: QuoteRow): Static<typeof QuoteSchema> {
  const { quote } = row;
  const rate = quote === undefined || quote.rate === '' ? undefined : (JSON.parse(quote.rate) as RateVersion);
  return {
    position: positionText(row),
    ...instants('at', row.at),
    unpriced: row.unpriced ?? null,
    source: quote?.source ?? null,
    ...instants('timestamp', quote?.capturedAt),
    bid: quote?.bid ?? null,
    ask: quote?.ask ?? null,
    buyPrice: quote?.buyPrice ?? null,
    sellPrice: quote?.sellPrice ?? null,
    rate: rate?.mid ?? null,
    terms: quote === undefined ? null : (JSON.parse(quote.terms) as TermsVersion).version,
  };
}

export function gapView({ from, to, reason }: Gap): Static<typeof GapSchema> {
  return { ...instants('from', from), ...instants('to', to), reason };
}

export function summaryView({ gaps, holds, ...summary }: RecordSummary): Static<typeof RecordSummarySchema> {
  const views = { gaps: gaps.map(gapView), holds: holds.map(holdView) };
  return viewOf(RecordSummarySchema.properties, { recorded: true, ...summary, ...views });
}

export function holdView({ id, from, to, reason }: Hold): Static<typeof HoldSchema> {
  return { id, ...instants('from', from), ...instants('to', to), reason };
}

/** The audit log's entry of a new hold. */
export function holdEntry({ id, from, to, reason }: Hold) {
  const summary = `keeps the record from ${isoInstant(from)} to ${isoInstant(to)}: ${reason}`;
  return { action: 'history.hold', subject: { kind: 'history', id: String(id) }, summary } as const;
}

/** The audit log's entry of the release of a hold. */
export function releaseEntry(id: number) {
  const summary = 'no longer keeps a span of the record';
  return { action: 'history.release', subject: { kind: 'history', id: String(id) }, summary } as const;
}

/** The audit log's entry of an end of the record that is compared with from now on. */
export function acceptEntry(heads: Verification['heads']) {
  const ends = heads.map(({ chain, number }) => `segment ${number} of chain ${chain}`).join(', ') || 'nothing';
  const summary = `accepts that the record ends with ${ends}`;
  return { action: 'history.accept', subject: { kind: 'history', id: '0' }, summary, details: { heads } } as const;
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
  return { ...instants('from', from), ...values };
}

export function servedView(row: ServedRow): Static<typeof ServedSchema> {
  const { symbol, status, text, askedAt } = row;
  return viewOf(ServedSchema.properties, {
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
  const held = found.held.map(heldView);
  if (found.kind === 'priced') {
    const changes = changesOf(found.row.quote!.statistics, (name) => found.changes[name]);
    return { kind: 'priced', report: priceReport(found.explanation, held, changes) };
  }
  if (found.reason === 'not_offered') return { kind: 'unknown_symbol' };
  return { kind: 'unpriced', reason: found.reason, held, doubts: [] };
}
