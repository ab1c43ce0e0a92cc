import type { EpochMs } from '../clock.ts';
import { type StoreContext, StorePart } from './store-context.ts';

interface Snapshot {
  readonly payload: string;
  readonly savedAt: EpochMs;
}

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

  async load(name: string): Promise<Snapshot | undefined> {
    const row = await this.context.db.selectFrom('snapshots').selectAll().where('name', '=', name).executeTakeFirst();
    return row && { payload: row.payload, savedAt: row.saved_at_ms };
  }
}
