import Type, { type Static } from 'typebox';
import { noProofTexts } from '../history/query/prove.ts';
import { pendingReasons } from '../market/catalogue-review.ts';
import { coded, count, line, listOf, nullableLine, openEnum } from '../operator/fields.ts';
import { ConcernCodeSchema } from '../operator/term-effect.ts';

const named = { name: line('Who asks.', 'alice', 300), role: line('The role of that one.', 'support', 32) };
const symbol = line('The market.', 'BTCEUR', 32);

/** Every detail of a problem by its code. Those of the store have codes of their own. */
export const ProblemDetailSchema = coded('ProblemDetailCode', 'What went wrong this time.', {
  store: {
    code: line('The code of the store’s refusal or failure.', 'key_unknown', 64),
    values: Type.Unsafe<Readonly<Record<string, unknown>>>({
      description: 'What that names.',
      type: 'object',
      additionalProperties: true,
      examples: [{ id: 'key_4fGh72Kq0ZsTn1Lw' }],
    }),
  },

  not_signed_in: {},
  token_invalid: {},
  token_ended: {},
  session_expired: {},
  role_required: { needed: line('The role that is needed.', 'operator', 32), ...named },
  role_of_programs: named,
  csrf_token: {},
  other_site: {},
  too_many_attempts: {},

  internal: {},
  body_too_large: {},
  body_no_json: {},
  body_malformed: {},
  body_length: {},
  body_no_object: {},
  path_escape: {},
  value_missing: {},
  value_must: { value: line('What it has to be.', 'BTCEUR', 300) },

  confirm_final: {
    what: openEnum(['delisting', 'erasing'], 'What is final.'),
    wanted: line('What is to be repeated in `confirm`.', 'BTCEUR', 64),
  },
  confirm_concerns: { concerns: listOf(ConcernCodeSchema, 'Why the term may be a mistake.', 8) },
  term_market_unknown: { symbol },
  term_quote_unknown: { quote: line('The currency.', 'USD', 32) },
  term_not_converted: { subject: line('The market or currency.', 'BTCEUR', 32) },
  market_unknown: {},
  nothing_doubted: { symbol },
  rate_needs_approval: { symbol },
  nothing_waits: {},
  not_settled: {
    source: line('Of whose list they are.', 'kraken', 32),
    reason: openEnum(pendingReasons, 'Why they wait.'),
  },
  configuration_none: {},
  configuration_refused: { why: line('What is wrong with it, in English.', 'sources: is empty.', 4_000) },
  destination_unknown: {},
  request_unknown: {},
  streams_taken: {},

  record_none: {},
  record_hold_unknown: {},
  record_answer_unknown: {},
  record_price_none: {
    reason: nullableLine('Why the market had none then; null where the record lacks it.', 'held', 64),
  },
  record_proof_none: {
    why: openEnum(Object.keys(noProofTexts) as (keyof typeof noProofTexts)[], 'Why there is no proof.'),
  },
  span_reversed: {},
  span_too_long: {},
  steps_too_many: { count: count('The most steps.', 1_500) },
});

export type ProblemDetail = Static<typeof ProblemDetailSchema>;
