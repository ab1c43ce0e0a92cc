import { hash } from 'node:crypto';
import type { EpochMs } from '../ground/clock.ts';
import { Deliveries } from './deliveries.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database, SubscriptionTable, SubscriptionTokenTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';

export type SubscriptionRecord = RecordOf<SubscriptionTable>;

type Purpose = SubscriptionTokenTable['purpose'];

const hourMs = 3_600_000;
/** Requests to confirm: in an hour to all receivers together, and to one, until it is forgotten. */
const askedPerHourMax = 60;
const askedMax = 3;
const askedEveryMs = 600_000;
/** A link that was not followed by then confirms nothing. */
const confirmWithinMs = 24 * hourMs;
const keptMs = 400 * 24 * hourMs;
const rowsPerInsert = 1_000;

/** Subscribers to incidents and maintenance. Of the links that they are sent only digests are kept. */
export class Subscriptions extends StorePart {
  /**
   * Writes the request to confirm, unless the receiver has confirmed, or was asked lately or often. Resolves with
   * nothing that tells these apart: `undefined`, or the seconds to wait when all receivers together were asked too
   * often.
   */
  async ask(asked: Pick<SubscriptionRecord, 'kind' | 'target' | 'receiver' | 'language'>): Promise<number | undefined> {
    const { db, clock, randomness } = this.context;
    const now = clock.now();
    const since = (spanMs: number) => (now - spanMs) as EpochMs;
    const recent = db.selectFrom('subscriptions').select('asked_at_ms').where('asked_at_ms', '>', since(hourMs));
    const latest = await recent.orderBy('asked_at_ms', 'desc').limit(askedPerHourMax).execute();
    const earliest = latest[askedPerHourMax - 1]?.asked_at_ms;
    if (earliest !== undefined) return Math.max(1, Math.ceil((earliest + hourMs - now) / 1_000));
    const secret = asked.kind === 'webhook' ? `whsec_${Buffer.from(randomness.bytes(24)).toString('base64')}` : null;
    const row = { ...asked, id: newId('sub', randomness), secret, asked: 1, asked_at_ms: now };
    await db.transaction().execute(async (trx) => {
      const written = trx
        .insertInto('subscriptions')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('receiver')
            .doUpdateSet(({ eb }) => ({ asked: eb('subscriptions.asked', '+', 1), asked_at_ms: now }))
            .where('subscriptions.confirmed_at_ms', 'is', null)
            .where('subscriptions.asked', '<', askedMax)
            .where('subscriptions.asked_at_ms', '<=', since(askedEveryMs)),
        );
      const due = await written.returning('id').executeTakeFirst();
      if (due !== undefined) await this.#messages(trx).add([{ destination: due.id, content: '{}' }]);
    });
    return undefined;
  }

  /** Makes a link's token: 192 bits in base64url. */
  async newToken(id: string, purpose: Purpose): Promise<string> {
    const { db, clock, randomness } = this.context;
    const token = Buffer.from(randomness.bytes(24)).toString('base64url');
    const row = { digest: hash('sha256', token), subscription_id: id, purpose, created_at_ms: clock.now() };
    await db.insertInto('subscription_tokens').values(row).execute();
    return token;
  }

  /** Confirms what the token was sent for; again does no harm. Resolves with whether the token is good. */
  async confirm(token: string): Promise<boolean> {
    const { db, clock } = this.context;
    const now = clock.now();
    const sent = this.#owner(token, 'confirm').where('created_at_ms', '>', (now - confirmWithinMs) as EpochMs);
    const own = db.updateTable('subscriptions').where('id', 'in', sent);
    const confirmed = own.set(({ fn, val }) => ({ confirmed_at_ms: fn.coalesce('confirmed_at_ms', val(now)) }));
    return (await confirmed.executeTakeFirst()).numUpdatedRows === 1n;
  }

  /**
   * Deletes what the token was sent for, with all that is still to be sent. Resolves with whether there was something.
   */
  async end(token: string): Promise<boolean> {
    const ended = this.context.db.deleteFrom('subscriptions').where('id', 'in', this.#owner(token, 'end'));
    return (await ended.executeTakeFirst()).numDeletedRows === 1n;
  }

  #owner(token: string, purpose: Purpose) {
    const found = this.context.db.selectFrom('subscription_tokens').select('subscription_id');
    return found.where('digest', '=', hash('sha256', token)).where('purpose', '=', purpose);
  }

  /** Gives those with this id, or all; the latest first. */
  async list(id?: string): Promise<readonly SubscriptionRecord[]> {
    let all = this.context.db.selectFrom('subscriptions').selectAll();
    if (id !== undefined) all = all.where('id', '=', id);
    return (await all.orderBy('asked_at_ms', 'desc').orderBy('id').execute()).map((row) => recordOf(row));
  }

  /** Deletes the one of an address or URL, for an operator. Resolves with whether there was one. */
  remove(target: string): Promise<boolean> {
    const { db, audit } = this.context;
    const summary = 'Removed a subscription to status updates.';
    return db.transaction().execute(async (trx) => {
      const gone = trx.deleteFrom('subscriptions').where('target', '=', target).returning('id');
      const row = await gone.executeTakeFirst();
      if (row !== undefined)
        await audit(trx, { action: 'subscription.remove', subject: { kind: 'store', id: row.id }, summary });
      return row !== undefined;
    });
  }

  /** Gives the events of these subjects that were told. */
  async told(subjects: readonly string[]) {
    const news = this.context.db.selectFrom('status_news').select(['subject', 'event']);
    return subjects.length === 0 ? [] : news.where('subject', 'in', subjects).execute();
  }

  /** Tells an event to every subscriber, unless any process has told it. @param content JSON */
  async tell(subject: string, event: string, content: string): Promise<void> {
    const { db, clock } = this.context;
    await db.transaction().execute(async (trx) => {
      const row = { subject, event, told_at_ms: clock.now() };
      const added = trx
        .insertInto('status_news')
        .values(row)
        .onConflict((conflict) => conflict.doNothing());
      if ((await added.executeTakeFirst()).numInsertedOrUpdatedRows !== 1n) return;
      const told = trx.selectFrom('subscriptions').select('id').where('confirmed_at_ms', 'is not', null);
      const messages = (await told.execute()).map(({ id }) => ({ destination: id, content }));
      for (let at = 0; at < messages.length; at += rowsPerInsert)
        await this.#messages(trx).add(messages.slice(at, at + rowsPerInsert));
    });
  }

  /** Drops what was not confirmed in time, and what is too old to matter. */
  async prune(): Promise<void> {
    const { db, clock } = this.context;
    const before = (spanMs: number) => (clock.now() - spanMs) as EpochMs;
    const unconfirmed = db.deleteFrom('subscriptions').where('confirmed_at_ms', 'is', null);
    await unconfirmed.where('asked_at_ms', '<=', before(confirmWithinMs)).execute();
    await db.deleteFrom('subscription_tokens').where('created_at_ms', '<', before(keptMs)).execute();
    await db.deleteFrom('status_news').where('told_at_ms', '<', before(keptMs)).execute();
  }

  #messages(db: Database): Deliveries {
    return new Deliveries({ ...this.context, db }, 'subscription_messages');
  }
}
