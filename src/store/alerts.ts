import type { Insertable, Selectable } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import { Deliveries, type NewDelivery } from './deliveries.ts';
import type { AlertTable } from './message-tables.ts';
import type { Database } from './schema.ts';
import { StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** Something that is so now. */
export interface AlertFact {
  /** The name in the alert rules for Prometheus, where they have it. */
  readonly name: string;
  /** The thing or person concerned; with the name it says which alert it is. */
  readonly subject: string;
  /** The kind of thing, which a destination can leave out. */
  readonly event: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** One plain sentence. */
  readonly summary: string;
  /**
   * The values that the sentence names, from which other languages make theirs. Of an alert that an older version wrote
   * there is none.
   */
  readonly values?: object;
  /** It begins and ends at an instant that somebody set: both are told at once. */
  readonly isExact?: boolean;
  /**
   * It was so already when the process that told it began to look, and nothing says whether it was told before: it is
   * told as still being so.
   */
  readonly isStill?: boolean;
}

export interface AlertRecord extends AlertFact {
  readonly id: string;
  readonly raisedAt: EpochMs;
  /** When it was told for the last time. */
  readonly toldAt: EpochMs;
  /** How often it was told again. */
  readonly repeats: number;
  readonly escalatedAt?: EpochMs | undefined;
  readonly acknowledgedAt?: EpochMs | undefined;
  /** The actor, as the audit log names it. */
  readonly acknowledgedBy?: string | undefined;
}

/** An alert that is on, as the processes on the database know it. */
export interface SharedAlert extends AlertRecord {
  /** When any of them saw it for the last time. */
  readonly lastSeenAt: EpochMs;
}

/** The kind of a change. Deliveries of an older version have none: such a change is an end where it has one. */
export type AlertStep = 'raised' | 'repeated' | 'escalated' | 'ended';

/** Something that is told of an alert, once. `raised` is the alert as it is after that. */
export interface AlertChange extends AlertFact {
  readonly id: string;
  readonly raisedAt: EpochMs;
  readonly step?: AlertStep;
  /** When it was told again, and how often with this. */
  readonly toldAt?: EpochMs;
  readonly repeats?: number;
  readonly escalatedAt?: EpochMs | undefined;
  /** `undefined` until it is over. */
  readonly endedAt?: EpochMs;
}

/** Alerts that are on in any of the processes on the database. Of each change one of them tells. */
export class Alerts extends StorePart {
  /** Gives those that are on, the latest first. */
  async list(): Promise<readonly SharedAlert[]> {
    const rows = this.context.db.selectFrom('alerts').selectAll().orderBy('raised_at_ms', 'desc').orderBy('id');
    return (await rows.execute()).map(recordOf);
  }

  /** Notes that these are so now. */
  async see(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const seen = this.context.db.updateTable('alerts').set({ last_seen_ms: this.context.clock.now() });
    await seen.where('id', 'in', ids).execute();
  }

  /**
   * Takes a change for this process to tell, together with the messages that tell it. Resolves with `false` where
   * another process has taken it, or sees an alert that would end.
   *
   * @param lastSeenAt of one that ends, as it was read
   */
  take(change: AlertChange, deliveries: readonly NewDelivery[], lastSeenAt?: EpochMs): Promise<boolean> {
    return this.context.db.transaction().execute(async (trx) => {
      if ((await this.#apply(trx, change, lastSeenAt)) !== 1n) return false;
      await this.#deliveries(trx).add(deliveries);
      return true;
    });
  }

  /** Writes down what was told without the store: it stays told, whatever others have told meanwhile. */
  async write(change: AlertChange): Promise<void> {
    await this.context.db.transaction().execute((trx) => this.#apply(trx, change));
  }

  /**
   * Notes that an operator knows of those with this id or name: they are not told again until they are over. Resolves
   * with those that nobody had acknowledged. Throws `alert_unknown` where none is on.
   */
  async acknowledge(idOrName: string): Promise<readonly SharedAlert[]> {
    const { db, clock, audit, actor } = this.context;
    const now = clock.now();
    return db.transaction().execute(async (trx) => {
      const named = trx.selectFrom('alerts').selectAll();
      const rows = await named
        .where(({ or, eb }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
        .orderBy('raised_at_ms', 'desc')
        .orderBy('id')
        .execute();
      if (rows.length === 0) throw alertUnknown({ id: idOrName });
      const open = rows.filter(({ acknowledged_at_ms }) => acknowledged_at_ms === null);
      const known = { acknowledged_at_ms: now, acknowledged_by: actor };
      for (const row of open) {
        await trx.updateTable('alerts').set(known).where('id', '=', row.id).execute();
        const { id, name, subject } = row;
        const summary = `Acknowledged the alert ${name}: ${subject}.`;
        await audit(trx, {
          action: 'alert.acknowledge',
          subject: { kind: 'alert', id },
          summary,
          details: { name, subject },
        });
      }
      return open.map((row) => recordOf({ ...row, ...known }));
    });
  }

  /** Makes a change of the rows. Resolves with the number of those that it changed: 0 where it was made before. */
  async #apply(trx: Database, change: AlertChange, lastSeenAt?: EpochMs): Promise<bigint | undefined> {
    const { id, step, raisedAt, toldAt = raisedAt, repeats = 0, escalatedAt } = change;
    if (step === 'ended') {
      const gone = trx.deleteFrom('alerts').where('id', '=', id);
      const unseen = lastSeenAt === undefined ? gone : gone.where('last_seen_ms', '=', lastSeenAt);
      return (await unseen.executeTakeFirst()).numDeletedRows;
    }
    if (step === 'raised') {
      const added = trx.insertInto('alerts').values(this.#rowOf(change));
      return (await added.onConflict((conflict) => conflict.doNothing()).executeTakeFirst()).numInsertedOrUpdatedRows;
    }
    const open = trx.updateTable('alerts').where('id', '=', id).where('acknowledged_at_ms', 'is', null);
    const told =
      step === 'repeated'
        ? open.set({ told_at_ms: toldAt, repeats }).where('repeats', '<', repeats)
        : open.set({ escalated_at_ms: escalatedAt ?? null }).where('escalated_at_ms', 'is', null);
    return (await told.executeTakeFirst()).numUpdatedRows;
  }

  #rowOf(change: AlertChange): Insertable<AlertTable> {
    const { id, step, raisedAt, toldAt = raisedAt, repeats, escalatedAt, endedAt, ...fact } = change;
    const { name, subject } = fact;
    return {
      id,
      name,
      subject,
      content: JSON.stringify(fact),
      raised_at_ms: raisedAt,
      last_seen_ms: this.context.clock.now(),
      told_at_ms: toldAt,
    };
  }

  #deliveries(db: Database): Deliveries {
    return new Deliveries({ ...this.context, db });
  }
}

function recordOf(row: Selectable<AlertTable>): SharedAlert {
  return {
    ...(JSON.parse(row.content) as AlertFact),
    id: row.id,
    raisedAt: row.raised_at_ms,
    toldAt: row.told_at_ms ?? row.raised_at_ms,
    repeats: row.repeats,
    escalatedAt: row.escalated_at_ms ?? undefined,
    acknowledgedAt: row.acknowledged_at_ms ?? undefined,
    acknowledgedBy: row.acknowledged_by ?? undefined,
    lastSeenAt: row.last_seen_ms,
  };
}

export function alertUnknown(values: StoreErrorValues['alert_unknown']) {
  return new StoreError('alert_unknown', values, `No alert ${values.id} is on.`);
}
