import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { SnapshotTable } from './schema.ts';
import { type StoreContext, StorePart } from './store-context.ts';

/** The last known state under a name, as text that only its writer understands: what a restart begins with. */
export class Snapshots extends StorePart<Pick<StoreContext, 'db' | 'clock'>> {
  /**
   * Replaces the one before.
   *
   * @param seen when that one was saved, 0 for none: if another was saved since, nothing happens, so that of several
   * processes one does
   */
  async save(name: string, payload: string, seen?: EpochMs): Promise<void> {
    const { db, clock } = this.context;
    const content = { payload, saved_at_ms: clock.now() };
    await db
      .insertInto('snapshots')
      .values({ name, ...content })
      .onConflict((conflict) => {
        const update = conflict.column('name').doUpdateSet(content);
        return seen === undefined ? update : update.where('snapshots.saved_at_ms', '=', seen);
      })
      .execute();
  }

  async load(name: string): Promise<Omit<RecordOf<SnapshotTable>, 'name'> | undefined> {
    const snapshot = this.context.db.selectFrom('snapshots').select(['payload', 'saved_at_ms']);
    const row = await snapshot.where('name', '=', name).executeTakeFirst();
    return row && recordOf(row);
  }

  /** Returns whether it was still there with this payload: of several processes one gets `true`. */
  async remove(name: string, payload: string): Promise<boolean> {
    const removal = this.context.db.deleteFrom('snapshots').where('name', '=', name).where('payload', '=', payload);
    return (await removal.executeTakeFirst()).numDeletedRows > 0n;
  }
}
