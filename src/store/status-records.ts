import type { EpochMs } from '../clock.ts';
import type { IncidentTable, StatusDayTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';

/** As `HistoryDay` has it, in columns. */
interface StoredDay {
  readonly component: string;
  readonly day: EpochMs;
  readonly states: Readonly<Record<StoredState, number>>;
}

type StoredState = 'operational' | 'degraded' | 'maintenance' | 'outage';

interface StoredIncident {
  readonly id: string;
  readonly component: string;
  readonly state: 'degraded' | 'outage';
  readonly from: EpochMs;
  readonly to: EpochMs | undefined;
}

/** What the components of the service were, day by day, and the incidents. One process writes at a time; all read. */
export class StatusRecords extends StorePart {
  /** Adds to what is known of each day. */
  async addTime(days: readonly StoredDay[]): Promise<void> {
    if (days.length === 0) return;
    const values = days.map(({ component, day, states }) => ({
      component,
      day_ms: day,
      operational_ms: states.operational,
      degraded_ms: states.degraded,
      maintenance_ms: states.maintenance,
      outage_ms: states.outage,
    }));
    await this.context.db
      .insertInto('status_days')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['day_ms', 'component']).doUpdateSet(({ eb, ref }) => ({
          operational_ms: eb('status_days.operational_ms', '+', ref('excluded.operational_ms')),
          degraded_ms: eb('status_days.degraded_ms', '+', ref('excluded.degraded_ms')),
          maintenance_ms: eb('status_days.maintenance_ms', '+', ref('excluded.maintenance_ms')),
          outage_ms: eb('status_days.outage_ms', '+', ref('excluded.outage_ms')),
        })),
      )
      .execute();
  }

  /** Days since one, oldest first. */
  async days(since: EpochMs): Promise<readonly StoredDay[]> {
    const rows = await this.context.db
      .selectFrom('status_days')
      .selectAll()
      .where('day_ms', '>=', since)
      .orderBy('day_ms')
      .orderBy('component')
      .execute();
    return rows.map(dayOfRow);
  }

  /** Begins one; with `to` it is over already. Resolves with its id. */
  async addIncident({ component, state, from, to }: Omit<StoredIncident, 'id'>): Promise<string> {
    const id = newId('inc', this.context.randomness);
    const row: IncidentTable = { id, component, state, from_ms: from, to_ms: to ?? null };
    await this.context.db.insertInto('status_incidents').values(row).execute();
    return id;
  }

  async endIncident(id: string, to: EpochMs): Promise<void> {
    await this.context.db.updateTable('status_incidents').set({ to_ms: to }).where('id', '=', id).execute();
  }

  /** Those that lasted past an instant or still do, the latest first, at most `limit`. */
  async incidents(since: EpochMs, limit: number): Promise<readonly StoredIncident[]> {
    const rows = await this.context.db
      .selectFrom('status_incidents')
      .selectAll()
      .where(({ or, eb }) => or([eb('to_ms', 'is', null), eb('to_ms', '>=', since)]))
      .orderBy('from_ms', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id, component, state, from_ms, to_ms }) => ({
      id,
      component,
      state,
      from: from_ms,
      to: to_ms ?? undefined,
    }));
  }

  /** Drops the days and the ended incidents before an instant. */
  async prune(before: EpochMs): Promise<void> {
    const { db } = this.context;
    await db.deleteFrom('status_days').where('day_ms', '<', before).execute();
    await db.deleteFrom('status_incidents').where('to_ms', '<', before).execute();
  }
}

function dayOfRow(row: StatusDayTable): StoredDay {
  const states = {
    operational: Number(row.operational_ms),
    degraded: Number(row.degraded_ms),
    maintenance: Number(row.maintenance_ms),
    outage: Number(row.outage_ms),
  };
  return { component: row.component, day: row.day_ms, states };
}
