import { createHmac, hash } from 'node:crypto';
import type { EpochMs } from '../ground/clock.ts';
import type { ClaimedDelivery } from './deliveries.ts';
import type { SubscriptionTable, SubscriptionTokenTable } from './message-tables.ts';
import type { NoticeOutcome } from './outbox.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { type SubscriptionLane, SubscriptionMessages } from './subscription-messages.ts';

export type SubscriptionRecord = RecordOf<SubscriptionTable>;

type Purpose = SubscriptionTokenTable['purpose'];

const hourMs = 3_600_000;
/**
 * Requests to confirm: in an hour to all receivers together and to those of one domain, and to one until it is
 * forgotten.
 */
const askedPerHourMax = 60;
const askedOfDomainPerHourMax = 20;
const askedMax = 3;
const askedEveryMs = 600_000;
/** A link that was not followed by then confirms nothing. */
const confirmWithinMs = 24 * hourMs;
const keptMs = 400 * 24 * hourMs;
/** One that took nothing for so long is told nothing more. */
const disabledAfterMs = 5 * 24 * hourMs;
const rowsPerInsert = 1_000;
const renewTokenAfterMs = 24 * hourMs;

/** An attempt that has ended. */
export interface SettledAttempt {
  readonly claim: ClaimedDelivery;
  readonly outcome: NoticeOutcome;
  /** `undefined` where that is not known, or says nothing of the subscriber. */
  readonly isTaken: boolean | undefined;
}

/** Subscribers to incidents and maintenance. Of the links that they are sent only digests are kept. */
export class Subscriptions extends StorePart {
  /**
   * Writes the request to confirm, unless the receiver has confirmed, or was asked lately or often. Resolves with
   * nothing that tells these apart: `undefined`, or the seconds to wait when all receivers together, or those of its
   * domain, were asked too often.
   */
  async ask(asked: Pick<SubscriptionRecord, 'kind' | 'target' | 'receiver' | 'language'>): Promise<number | undefined> {
    const { db, randomness, clock } = this.context;
    const now = clock.now();
    const waitSeconds = await this.#waitSeconds(asked.receiver, now);
    if (waitSeconds !== undefined) return waitSeconds;
    const row = { ...asked, id: newId('sub', randomness), secret: this.#newSecret(), asked: 1, asked_at_ms: now };
    await db.transaction().execute(async (trx) => {
      const written = trx
        .insertInto('subscriptions')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('receiver')
            .doUpdateSet(({ eb }) => ({ asked: eb('subscriptions.asked', '+', 1), asked_at_ms: now }))
            .where(({ or, eb }) =>
              or([eb('subscriptions.confirmed_at_ms', 'is', null), eb('subscriptions.disabled_at_ms', 'is not', null)]),
            )
            .where('subscriptions.asked', '<', askedMax)
            .where('subscriptions.asked_at_ms', '<=', (now - askedEveryMs) as EpochMs),
        );
      const due = await written.returning('id').executeTakeFirst();
      if (due !== undefined) await this.#messages(trx, 'confirm').add([{ destination: due.id, content: '{}' }]);
    });
    return undefined;
  }

  async #waitSeconds(receiver: string, now: EpochMs): Promise<number | undefined> {
    const lately = this.context.db
      .selectFrom('subscriptions')
      .select(['asked_at_ms', 'receiver'])
      .where('asked_at_ms', '>', (now - hourMs) as EpochMs)
      .orderBy('asked_at_ms', 'desc')
      .limit(askedPerHourMax);
    const latest = await lately.execute();
    const domain = domainOf(receiver);
    const ofDomain = latest.filter((each) => domainOf(each.receiver) === domain);
    const earliest = latest[askedPerHourMax - 1] ?? ofDomain[askedOfDomainPerHourMax - 1];
    return earliest && Math.max(1, Math.ceil((earliest.asked_at_ms + hourMs - now) / 1_000));
  }

  /**
   * Gives the token of a message's link: 192 bits in base64url, made of the subscription's secret. It is the same in
   * every attempt; that which ends a subscription is the same in all messages.
   */
  async token({ id, secret }: Pick<SubscriptionRecord, 'id' | 'secret'>, purpose: Purpose, message: string) {
    const { db, clock } = this.context;
    const token = tokenOf(secret ?? (await this.#makeSecret(id)), purpose, message);
    const now = clock.now();
    const digest = hash('sha256', token);
    const known = db.selectFrom('subscription_tokens').select('created_at_ms').where('digest', '=', digest);
    const written = await known.executeTakeFirst();
    // A link that ends a subscription holds for as long as messages come; one that confirms counts from its making.
    const isOld = written !== undefined && purpose === 'end' && now - written.created_at_ms >= renewTokenAfterMs;
    if (written === undefined || isOld) {
      const row = { digest, subscription_id: id, purpose, created_at_ms: now };
      const added = db.insertInto('subscription_tokens').values(row);
      const renewed = added.onConflict((conflict) => conflict.column('digest').doUpdateSet({ created_at_ms: now }));
      await renewed.execute();
    }
    return token;
  }

  /** Makes the secret of a subscription that an older version wrote without one. */
  async #makeSecret(id: string): Promise<string> {
    const own = this.context.db.updateTable('subscriptions').where('id', '=', id);
    const made = this.#newSecret();
    const kept = own.set(({ fn, val }) => ({ secret: fn.coalesce('secret', val(made)) })).returning('secret');
    const row = await kept.executeTakeFirst();
    return row?.secret ?? made;
  }

  #newSecret(): string {
    return `whsec_${Buffer.from(this.context.randomness.bytes(24)).toString('base64')}`;
  }

  /** Confirms what the token was sent for; again does no harm. Resolves with whether the token is good. */
  async confirm(token: string): Promise<boolean> {
    const { db, clock } = this.context;
    const now = clock.now();
    const sent = this.#owner(token, 'confirm').where('created_at_ms', '>', (now - confirmWithinMs) as EpochMs);
    const own = db.updateTable('subscriptions').where('id', 'in', sent);
    const confirmed = own.set(({ fn, val }) => ({
      confirmed_at_ms: fn.coalesce('confirmed_at_ms', val(now)),
      disabled_at_ms: null,
    }));
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

  /** Gives the events of these subjects that were told, and when. */
  async told(subjects: readonly string[]) {
    if (subjects.length === 0) return [];
    const news = this.context.db.selectFrom('status_news').selectAll().where('subject', 'in', subjects);
    return (await news.execute()).map((row) => recordOf(row));
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
      const told = trx.selectFrom('subscriptions').select(['id', 'failing_since_ms']);
      const open = told.where('confirmed_at_ms', 'is not', null).where('disabled_at_ms', 'is', null);
      const subscribers = await open.execute();
      for (const lane of ['news', 'failing'] as const) {
        const those = subscribers.filter((each) => (each.failing_since_ms === null) === (lane === 'news'));
        const messages = those.map(({ id }) => ({ destination: id, content }));
        for (let at = 0; at < messages.length; at += rowsPerInsert)
          await this.#messages(trx, lane).add(messages.slice(at, at + rowsPerInsert));
      }
    });
  }

  /**
   * Settles attempts, all in one transaction, and notes who took messages and who did not. Who did not is sent what
   * follows by couriers of its own; after five days of it nothing is sent any more, until it asks and confirms anew.
   * Resolves with the ids of those to whom that applies since now.
   */
  async settle(attempts: readonly SettledAttempt[]): Promise<readonly string[]> {
    const { db } = this.context;
    return db.transaction().execute(async (trx) => {
      const messages = new SubscriptionMessages({ ...this.context, db: trx });
      const disabled: string[] = [];
      for (const { claim, outcome, isTaken } of attempts) {
        await messages.settle(claim, outcome);
        if (isTaken !== undefined && (await this.#note(trx, claim.destination, isTaken)))
          disabled.push(claim.destination);
      }
      return disabled;
    });
  }

  async #note(trx: Database, id: string, isTaken: boolean): Promise<boolean> {
    const now = this.context.clock.now();
    const own = trx.updateTable('subscriptions').where('id', '=', id);
    const state = own.set(({ fn, val }) => ({
      failing_since_ms: isTaken ? null : fn.coalesce('failing_since_ms', val(now)),
    }));
    const row = await state.returning(['failing_since_ms', 'disabled_at_ms', 'confirmed_at_ms']).executeTakeFirst();
    if (row === undefined) return false;
    const lane = isTaken ? 'news' : 'failing';
    const waiting = trx.updateTable('subscription_messages').set({ lane }).where('destination', '=', id);
    await waiting.where('status', '=', 'pending').where('lane', '<>', 'confirm').execute();
    const isTooLong = row.failing_since_ms !== null && now - row.failing_since_ms >= disabledAfterMs;
    if (!isTooLong || row.disabled_at_ms !== null || row.confirmed_at_ms === null) return false;
    const disabled = { disabled_at_ms: now, asked: 0 };
    await trx.updateTable('subscriptions').set(disabled).where('id', '=', id).execute();
    const dropped = trx.deleteFrom('subscription_messages').where('destination', '=', id);
    await dropped.where('status', '=', 'pending').execute();
    return true;
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

  #messages(db: Database, lane: SubscriptionLane): SubscriptionMessages {
    return new SubscriptionMessages({ ...this.context, db }, lane);
  }
}

/** Only whoever has the secret can make it. */
function tokenOf(secret: string, purpose: Purpose, message: string): string {
  const named = purpose === 'end' ? purpose : `${purpose} ${message}`;
  return createHmac('sha256', secret).update(named).digest().subarray(0, 24).toString('base64url');
}

/** The last two parts of the domain of an address, or of the host of a URL: whoever has it has all names below. */
function domainOf(receiver: string): string {
  const host = /^https:\/\/([^/]*)/.exec(receiver)?.[1] ?? receiver.slice(receiver.lastIndexOf('@') + 1);
  return host.split('.').slice(-2).join('.').toLowerCase();
}
