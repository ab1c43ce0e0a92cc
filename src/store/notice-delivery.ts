import type { EpochMs } from '../clock.ts';
import { lockedUnlessTaken } from './engine.ts';
import { type NoticeWithAccount, noticeWithAccountOf } from './notice-record.ts';
import type { Database } from './schema.ts';

/** A notice that one server has taken in hand. The claim holds until another claims it, after the lease. */
export interface ClaimedNotice extends NoticeWithAccount {
  readonly messageId: string;
}

/** How an attempt ended. `error`: one line without secrets. */
export type NoticeOutcome =
  | { readonly status: 'sent' }
  | { readonly status: 'failed' | 'unconfirmed'; readonly error: string }
  | { readonly status: 'pending'; readonly error: string; readonly nextAttemptAt: EpochMs };

export interface ClaimOptions {
  readonly now: EpochMs;
  readonly leaseMs: number;
  /** The right side of a Message-ID that is made now. */
  readonly messageIdDomain: string;
}

/**
 * Takes the notice that has been due for longest; `undefined` when none is. A notice left in `sending` by a server that is
 * gone becomes `unconfirmed`: it may have been accepted, and is never sent twice.
 */
export async function claimNotice(db: Database, options: ClaimOptions): Promise<ClaimedNotice | undefined> {
  const { now, leaseMs, messageIdDomain } = options;
  // A look without the write lock first: nearly always there is nothing to do.
  if (!(await isAnythingDue(db, now))) return undefined;
  return db.transaction().execute(async (trx) => {
    await closeAbandoned(trx, now);
    const first = selectDue(trx, now).orderBy('next_attempt_at_ms').orderBy('id').limit(1);
    const due = await lockedUnlessTaken(trx, first).executeTakeFirst();
    if (due === undefined) return undefined;
    await trx
      .updateTable('notices')
      .set(({ eb, fn, val }) => ({
        attempts: eb('attempts', '+', 1),
        claimed_until_ms: now + leaseMs,
        message_id: fn.coalesce('message_id', val(`<${due.id}@${messageIdDomain}>`)),
      }))
      .where('id', '=', due.id)
      .execute();
    const row = await selectWithAccount(trx).where('notices.id', '=', due.id).executeTakeFirstOrThrow();
    return { ...noticeWithAccountOf(row), messageId: row.message_id! };
  });
}

/**
 * The point of no return, asked for when the mail server has the whole message but for its end. True: the claim still holds,
 * the row says `sending`, and the end may be sent. False: another server has taken the notice, and it must not.
 */
export async function beginSending(db: Database, claim: ClaimedNotice, leaseUntil: EpochMs): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notices')
    .set({ status: 'sending', claimed_until_ms: leaseUntil })
    .where('id', '=', claim.id)
    .where('attempts', '=', claim.attempts)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Writes down how an attempt ended, unless another server has taken the notice since. Returns whether it did. */
export async function settleNotice(
  db: Database,
  now: EpochMs,
  claim: ClaimedNotice,
  outcome: NoticeOutcome,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notices')
    .set({
      status: outcome.status,
      claimed_until_ms: null,
      last_error: outcome.status === 'sent' ? null : outcome.error,
      ...(outcome.status === 'sent' ? { sent_at_ms: now } : {}),
      ...(outcome.status === 'pending' ? { next_attempt_at_ms: outcome.nextAttemptAt } : {}),
    })
    .where('id', '=', claim.id)
    .where('attempts', '=', claim.attempts)
    // Whoever sends learns the truth last: it goes before another server's guess that the sender is gone.
    .where('status', 'in', ['pending', 'sending', 'unconfirmed'])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function selectWithAccount(db: Database) {
  return db
    .selectFrom('notices')
    .leftJoin('accounts', 'accounts.id', 'notices.account_id')
    .selectAll('notices')
    .select('accounts.email as account_email');
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
  if ((await selectDue(db, now).limit(1).executeTakeFirst()) !== undefined) return true;
  const abandoned = db.selectFrom('notices').select('id').where('status', '=', 'sending');
  return (await abandoned.where('claimed_until_ms', '<=', now).limit(1).executeTakeFirst()) !== undefined;
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
