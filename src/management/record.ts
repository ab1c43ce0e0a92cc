import Type, { type Static } from 'typebox';
import { parseDuration } from '../configuration/duration.ts';
import * as part from '../contract/schema-parts.ts';
import { withoutCandles } from '../feed/connectors.ts';
import { asEpochMs } from '../ground/clock.ts';
import { noProofTexts, proofText } from '../history/query/prove.ts';
import type { RecordClient } from '../history/query/record-client.ts';
import { count, id, instantMs, line, named, nullable, nullableLine, openEnum } from '../operator/fields.ts';
import { PriceReportSchema } from '../operator/price.ts';
import * as views from '../operator/record.ts';
import { recordHeads } from '../operator/record-heads.ts';
import { withStamps } from '../operator/record-seals.ts';
import { requestId } from '../operator/request.ts';
import { operation, strictObject } from './operation.ts';
import type { Management } from './parts.ts';
import { invalid, Problem } from './problems.ts';

const symbolParams = Type.Object({ symbol: part.symbol('The market.', 'BTCCZK') });
const span = { fromMs: instantMs('Where the span begins.'), toMs: instantMs('Where it ends; not part of it.') };
const page = {
  limit: Type.Optional(
    Type.Integer({
      description: 'How many at most; a page can be a little longer.',
      minimum: 1,
      maximum: 1_000,
      default: 100,
      examples: [100],
    }),
  ),
  after: Type.Optional(views.position('`next` of the page before.')),
};

type SpanQuery = Static<Type.TObject<typeof span>>;
type PageQuery = SpanQuery & Static<Type.TObject<typeof page>>;

function spanOf({ fromMs, toMs }: SpanQuery) {
  if (toMs <= fromMs) throw invalid('toMs', 'It has to be after fromMs.', { code: 'span_reversed', values: {} });
  return { from: asEpochMs(fromMs), to: asEpochMs(toMs) };
}

function pageOf({ limit = 100, after, ...rest }: PageQuery) {
  return { ...spanOf(rest), limit, after: after === undefined ? undefined : views.positionOf(after) };
}

function recordOf({ record }: Management): Pick<RecordClient, 'ask'> {
  if (record === undefined) {
    const said = { code: 'record_none', values: {} } as const;
    throw new Problem('NOT_FOUND', 'This service records nothing (history.url: off).', { said });
  }
  return record;
}

const nothing = views.summaryView({ from: undefined, to: undefined, segments: 0, bytes: 0, gaps: [], holds: [] });

/** Steps of a chart. */
const steps = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
const candlesMax = 1_500;
/** A day of a market takes up to a second to read. */
const candleSpanMaxMs = 7 * 86_400_000;

const VerificationSchema = named('RecordVerification', 'Whether the record is as it was written.', {
  whole: Type.Boolean({ description: 'Whether every segment is as it was written, and none is missing.' }),
  segments: count('Segments looked at.', 5_760),
  deleted: count('Segments that retention deleted.', 0),
  finding: nullableLine(
    'The first thing that is not as it was written; null where all is.',
    'chain 1, segment 4711: changed',
  ),
  findingCode: nullable(views.FindingCodeSchema, 'The same by its code.'),
});

export const recordOperations = {
  readRecord: operation({
    path: '/api/history',
    summary: 'The record',
    description: 'What is recorded of what was quoted and served: from when on, its size, gaps and holds.',
    answer: views.RecordSummarySchema,
    problems: ['RECORD_BUSY'],
    async handle({ request }, { record }) {
      return record === undefined
        ? { ...nothing, recorded: false }
        : views.summaryView(await record.ask('summary', [], request.signal));
    },
  }),

  readRecordedPrice: operation({
    path: '/api/history/prices/:symbol',
    summary: 'The price of an instant',
    description:
      'How the price came about that a market had then, like that of today. 404 where there was none, or no record of it.',
    params: symbolParams,
    query: strictObject('Which instant.', { atMs: instantMs('The instant.') }),
    answer: PriceReportSchema,
    problems: ['RECORD_BUSY'],
    async handle({ params, query, request }, management) {
      const recorded = withoutCandles(management.feed.sources());
      const record = recordOf(management);
      const found = await record.ask('priceAt', [params.symbol, asEpochMs(query.atMs), recorded], request.signal);
      const answer = views.priceAnswerOf(found);
      if (answer?.kind === 'priced') return answer.report;
      const reason = answer?.kind === 'unpriced' ? answer.reason : null;
      const detail = reason === null ? 'The record has no price of it then.' : `It had no price then: ${reason}.`;
      throw new Problem('NOT_FOUND', detail, { said: { code: 'record_price_none', values: { reason } } });
    },
  }),

  listRecordedQuotes: operation({
    path: '/api/history/quotes/:symbol',
    summary: 'Everything quoted of a market',
    description: 'Each published change in a span, in order.',
    params: symbolParams,
    query: strictObject('Which span.', { ...span, ...page }),
    answer: views.QuotePageSchema,
    problems: ['RECORD_BUSY'],
    async handle({ params, query, request }, management) {
      const { rows, next } = await recordOf(management).ask('quotes', [params.symbol, pageOf(query)], request.signal);
      return { quotes: rows.map(views.quoteView), next: next === undefined ? null : views.positionText(next) };
    },
  }),

  listCandles: operation({
    path: '/api/history/candles/:symbol',
    summary: 'A market over a span, for a chart',
    description:
      "Steps of client prices and of the exchange's. At most 1500 steps and seven days at once; ask for more one after the other.",
    params: symbolParams,
    query: strictObject('Which span, in which steps.', { ...span, step: openEnum(steps, 'How long a step is.') }),
    answer: views.CandleListSchema,
    problems: ['RECORD_BUSY'],
    async handle({ params, query, request }, management) {
      const asked = spanOf(query);
      const stepMs = parseDuration(query.step)!;
      const lengthMs = asked.to - asked.from;
      if (lengthMs > candleSpanMaxMs)
        throw invalid('toMs', 'At most seven days at once.', { code: 'span_too_long', values: {} });
      if (lengthMs / stepMs > candlesMax) {
        const said = { code: 'steps_too_many', values: { count: candlesMax } } as const;
        throw invalid('step', `At most ${candlesMax} steps at once.`, said);
      }
      const record = recordOf(management);
      const { candles, gaps } = await record.ask('candles', [params.symbol, asked, stepMs], request.signal);
      return { candles: candles.map(views.candleView), gaps: gaps.map(views.gapView) };
    },
  }),

  listServed: operation({
    path: '/api/history/answers',
    summary: 'What keys were answered',
    description: 'Each answer to a key in a span, in order.',
    query: strictObject('Which span and key.', {
      ...span,
      ...page,
      keyId: Type.Optional(id('key', 'Of this key alone.')),
    }),
    answer: views.ServedPageSchema,
    problems: ['NOT_FOUND', 'RECORD_BUSY'],
    async handle({ query, request }, management) {
      const { rows, next } = await recordOf(management).ask('served', [query.keyId, pageOf(query)], request.signal);
      return { answers: rows.map(views.servedView), next: next === undefined ? null : views.positionText(next) };
    },
  }),

  readServed: operation({
    path: '/api/history/answers/:id',
    summary: 'An answer again, by the id that its client quotes',
    description: 'The body as it was, the prices in it, and the sealed segment that proves it.',
    params: Type.Object({ id: requestId }),
    answer: views.ProvenAnswerSchema,
    problems: ['RECORD_BUSY'],
    async handle({ params, request }, management) {
      const found = await recordOf(management).ask('answer', [params.id], request.signal);
      if (found === undefined) {
        const said = { code: 'record_answer_unknown', values: {} } as const;
        throw new Problem('NOT_FOUND', 'The record has no answer to a key with this id.', { said });
      }
      return views.provenView(found);
    },
  }),

  proveServed: operation({
    path: '/api/history/answers/:id/proof',
    summary: 'Prove an answer',
    description: 'What a third party needs to check one answer, and nothing of any other. 404 while its minute runs.',
    params: Type.Object({ id: requestId }),
    answer: named('AnswerProof', 'A proof of one answer.', {
      text: Type.String({ description: 'The file.', examples: ['{}'] }),
    }),
    problems: ['RECORD_BUSY'],
    async handle({ params, request }, management) {
      const proof = await recordOf(management).ask('prove', [params.id], request.signal);
      if (typeof proof === 'string') {
        const said = { code: 'record_proof_none', values: { why: proof } } as const;
        throw new Problem('NOT_FOUND', noProofTexts[proof], { said });
      }
      return { text: proofText(proof) };
    },
  }),

  verifyRecord: operation({
    path: '/api/history/verification',
    summary: 'Verify the record',
    description: 'Reads every segment and compares its hash. Takes seconds for each gigabyte.',
    answer: VerificationSchema,
    problems: ['NOT_FOUND', 'RECORD_BUSY'],
    async handle({ store, request }, management): Promise<Static<typeof VerificationSchema>> {
      const kept = await recordHeads(store.snapshots).load();
      const verified = await recordOf(management).ask('verify', [undefined, kept], request.signal);
      const { segments, deleted, finding } = await withStamps(verified);
      return {
        whole: finding === undefined,
        segments,
        deleted,
        finding: views.findingText(finding) ?? null,
        findingCode: views.findingCode(finding) ?? null,
      };
    },
  }),

  holdRecord: operation({
    path: '/api/history/holds',
    summary: 'Keep a span of the record',
    description: 'Retention leaves it alone until it is released.',
    access: 'admin',
    body: strictObject('Which span, and why.', { ...span, reason: line('Why it is kept.', 'complaint 4711', 200) }),
    status: 201,
    answer: views.RecordHoldSchema,
    problems: ['NOT_FOUND', 'RECORD_BUSY'],
    async handle({ body, store }, management) {
      const { from, to } = spanOf(body);
      const id = await recordOf(management).ask('addHold', [{ from, to, reason: body.reason }]);
      const hold = { id, from, to, reason: body.reason };
      await store.audit.record(views.recordHoldEntry(hold));
      return views.recordHoldView(hold);
    },
  }),

  releaseRecord: operation({
    path: '/api/history/holds/:number',
    summary: 'Release a held span of the record',
    description: 'Retention deletes it in its time.',
    method: 'DELETE',
    access: 'admin',
    params: Type.Object({
      number: Type.Integer({ description: 'The number of the hold.', minimum: 1, examples: [1] }),
    }),
    problems: ['RECORD_BUSY'],
    async handle({ params: { number }, store }, management) {
      const isReleased = await recordOf(management).ask('releaseHold', [number]);
      if (!isReleased) {
        const said = { code: 'record_hold_unknown', values: {} } as const;
        throw new Problem('NOT_FOUND', 'There is no hold of this number.', { said });
      }
      await store.audit.record(views.recordReleaseEntry(number));
    },
  }),
};
