import type { Clock, EpochMs, Randomness } from '../clock.ts';
import { decideNotices, type NoticeDecision } from './notice-decision.ts';
import {
  beginSending,
  type ClaimedNotice,
  type ClaimOptions,
  claimNotice,
  type NoticeOutcome,
  selectWithAccount,
  settleNotice,
} from './notice-delivery.ts';
import { type NoticeRecord, type NoticeWithAccount, noticeWithAccountOf } from './notice-record.ts';
import type { Database, NoticeStatus } from './schema.ts';
import { StoreError } from './store-error.ts';

export type { NoticeDecision, NoticeRule } from './notice-decision.ts';
export type { ClaimedNotice, NoticeOutcome } from './notice-delivery.ts';
export type { NoticeFigures, NoticeRecord, NoticeWithAccount } from './notice-record.ts';
export type { NoticeKind, NoticeStatus } from './schema.ts';

/** The outbox of notices to account holders, shared by all servers on the database. */
export interface Notices {
  /** See `decideNotices`. */
  decide(decision: Omit<NoticeDecision, 'now'>): Promise<readonly NoticeRecord[]>;
  /** See `claimNotice`. */
  claim(options: Omit<ClaimOptions, 'now'>): Promise<ClaimedNotice | undefined>;
  /** See `beginSending`. */
  beginSending(claim: ClaimedNotice, leaseMs: number): Promise<boolean>;
  /** See `settleNotice`. */
  settle(claim: ClaimedNotice, outcome: NoticeOutcome): Promise<boolean>;
  /** Latest first, at most `limit`. */
  list(filter: NoticeFilter): Promise<readonly NoticeWithAccount[]>;
  /** Throws `notice_unknown`. */
  get(id: string): Promise<NoticeWithAccount>;
  /** Notices still to be sent. */
  countPending(): Promise<number>;
  /** Drops what was made before an instant and is done with. */
  prune(before: EpochMs): Promise<void>;
}

export interface NoticeFilter {
  readonly limit: number;
  readonly status?: NoticeStatus | undefined;
  readonly keyId?: string | undefined;
}

export function noticesIn(db: Database, clock: Clock, randomness: Randomness): Notices {
  return {
    decide: (decision) => decideNotices(db, randomness, { ...decision, now: clock.now() }),
    claim: (options) => claimNotice(db, { ...options, now: clock.now() }),
    beginSending: (claim, leaseMs) => beginSending(db, claim, (clock.now() + leaseMs) as EpochMs),
    settle: (claim, outcome) => settleNotice(db, clock.now(), claim, outcome),
    list: (filter) => listNotices(db, filter),
    async get(id) {
      const row = await selectWithAccount(db).where('notices.id', '=', id).executeTakeFirst();
      if (row === undefined) throw new StoreError('notice_unknown', `There is no notice ${id}.`);
      return noticeWithAccountOf(row);
    },
    async countPending() {
      const row = await db
        .selectFrom('notices')
        .select(({ fn }) => fn.countAll<number>().as('pending'))
        .where('status', 'in', ['pending', 'sending'])
        .executeTakeFirst();
      return row?.pending ?? 0;
    },
    async prune(before) {
      await db
        .deleteFrom('notices')
        .where('created_at_ms', '<', before)
        .where('status', 'not in', ['pending', 'sending'])
        .execute();
    },
  };
}

async function listNotices(db: Database, filter: NoticeFilter): Promise<readonly NoticeWithAccount[]> {
  let query = selectWithAccount(db).orderBy('notices.created_at_ms', 'desc').orderBy('notices.id').limit(filter.limit);
  if (filter.status !== undefined) query = query.where('notices.status', '=', filter.status);
  if (filter.keyId !== undefined) query = query.where('notices.key_id', '=', filter.keyId);
  return (await query.execute()).map(noticeWithAccountOf);
}
