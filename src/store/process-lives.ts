import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { ProcessLifeTable } from './schema.ts';
import { StorePart } from './store-context.ts';

export type ProcessLife = RecordOf<ProcessLifeTable>;

/** Signs of life of every process on this store, one row each. */
export class ProcessLives extends StorePart {
  /** Says that a process ran from `since` to `seen`. */
  async sign({ id, role, since, seen }: ProcessLife): Promise<void> {
    await this.context.db
      .insertInto('process_lives')
      .values({ id, role, since_ms: since, seen_ms: seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ since_ms: since, seen_ms: seen }))
      .execute();
  }

  /** Gives all that were not dropped, the earliest first. */
  async list(): Promise<readonly ProcessLife[]> {
    const rows = await this.context.db.selectFrom('process_lives').selectAll().orderBy('since_ms').execute();
    return rows.map(recordOf);
  }

  /** Drops those last seen before an instant. */
  async prune(before: EpochMs): Promise<void> {
    await this.context.db.deleteFrom('process_lives').where('seen_ms', '<', before).execute();
  }
}
