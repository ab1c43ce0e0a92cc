import type { Clock, EpochMs } from '../clock.ts';
import type { Database } from './schema.ts';

export interface Snapshot {
  readonly payload: string;
  readonly savedAt: EpochMs;
}

/** The last known state under a name, as text that only its writer understands: what a restart begins with. */
export interface Snapshots {
  /** Replaces the one before. */
  save(name: string, payload: string): Promise<void>;
  load(name: string): Promise<Snapshot | undefined>;
}

export function snapshotsIn(db: Database, clock: Clock): Snapshots {
  return {
    async save(name, payload) {
      const content = { payload, saved_at_ms: clock.now() };
      await db
        .insertInto('snapshots')
        .values({ name, ...content })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(content))
        .execute();
    },
    async load(name) {
      const row = await db.selectFrom('snapshots').selectAll().where('name', '=', name).executeTakeFirst();
      return row === undefined ? undefined : { payload: row.payload, savedAt: row.saved_at_ms as EpochMs };
    },
  };
}
