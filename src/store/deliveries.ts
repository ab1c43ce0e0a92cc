import type { Selectable } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import { sql } from './kysely.ts';
import type { DeliveryTable } from './message-tables.ts';
import { type Claim, Outbox } from './outbox.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database } from './schema.ts';
import { newId, type StoreContext } from './store-context.ts';

export type DeliveryRecord = RecordOf<DeliveryTable>;
export type ClaimedDelivery = DeliveryRecord & Claim;

export interface NewDelivery {
  /** The name of its receiver; holds no secret. */
  readonly destination: string;
  /** JSON. */
  readonly content: string;
  /** Where it is told before it is written; made when left out. */
  readonly id?: string;
  readonly createdAt?: EpochMs;
}

/** A message whose attempts were made while the store did not answer. */
export type KeptDelivery = Pick<
  DeliveryRecord,
  'id' | 'destination' | 'content' | 'status' | 'attempts' | 'createdAt' | 'nextAttemptAt'
> & { readonly sentAt: EpochMs | undefined; readonly lastError: string | undefined };

/** An outbox of messages to operators or to subscribers: each is delivered at least once, under the same id. */
export class Deliveries extends Outbox<ClaimedDelivery> {
  // Kysely's types want one name; both tables have the same columns.
  readonly #table: 'deliveries';

  constructor(context: StoreContext, table: 'deliveries' | 'subscription_messages' = 'deliveries') {
    super(context, table);
    this.#table = table as 'deliveries';
  }

  /** Adds them, to be sent in this order. Resolves with their ids. */
  async add(deliveries: readonly NewDelivery[]): Promise<string[]> {
    const { db, clock, randomness } = this.context;
    const now = clock.now();
    const rows = deliveries.map(({ id, destination, content, createdAt }, index) => ({
      id: id ?? newId('dlv', randomness),
      destination,
      content,
      status: 'pending' as const,
      created_at_ms: createdAt ?? ((now + index) as EpochMs),
      next_attempt_at_ms: now,
    }));
    if (rows.length > 0) await db.insertInto(this.#table).values(rows).execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Writes down a message with what became of it. Where it was written before and is settled, it stays as it is. One
   * that is still to be sent can be claimed by any process then.
   */
  async keep(message: KeptDelivery): Promise<void> {
    const { id, destination, content, createdAt } = message;
    const state = {
      status: message.status,
      attempts: message.attempts,
      next_attempt_at_ms: message.nextAttemptAt,
      claimed_until_ms: null,
      sent_at_ms: message.sentAt ?? null,
      last_error: message.lastError ?? null,
    };
    const row = { id, destination, content, created_at_ms: createdAt, ...state };
    await this.context.db
      .insertInto(this.#table)
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(state).where('deliveries.status', '=', 'pending'))
      .execute();
  }

  /** Gives which of these are still to be sent. */
  async pendingOf(ids: readonly string[]): Promise<string[]> {
    const asked = this.context.db.selectFrom(this.#table).select('id').where('id', 'in', ids);
    return (await asked.where('status', 'in', ['pending', 'sending']).execute()).map(({ id }) => id);
  }

  /** Latest first, at most `limit`. */
  async list(filter: { readonly limit: number; readonly destination?: string | undefined }): Promise<DeliveryRecord[]> {
    let query = this.context.db.selectFrom(this.#table).selectAll();
    if (filter.destination !== undefined) query = query.where('destination', '=', filter.destination);
    const rows = await query.orderBy('created_at_ms', 'desc').orderBy('id').limit(filter.limit).execute();
    return rows.map((row) => recordOf(row));
  }

  /** One waits for those before it to the same destination: an end must not arrive before its beginning. */
  protected override selectDue(db: Database, now: EpochMs) {
    const table = sql.table(this.#table);
    const first = sql<string>`(select earliest.id from ${table} earliest
      where earliest.destination = ${table}.destination and earliest.status = 'pending'
      order by earliest.created_at_ms, earliest.id limit 1)`;
    return super.selectDue(db, now).where('id', '=', first);
  }

  protected async claimed(db: Database, id: string): Promise<ClaimedDelivery> {
    const row: Selectable<DeliveryTable> = await db
      .selectFrom(this.#table)
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { ...recordOf(row), messageId: row.message_id! };
  }
}
