import Type from 'typebox';
import {
  ApprovalSchema,
  approvalView,
  changeOf,
  confirm,
  kindOfChange,
  type Present,
  type ProposedChange,
  propose,
  reject,
} from '../operator/approval.ts';
import { type ApprovalKind, approvalKinds } from '../operator/approval-kind.ts';
import * as fields from '../operator/fields.ts';
import {
  type Asked,
  defaultLimit,
  nextSchema,
  noBody,
  operation,
  pageQuery,
  pathId,
  readPlace,
  writeCursor,
} from './operation.ts';
import type { Management } from './parts.ts';
import { Proposed } from './proposed.ts';
import { allRates } from './views.ts';

type Asking = Pick<Asked, 'store' | 'operator' | 'now'>;

/** Whether a second person has to confirm changes of this kind. */
export function needsApproval(kind: ApprovalKind, { configuration }: Pick<Management, 'configuration'>): boolean {
  return configuration.admin.approvals.includes(kind);
}

/**
 * Proposes a change where a second person has to confirm it; `undefined` where whoever asks may do it alone. Throws as
 * the change does.
 */
export async function proposedInstead(change: ProposedChange, asked: Asking, management: Management) {
  if (!needsApproval(kindOfChange(change), management)) return undefined;
  await saveMarkets(change, management);
  const record = await propose(asked.store, change, presentOf(management, asked));
  return new Proposed(approvalView(record, asked.operator.name));
}

/** A market can be changed in the store once that has all that the feed reported. */
async function saveMarkets(change: ProposedChange, { market }: Management): Promise<void> {
  if (kindOfChange(change) === 'delist') await market.snapshots.save();
}

function presentOf(management: Management, { now }: Pick<Asked, 'now'>): Present {
  const { terms } = management.market.markets;
  return {
    now,
    firstTerms: terms.all().filter(({ from }) => from === undefined),
    rateOf: (quote) => allRates(management, now).find((rate) => rate.quote === quote),
  };
}

const ApprovalListSchema = fields.named('ApprovalList', 'Changes that need a second person.', {
  kinds: Type.Array(fields.openEnum(approvalKinds, 'A kind of change.'), {
    description: 'The kinds of changes that another person has to confirm, as configured.',
  }),
  approvals: fields.listOf(ApprovalSchema, 'Those that wait by their age, otherwise the latest first.', 200),
  next: nextSchema,
});

const deciding = {
  access: 'operator',
  params: pathId('apr'),
  body: noBody,
  answer: ApprovalSchema,
  problems: ['CONFLICT'],
} as const;

export const approvalOperations = {
  listApprovals: operation({
    path: '/api/approvals',
    summary: 'Changes that need a second person',
    description:
      'What waits, or, with those that were decided on and expired, all of the time that the audit log is kept.',
    query: Type.Object({
      state: Type.Optional(fields.openEnum(['waiting', 'all'], 'Which ones: `waiting` when left out.')),
      ...pageQuery,
    }),
    answer: ApprovalListSchema,
    async handle({ query: { state = 'waiting', after, limit = defaultLimit }, store, operator }, { configuration }) {
      const isWaiting = state === 'waiting';
      const asked = { limit, after: readPlace(after) };
      const waiting = { items: await store.approvals.waiting(), next: undefined };
      const { items, next } = isWaiting ? waiting : await store.approvals.page(asked);
      return {
        kinds: [...configuration.admin.approvals],
        approvals: items.map((record) => approvalView(record, operator.name)),
        next: next === undefined ? null : writeCursor(next.atMs, next.id),
      };
    },
  }),

  confirmApproval: operation({
    path: '/api/approvals/:id/confirm',
    summary: 'Confirm a change that somebody else proposed',
    description:
      'It is made at once, exactly as it was proposed, and once. Whoever proposed it cannot confirm it: names count whatever they signed in with, so that the token `alice` and `oidc:alice@example.com` are one. Refused too where what it is based on has changed since.',
    ...deciding,
    async handle({ params: { id }, store, operator, now }, management) {
      await saveMarkets(changeOf(await store.approvals.get(id)), management);
      const record = await confirm(store, id, operator.name, presentOf(management, { now }));
      await management.changes.look();
      return approvalView(record, operator.name);
    },
  }),

  rejectApproval: operation({
    path: '/api/approvals/:id/reject',
    summary: 'Reject a proposed change, or take back one’s own',
    description: 'Nothing is changed. It is `withdrawn` where its proposer does it, otherwise `rejected`.',
    ...deciding,
    async handle({ params: { id }, store, operator }) {
      return approvalView(await reject(store, id, operator.name), operator.name);
    },
  }),
};
