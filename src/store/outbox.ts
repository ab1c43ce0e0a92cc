import type { Updateable } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import type { NoticeStatus, OutboxTable } from './message-tables.ts';
import type { Database, Schema } from './schema.ts';
import { type StoreContext, StorePart } from './store-context.ts';

/** The tables with the columns of an outbox. */
type OutboxName = { [Name in keyof Schema]: Schema[Name] extends OutboxTable ? Name : never }[keyof Schema];

/** A mail that one server has claimed. The claim holds until another server claims it, after the lease. */
export interface Claim {
  readonly id: string;
  readonly attempts: number;
  readonly createdAt: EpochMs;
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

/** Mails to be sent once, in a table with the columns of `OutboxTable`, shared by all servers on the database. */
export abstract class Outbox<Claimed extends Claim> extends StorePart {
  // Kysely's types want one name; the columns used here are those of every such table.
  readonly #table: 'notices';

  constructor(context: StoreContext, table: OutboxName) {
    super(context);
    this.#table = table as 'notices';
  }

  /** Reads a mail that was claimed just now. */
  protected abstract claimed(db: Database, id: string): Promise<Claimed>;

  /** Claims the mail that has been due for longest; `undefined` when none is. See `claimMany`. */
  async claim(options: ClaimOptions): Promise<Claimed | undefined> {
    const [claimed] = await this.claimMany(options, 1);
    return claimed;
  }

  /**
   * Claims the mails that have been due for longest, at most `limit`. One left in `sending` by a server that is gone
   * becomes `unconfirmed`: it may have been accepted, and is never sent twice.
   */
  async claimMany({ leaseMs, messageIdDomain }: ClaimOptions, limit: number): Promise<readonly Claimed[]> {
    const { db, clock } = this.context;
    const now = clock.now();
    // Without the write lock first: nearly always there is nothing to do.
    if (!(await this.#isAnythingDue(now))) return [];
    return db.transaction().execute(async (trx) => {
      await this.#closeAbandoned(trx, now);
      const first = this.selectDue(trx, now).orderBy('next_attempt_at_ms').orderBy('id').limit(limit);
      const claimed: Claimed[] = [];
      for (const { id } of await first.forUpdate().skipLocked().execute()) {
        await trx
          .updateTable(this.#table)
          .set(({ eb, fn, val }) => ({
            attempts: eb('attempts', '+', 1),
            claimed_until_ms: (now + leaseMs) as EpochMs,
            message_id: fn.coalesce('message_id', val(`<${id}@${messageIdDomain}>`)),
          }))
          .where('id', '=', id)
          .execute();
        claimed.push(await this.claimed(trx, id));
      }
      return claimed;
    });
  }

  /**
   * The point of no return, asked for when the mail server has the whole message except for its end. True: the claim
   * still holds, the row says `sending`, and the end may be sent. False: another server has claimed the mail, or it is
   * gone, and it must not.
   */
  beginSending(claim: Claim, leaseMs: number): Promise<boolean> {
    const claimedUntil = (this.context.clock.now() + leaseMs) as EpochMs;
    return this.#updateClaimed(claim, ['pending'], { status: 'sending', claimed_until_ms: claimedUntil });
  }

  /** Records how an attempt ended, unless another server has claimed the mail since. Returns whether it did. */
  settle(claim: Claim, outcome: NoticeOutcome): Promise<boolean> {
    // What the sender knows overrides another server's guess that the sender is gone.
    return this.#updateClaimed(claim, ['pending', 'sending', 'unconfirmed'], {
      status: outcome.status,
      claimed_until_ms: null,
      last_error: outcome.status === 'sent' ? null : outcome.error,
      ...(outcome.status === 'sent' ? { sent_at_ms: this.context.clock.now() } : {}),
      ...(outcome.status === 'pending' ? { next_attempt_at_ms: outcome.nextAttemptAt } : {}),
    });
  }

  /** Mails still to be sent. */
  async countPending(): Promise<number> {
    const row = await this.context.db
      .selectFrom(this.#table)
      .select(({ fn }) => fn.countAll<number>().as('pending'))
      .where('status', 'in', ['pending', 'sending'])
      .executeTakeFirstOrThrow();
    return row.pending;
  }

  /** Drops the mails that were made before an instant and need no more work. */
  async prune(before: EpochMs): Promise<void> {
    const old = this.context.db.deleteFrom(this.#table).where('created_at_ms', '<', before);
    await old.where('status', 'not in', ['pending', 'sending']).execute();
  }

  async #updateClaimed(
    { id, attempts }: Claim,
    from: readonly NoticeStatus[],
    change: Updateable<OutboxTable>,
  ): Promise<boolean> {
    const claimed = this.context.db.updateTable(this.#table).set(change).where('id', '=', id);
    const held = claimed.where('attempts', '=', attempts).where('status', 'in', from);
    return (await held.executeTakeFirst()).numUpdatedRows === 1n;
  }

  /** Selects what may be claimed now, without an order. */
  protected selectDue(db: Database, now: EpochMs) {
    return db
      .selectFrom(this.#table)
      .select('id')
      .where('status', '=', 'pending')
      .where('next_attempt_at_ms', '<=', now)
      .where(({ or, eb }) => or([eb('claimed_until_ms', 'is', null), eb('claimed_until_ms', '<=', now)]));
  }

  async #isAnythingDue(now: EpochMs): Promise<boolean> {
    const { db } = this.context;
    const abandoned = db.selectFrom(this.#table).select('id').where('status', '=', 'sending');
    const either = this.selectDue(db, now)
      .unionAll(abandoned.where('claimed_until_ms', '<=', now))
      .limit(1);
    return (await either.executeTakeFirst()) !== undefined;
  }

  async #closeAbandoned(db: Database, now: EpochMs): Promise<void> {
    await db
      .updateTable(this.#table)
      .set({
        status: 'unconfirmed',
        claimed_until_ms: null,
        last_error: 'the server that sent it ended before the mail server answered',
      })
      .where('status', '=', 'sending')
      .where('claimed_until_ms', '<=', now)
      .execute();
  }
}
