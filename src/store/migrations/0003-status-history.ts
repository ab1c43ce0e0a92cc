import { type Migration, sql } from 'kysely';
import { engineOf } from '../store-context.ts';

export const statusHistoryMigration: Migration = {
  async up(db) {
    const text = engineOf(db) === 'postgres' ? sql`text collate "C"` : sql`text`;
    await sql`create table status_days (
      day_ms bigint not null,
      component ${text} not null,
      operational_ms bigint not null,
      degraded_ms bigint not null,
      maintenance_ms bigint not null,
      outage_ms bigint not null,
      primary key (day_ms, component)
    )`.execute(db);
    await sql`create table status_incidents (
      id ${text} primary key not null,
      component ${text} not null,
      state ${text} not null constraint status_incidents_state check (state in ('degraded', 'outage')),
      from_ms bigint not null,
      to_ms bigint
    )`.execute(db);
    await sql`create index status_incidents_from on status_incidents (from_ms, id)`.execute(db);
  },
};
