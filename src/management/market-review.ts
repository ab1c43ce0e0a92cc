import Type, { type Static } from 'typebox';
import * as fields from '../operator/fields.ts';
import {
  loadPending,
  PendingListSchema,
  pendingView,
  RejectedListSchema,
  readReview,
  reviewView,
  settle,
  type Verdict,
  verdictRefusal,
} from '../operator/review.ts';
import { proposedInstead } from './approvals.ts';
import { type Asked, assertConfirmed, type Described, noBody, operation, strictObject } from './operation.ts';
import type { Management } from './parts.ts';
import { Problem } from './problems.ts';

const ReviewSchema = fields.named('MarketReview', 'What waits of the lists of sources, and what was rejected.', {
  pending: fields.listOf(PendingListSchema, 'What waits, by source.'),
  rejected: fields.listOf(RejectedListSchema, 'What was rejected, by source.'),
});

const idParams = Type.Object({ id: PendingListSchema.properties.id });
const sourceParams = Type.Object({ source: PendingListSchema.properties.source });

const decision = strictObject('The decision.', {
  confirm: Type.Optional(
    Type.String({
      description: 'The source once more, where markets are delisted for good.',
      maxLength: 64,
      examples: ['kraken'],
    }),
  ),
});

type Decided = Pick<
  Asked<Static<typeof idParams>, never, Static<typeof decision>>,
  'params' | 'body' | 'store' | 'operator' | 'now'
>;

async function settled({ params, body, ...asked }: Decided, verdict: Verdict, management: Management) {
  const { store, now } = asked;
  const found = (await loadPending(store)).find(({ id }) => id === params.id);
  if (found === undefined) throw noLonger();
  const refusal = verdictRefusal(found, verdict);
  if (refusal !== undefined) {
    const said = { code: 'not_settled', values: { source: found.source, reason: found.reason } } as const;
    throw new Problem('CONFLICT', refusal, { said });
  }
  if (found.reason === 'loss' && verdict === 'accept') {
    await management.market.snapshots.save();
    assertConfirmed(body.confirm ?? '', found.source, 'Delisting');
    const change = { action: 'catalogue.delist', source: found.source, id: found.id } as const;
    const proposed = await proposedInstead(change, asked, management);
    if (proposed !== undefined) return proposed;
  }
  await settle(store, found, verdict, now);
  await management.changes.look();
  return pendingView(found);
}

function noLonger(): Problem {
  return new Problem('NOT_FOUND', 'These markets no longer wait. GET /api/market-review lists those that do.', {
    said: { code: 'nothing_waits', values: {} },
  });
}

const deciding = {
  access: 'operator',
  params: idParams,
  body: decision,
  answer: fields.referenceTo(PendingListSchema, 'What waited.'),
  canWait: true,
  problems: ['CONFLICT'],
} as const;

function verdictOn(verdict: Verdict, described: Described) {
  return operation({
    ...described,
    ...deciding,
    handle: (asked, management) => settled(asked, verdict, management),
  });
}

export const marketReviewOperations = {
  readMarketReview: operation({
    path: '/api/market-review',
    summary: 'What waits of the lists of sources',
    description:
      'Markets that are not offered, believed to be gone or delisted without an operator: a sudden growth, what is above `markets.max`, a list that is taken for incomplete, and a loss.',
    answer: ReviewSchema,
    handle: async ({ store }) => reviewView(await readReview(store)),
  }),

  acceptPendingMarkets: verdictOn('accept', {
    path: '/api/market-review/:id/accept',
    summary: 'Accept markets that wait',
    description:
      'A growth is offered with the next load of the list. The markets of a loss are delisted for good: `confirm` must repeat the source.',
  }),

  rejectPendingMarkets: verdictOn('reject', {
    path: '/api/market-review/:id/reject',
    summary: 'Reject markets that wait',
    description:
      'New markets are never offered, unless they are accepted later. The markets of a loss are not delisted: they stay paused until they are listed again.',
  }),

  acceptRejectedMarkets: operation({
    path: '/api/market-review/rejected/:source/accept',
    summary: 'Accept the markets of a source that were rejected',
    description: 'They are offered with the next load of the list.',
    access: 'operator',
    params: sourceParams,
    body: noBody,
    answer: fields.referenceTo(RejectedListSchema, 'What was rejected.'),
    async handle({ params: { source }, store }, management) {
      const rejected = (await readReview(store)).rejected.find((each) => each.source === source)?.rejected ?? [];
      if (rejected.length === 0) throw noLonger();
      await store.lists.accept(source, rejected);
      await management.changes.look();
      return { source, count: rejected.length };
    },
  }),
};
