import type { Selectable, Updateable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import { decideNotices, type NoticeDecision, type NoticeRecord, noticeOf } from './notice-decision.ts';
import type { Database, NoticeStatus, NoticeTable } from './schema.ts';
import { StorePart } from './store-context.ts';
import { StoreError } from './store-error.ts';

export type { NoticeDecision, NoticeFigures, NoticeRecord, NoticeRule } from './notice-decision.ts';
export type { NoticeStatus } from './schema.ts';

export interface NoticeWithAccount extends NoticeRecord {
  /** The address of the account now; `undefined` when the account is gone. */
  readonly accountEmail: string | undefined;
}

interface NoticeFilter {
  readonly limit: number;
  readonly status?: NoticeStatus | undefined;
  readonly keyId?: string | undefined;
}

/** A notice that one server has claimed. The claim holds until another server claims it, after the lease. */
export interface ClaimedNotice extends NoticeWithAccount {
  readonly messageId: string;
}

interface ClaimOptions {
  readonly leaseMs: number;
  /** The right side of a Message-ID that is made now. */
  readonly messageIdDomain: string;
}

/** How an attempt ended. `error`: one line without secrets. */
export type NoticeOutcome =
  | { readonly status: 'sent' }
  | { readonly status: 'failed' | 'unconfirmed'; readonly error: string }
  | { readonly status: 'pending'; readonly error: string; readonly nextAttemptAt: EpochMs };

/** The outbox of notices to account holders, shared by all servers on the database. */
export class Notices extends StorePart {
  /** Makes the notices that are due. See `decideNotices`. */
  decide(decision: NoticeDecision): Promise<readonly NoticeRecord[]> {
    return decideNotices(this.context, decision);
  }

  /**
   * Claims the notice that has been due for longest; `undefined` when none is. A notice left in `sending` by a server
   * that is gone becomes `unconfirmed`: it may have been accepted, and is never sent twice.
   */
  async claim({ leaseMs, messageIdDomain }: ClaimOptions): Promise<ClaimedNotice | undefined> {
    const { db, clock } = this.context;
    const now = clock.now();
    // Without the write lock first: nearly always there is nothing to do.
    if (!(await isAnythingDue(db, now))) return undefined;
    return db.transaction().execute(async (trx) => {
      await closeAbandoned(trx, now);
      const first = selectDue(trx, now).orderBy('next_attempt_at_ms').orderBy('id').limit(1);
      const due = await first.forUpdate().skipLocked().executeTakeFirst();
      if (due === undefined) return undefined;
      await trx
        .updateTable('notices')
        .set(({ eb, fn, val }) => ({
          attempts: eb('attempts', '+', 1),
          claimed_until_ms: (now + leaseMs) as EpochMs,
          message_id: fn.coalesce('message_id', val(`<${due.id}@${messageIdDomain}>`)),
        }))
        .where('id', '=', due.id)
        .execute();
      const row = await selectWithAccount(trx).where('notices.id', '=', due.id).executeTakeFirstOrThrow();
      return { ...noticeWithAccountOf(row), messageId: row.message_id! };
    });
  }

  /**
   * The point of no return, asked for when the mail server has the whole message except for its end. True: the claim still holds, the row says
   * `sending`, and the end may be sent. False: another server has claimed the notice, and it must not.
   */
  beginSending(claim: ClaimedNotice, leaseMs: number): Promise<boolean> {
    const claimedUntil = (this.context.clock.now() + leaseMs) as EpochMs;
    return this.#updateClaimed(claim, ['pending'], { status: 'sending', claimed_until_ms: claimedUntil });
  }

  /** Records how an attempt ended, unless another server has claimed the notice since. Returns whether it did. */
  settle(claim: ClaimedNotice, outcome: NoticeOutcome): Promise<boolean> {
    // What the sender knows overrides another server's guess that the sender is gone.
    return this.#updateClaimed(claim, ['pending', 'sending', 'unconfirmed'], {
      status: outcome.status,
      claimed_until_ms: null,
      last_error: outcome.status === 'sent' ? null : outcome.error,
      ...(outcome.status === 'sent' ? { sent_at_ms: this.context.clock.now() } : {}),
      ...(outcome.status === 'pending' ? { next_attempt_at_ms: outcome.nextAttemptAt } : {}),
    });
  }

  async #updateClaimed(
    { id, attempts }: ClaimedNotice,
    from: readonly NoticeStatus[],
    change: Updateable<NoticeTable>,
  ): Promise<boolean> {
    const claimed = this.context.db.updateTable('notices').set(change).where('id', '=', id);
    const held = claimed.where('attempts', '=', attempts).where('status', 'in', from);
    return (await held.executeTakeFirst()).numUpdatedRows === 1n;
  }

  /** Latest first, at most `limit`. */
  async list({ limit, status, keyId }: NoticeFilter): Promise<readonly NoticeWithAccount[]> {
    const all = selectWithAccount(this.context.db);
    let query = all.orderBy('notices.created_at_ms', 'desc').orderBy('notices.id').limit(limit);
    if (status !== undefined) query = query.where('notices.status', '=', status);
    if (keyId !== undefined) query = query.where('notices.key_id', '=', keyId);
    return (await query.execute()).map(noticeWithAccountOf);
  }

  /** Throws `notice_unknown`. */
  async get(id: string): Promise<NoticeWithAccount> {
    const row = await selectWithAccount(this.context.db).where('notices.id', '=', id).executeTakeFirst();
    if (row === undefined) throw new StoreError('notice_unknown', `There is no notice ${id}.`);
    return noticeWithAccountOf(row);
  }

  /** Notices still to be sent. */
  async countPending(): Promise<number> {
    const row = await this.context.db
      .selectFrom('notices')
      .select(({ fn }) => fn.countAll<number>().as('pending'))
      .where('status', 'in', ['pending', 'sending'])
      .executeTakeFirstOrThrow();
    return row.pending;
  }

  /** Drops the notices that were made before an instant and need no more work. */
  async prune(before: EpochMs): Promise<void> {
    await this.context.db
      .deleteFrom('notices')
      .where('created_at_ms', '<', before)
      .where('status', 'not in', ['pending', 'sending'])
      .execute();
  }
}

function selectWithAccount(db: Database) {
  return db
    .selectFrom('notices')
    .leftJoin('accounts', 'accounts.id', 'notices.account_id')
    .selectAll('notices')
    .select('accounts.email as account_email');
}

function noticeWithAccountOf({
  account_email,
  ...row
}: Selectable<NoticeTable> & { readonly account_email: string | null }): NoticeWithAccount {
  return { ...noticeOf(row), accountEmail: account_email ?? undefined };
}

function selectDue(db: Database, now: EpochMs) {
  return db
    .selectFrom('notices')
    .select('id')
    .where('status', '=', 'pending')
    .where('next_attempt_at_ms', '<=', now)
    .where(({ or, eb }) => or([eb('claimed_until_ms', 'is', null), eb('claimed_until_ms', '<=', now)]));
}

async function isAnythingDue(db: Database, now: EpochMs): Promise<boolean> {
  const abandoned = db.selectFrom('notices').select('id').where('status', '=', 'sending');
  const either = selectDue(db, now)
    .unionAll(abandoned.where('claimed_until_ms', '<=', now))
    .limit(1);
  return (await either.executeTakeFirst()) !== undefined;
}

async function closeAbandoned(db: Database, now: EpochMs): Promise<void> {
  await db
    .updateTable('notices')
    .set({
      status: 'unconfirmed',
      claimed_until_ms: null,
      last_error: 'the server that sent it ended before the mail server answered',
    })
    .where('status', '=', 'sending')
    .where('claimed_until_ms', '<=', now)
    .execute();
}
