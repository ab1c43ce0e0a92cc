import { asEpochMs, type EpochMs } from '../clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { SnapshotTable } from './schema.ts';
import { type StoreContext, StorePart } from './store-context.ts';

/** The last known state under a name, as text that only its writer understands: what a restart begins with. */
export class Snapshots extends StorePart<Pick<StoreContext, 'db' | 'clock'>> {
  /** Replaces the one before. */
  async save(name: string, payload: string): Promise<void> {
    const { db, clock } = this.context;
    const content = { payload, saved_at_ms: clock.now() };
    await db
      .insertInto('snapshots')
      .values({ name, ...content })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(content))
      .execute();
  }

  /** Saves unless another was saved since `seen` (`undefined`: there was none), so that of several processes one does. */
  async replace(name: string, payload: string, seen: EpochMs | undefined): Promise<void> {
    const { db, clock } = this.context;
    const content = { payload, saved_at_ms: clock.now() };
    await db
      .insertInto('snapshots')
      .values({ name, ...content })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(content)
          .where('snapshots.saved_at_ms', '=', seen ?? asEpochMs(-1)),
      )
      .execute();
  }

  async load(name: string): Promise<Omit<RecordOf<SnapshotTable>, 'name'> | undefined> {
    const snapshot = this.context.db.selectFrom('snapshots').select(['payload', 'saved_at_ms']);
    const row = await snapshot.where('name', '=', name).executeTakeFirst();
    return row && recordOf(row);
  }
}
