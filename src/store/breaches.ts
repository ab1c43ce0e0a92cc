import type { BreachRecord } from '../access/key-records.ts';
import type { EpochMs } from '../ground/clock.ts';
import { sql } from './kysely.ts';
import { recordOf } from './record.ts';
import type { Database } from './schema.ts';
import { StorePart } from './store-context.ts';

/** A key's breached minutes taken together. */
export interface RefusedKey {
  readonly keyId: string;
  readonly minutes: number;
  readonly refused: number;
}

/** Grouped by the column itself, SQLite reads the whole table in its order; this way it reads the minutes asked for. */
const keyIdAsText = sql<string>`key_id || ''`;

/** Rows of one statement: SQLite takes at most 32,766 parameters. */
const rowsPerStatement = 1_000;

export class Breaches extends StorePart {
  /** Adds to what is known of each minute: all of the counts or, when it rejects, none. */
  async add(counts: readonly BreachRecord[]): Promise<void> {
    if (counts.length === 0) return;
    const minutes = addedUp(counts);
    await this.context.db.transaction().execute(async (trx) => {
      for (let start = 0; start < minutes.length; start += rowsPerStatement) {
        await addRows(trx, minutes.slice(start, start + rowsPerStatement));
      }
    });
  }

  /** A key's breached minutes that began after an instant, oldest first. */
  listOf(keyId: string, after: EpochMs): Promise<readonly BreachRecord[]> {
    return breachesOf(this.context.db, keyId, after);
  }

  /** The keys most often refused in the minutes that began after an instant, at most `limit`, most refused first. */
  async mostRefused(after: EpochMs, limit: number): Promise<readonly RefusedKey[]> {
    const rows = await this.context.db
      .selectFrom('breaches')
      .select(({ fn }) => [
        keyIdAsText.as('keyId'),
        fn.countAll<number>().as('minutes'),
        fn.sum<number | string>('refused').as('refused_in_all'),
      ])
      .where('minute_start_ms', '>', after)
      .groupBy(keyIdAsText)
      .orderBy('refused_in_all', 'desc')
      .orderBy(keyIdAsText)
      .limit(limit)
      .execute();
    return rows.map(({ keyId, minutes, refused_in_all }) => ({ keyId, minutes, refused: Number(refused_in_all) }));
  }

  /** Drops the minutes that began before an instant. */
  async prune(before: EpochMs): Promise<void> {
    await this.context.db.deleteFrom('breaches').where('minute_start_ms', '<', before).execute();
  }
}

/**
 * Each minute of a key once, as PostgreSQL requires, in one order everywhere: two servers that each held a row the
 * other needs would deadlock.
 */
function addedUp(counts: readonly BreachRecord[]): readonly BreachRecord[] {
  const minutes = new Map<string, BreachRecord>();
  for (const count of counts) {
    const name = `${count.keyId} ${count.minuteStart}`;
    minutes.set(name, { ...count, refused: count.refused + (minutes.get(name)?.refused ?? 0) });
  }
  return [...minutes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, minute]) => minute);
}

async function addRows(db: Database, counts: readonly BreachRecord[]): Promise<void> {
  await db
    .insertInto('breaches')
    .values(
      counts.map(({ keyId, minuteStart, refused, limitPerMinute }) => ({
        key_id: keyId,
        minute_start_ms: minuteStart,
        refused,
        limit_per_minute: limitPerMinute,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'minute_start_ms']).doUpdateSet(({ eb, ref }) => ({
        refused: eb('breaches.refused', '+', ref('excluded.refused')),
        limit_per_minute: ref('excluded.limit_per_minute'),
      })),
    )
    .execute();
}

/** Does what `Breaches.listOf` does, also within a transaction. */
export async function breachesOf(db: Database, keyId: string, after: EpochMs): Promise<readonly BreachRecord[]> {
  const rows = await db
    .selectFrom('breaches')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('minute_start_ms', '>', after)
    .orderBy('minute_start_ms')
    .execute();
  return rows.map(recordOf);
}
