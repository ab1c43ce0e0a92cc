import type { EpochMs } from '../ground/clock.ts';
import { Deliveries, type NewDelivery } from './deliveries.ts';
import { sql } from './kysely.ts';
import type { SubscriptionLane } from './message-tables.ts';
import type { Database } from './schema.ts';
import type { StoreContext } from './store-context.ts';

export type { SubscriptionLane } from './message-tables.ts';

/** Messages to subscribers of the status page, by the couriers that take them. */
export class SubscriptionMessages extends Deliveries {
  readonly #lane: SubscriptionLane | undefined;

  /** @param lane the only one that is claimed and added to; all when left out */
  constructor(context: StoreContext, lane?: SubscriptionLane) {
    super(context, 'subscription_messages');
    this.#lane = lane;
  }

  /** The same outbox, as the couriers of a lane see it. */
  of(lane: SubscriptionLane): SubscriptionMessages {
    return new SubscriptionMessages(this.context, lane);
  }

  override async add(messages: readonly NewDelivery[]): Promise<string[]> {
    const ids = await super.add(messages);
    const lane = this.#lane ?? 'news';
    if (lane !== 'news' && ids.length > 0)
      await this.context.db.updateTable('subscription_messages').set({ lane }).where('id', 'in', ids).execute();
    return ids;
  }

  protected override selectDue(db: Database, now: EpochMs) {
    const due = super.selectDue(db, now);
    return this.#lane === undefined ? due : due.where(sql<string>`lane`, '=', this.#lane);
  }
}
