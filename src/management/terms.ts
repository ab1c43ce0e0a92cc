import Type, { type Static } from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { termFields, termScopes } from '../market/terms.ts';
import { proposedTerm } from '../operator/approval.ts';
import { instantMs, listOf, named, openEnum } from '../operator/fields.ts';
import { newTermOf, TermSchema, termPrecision, termRounding, termView, termViews } from '../operator/term.ts';
import { TermEffectSchema, termEffect, termRefusal } from '../operator/term-effect.ts';
import { assertTerm, type NewTerm } from '../store/terms.ts';
import { proposedInstead } from './approvals.ts';
import { noBody, operation, pathId, strictObject } from './operation.ts';
import type { Management } from './parts.ts';
import { invalid, Problem } from './problems.ts';

const TermListSchema = named('TermList', 'The terms.', {
  terms: listOf(
    TermSchema,
    'What the configuration sets; then all others by their start, past and cancelled ones among them.',
  ),
});

const draftFields = {
  fromMs: Type.Optional(
    instantMs(
      'The first instant at which it holds. Now when left out: two seconds later, so that every process begins together.',
    ),
  ),
  scope: openEnum(termScopes, 'What it is for.'),
  subject: Type.Optional(
    part.text('The quote currency or the market; left out for the service.', 'BTCEUR', {
      maxLength: 32,
      pattern: '^[A-Z0-9]+$',
    }),
  ),
  feePercent: Type.Optional(part.decimal('The fee in percent, under 100.', '0.4')),
  marginPercent: Type.Optional(part.decimal('The currency margin in percent, under 100; not for the service.', '1')),
  pricePrecision: Type.Optional(termPrecision),
  rounding: Type.Optional(termRounding),
  inherits: Type.Optional(
    Type.Array(openEnum(termFields, 'A value.'), {
      description: 'Values to take from the next wider scope again.',
      maxItems: termFields.length,
      uniqueItems: true,
    }),
  ),
};

const DraftSchema = strictObject('The new term: at least one value.', draftFields);
const NewTermSchema = strictObject('The new term: at least one value.', {
  ...draftFields,
  confirm: Type.Optional(Type.Boolean({ description: 'Whether the concerns of the preview are meant so.' })),
});

/** Throws `INVALID_INPUT` for what cannot be meant. */
function draftOf(
  { fromMs, subject, ...values }: Static<typeof DraftSchema>,
  { market }: Management,
  now: EpochMs,
): NewTerm {
  const term = newTermOf({ ...values, subject, from: (fromMs ?? now) as EpochMs });
  assertTerm(term);
  const refusal = termRefusal(market.markets, term);
  if (refusal !== undefined) throw invalid('subject', refusal.message, refusal.said);
  return term;
}

export const termOperations = {
  listTerms: operation({
    path: '/api/terms',
    summary: 'Terms',
    description: 'What prices are made with: since when, and what is announced.',
    answer: TermListSchema,
    async handle({ store, now }, { market: { markets } }) {
      return { terms: [...termViews(markets.terms, await store.terms.list({ withCancelled: true }), now)] };
    },
  }),

  setTerm: operation({
    path: '/api/terms',
    summary: 'Set a term',
    description:
      'It holds from its start on in every process, until another one of the same scope sets the same value. What the preview has concerns about needs `confirm`.',
    access: 'operator',
    body: NewTermSchema,
    status: 201,
    answer: TermSchema,
    problems: ['CONFLICT'],
    canWait: true,
    async handle({ body: { confirm = false, ...body }, ...asked }, management) {
      const { store, now } = asked;
      const { markets } = management.market;
      const term = draftOf(body, management, now);
      const { concerns, concernCodes } = termEffect(markets, term, now);
      if (concerns.length > 0 && !confirm) {
        throw new Problem('CONFLICT', `${concerns.join(' ')} Send confirm with true if it is meant so.`, {
          said: { code: 'confirm_concerns', values: { concerns: concernCodes } },
          errors: [{ field: 'confirm', message: 'must be true.' }],
        });
      }
      const change = { action: 'term.set', term: proposedTerm(term, now) } as const;
      const proposed = await proposedInstead(change, asked, management);
      if (proposed !== undefined) return proposed;
      const { id } = await store.terms.add(term);
      return termView(id, markets.terms, await store.terms.list({ withCancelled: true }), now);
    },
  }),

  previewTerm: operation({
    path: '/api/terms/preview',
    summary: 'See what a term would change',
    description: 'Changes nothing. Prices before and after are made from the present ask and bid of the exchange.',
    access: 'operator',
    body: DraftSchema,
    answer: TermEffectSchema,
    handle: ({ body, now }, management) => termEffect(management.market.markets, draftOf(body, management, now), now),
  }),

  cancelTerm: operation({
    path: '/api/terms/:id/cancel',
    summary: 'Cancel an announced term',
    description: 'Only one that has not begun; a later one ends one that has.',
    access: 'operator',
    params: pathId('trm'),
    body: noBody,
    answer: TermSchema,
    problems: ['CONFLICT'],
    canWait: true,
    async handle({ params, ...asked }, management) {
      const { store, now } = asked;
      const proposed = await proposedInstead({ action: 'term.cancel', id: params.id }, asked, management);
      if (proposed !== undefined) return proposed;
      await store.terms.cancel(params.id);
      return termView(params.id, management.market.markets.terms, await store.terms.list({ withCancelled: true }), now);
    },
  }),
};
