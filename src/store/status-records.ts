import type { EpochMs } from '../ground/clock.ts';
import type { IncidentTable } from './incident-tables.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database, StatusDayTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';

/** A time of absence as it is written down. */
export interface JudgedAbsence {
  readonly component: string;
  /** Up to when it was decided before. Nothing is written where that has changed meanwhile. */
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly days: readonly StoredDay[];
  readonly incidents: readonly Omit<StoredIncident, 'id'>[];
}

export interface StoredDay extends Pick<RecordOf<StatusDayTable>, 'component' | 'day'> {
  readonly states: Omit<RecordOf<StatusDayTable>, 'component' | 'day'>;
}

type StoredIncident = RecordOf<IncidentTable>;

const stateColumns = ['operational_ms', 'degraded_ms', 'maintenance_ms', 'outage_ms'] as const;

/** States of the service's components, day by day, and the incidents. One process writes at a time; all read. */
export class StatusRecords extends StorePart {
  /** Adds to what is known of each day. */
  addTime(days: readonly StoredDay[]): Promise<void> {
    return addTime(this.context.db, days);
  }

  /** Days since one, oldest first. */
  async days(since: EpochMs): Promise<readonly StoredDay[]> {
    const days = this.context.db.selectFrom('status_days').selectAll().where('day_ms', '>=', since);
    const rows = await days.orderBy('day_ms').orderBy('component').execute();
    return rows.map((row) => {
      const { component, day, ...states } = recordOf(row);
      return { component, day, states };
    });
  }

  /** Begins one; with `to` it is over already. Resolves with its id. */
  addIncident(incident: Omit<StoredIncident, 'id'>): Promise<string> {
    return addIncident(this.context.db, newId('inc', this.context.randomness), incident);
  }

  async endIncident(id: string, to: EpochMs): Promise<void> {
    await this.context.db.updateTable('status_incidents').set({ to_ms: to }).where('id', '=', id).execute();
  }

  /** Gives the incidents that lasted past an instant or still do, the latest first, at most `limit`. */
  async incidents(since: EpochMs, limit: number): Promise<readonly StoredIncident[]> {
    const rows = await this.context.db
      .selectFrom('status_incidents')
      .selectAll()
      .where(({ or, eb }) => or([eb('to_ms', 'is', null), eb('to_ms', '>=', since)]))
      .orderBy('from_ms', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(recordOf);
  }

  /** Up to when it is decided in which times a component had no process; `undefined`: nothing was yet. */
  async judgedUntil(component: string): Promise<EpochMs | undefined> {
    const judged = this.context.db.selectFrom('status_judged').select('until_ms').where('component', '=', component);
    return (await judged.executeTakeFirst())?.until_ms;
  }

  /** Writes down what is decided, whole and once: of two processes that decide the same, the second writes nothing. */
  async judge({ component, from, until, days, incidents }: JudgedAbsence): Promise<void> {
    const { db, randomness } = this.context;
    await db.transaction().execute(async (trx) => {
      const first = trx.insertInto('status_judged').values({ component, until_ms: from });
      await first.onConflict((conflict) => conflict.doNothing()).execute();
      const moved = await trx
        .updateTable('status_judged')
        .set({ until_ms: until })
        .where('component', '=', component)
        .where('until_ms', '=', from)
        .executeTakeFirst();
      if (moved.numUpdatedRows === 0n) return;
      await addTime(trx, days);
      for (const incident of incidents) await addIncident(trx, newId('inc', randomness), incident);
    });
  }

  /** Drops the days and the ended incidents before an instant. */
  async prune(before: EpochMs): Promise<void> {
    const { db } = this.context;
    await db.deleteFrom('status_days').where('day_ms', '<', before).execute();
    await db.deleteFrom('status_incidents').where('to_ms', '<', before).execute();
  }
}

async function addTime(db: Database, days: readonly StoredDay[]): Promise<void> {
  if (days.length === 0) return;
  const values = days.map(({ component, day, states }) => ({
    component,
    day_ms: day,
    operational_ms: states.operational,
    degraded_ms: states.degraded,
    maintenance_ms: states.maintenance,
    outage_ms: states.outage,
  }));
  await db
    .insertInto('status_days')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['day_ms', 'component'])
        .doUpdateSet(({ eb, ref }) =>
          Object.fromEntries(
            stateColumns.map((name) => [name, eb(`status_days.${name}`, '+', ref(`excluded.${name}`))]),
          ),
        ),
    )
    .execute();
}

async function addIncident(db: Database, id: string, incident: Omit<StoredIncident, 'id'>): Promise<string> {
  const { component, state, from, to } = incident;
  const row: IncidentTable = { id, component, state, from_ms: from, to_ms: to ?? null };
  await db.insertInto('status_incidents').values(row).execute();
  return id;
}
