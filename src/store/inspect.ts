import type { Clock } from '../clock.ts';
import { openDatabaseToRead, type SchemaState } from './open-database.ts';

/** What a database holds, found without changing it. */
export interface StoreInspection {
  /** How messages call it: without a password. */
  readonly name: string;
  readonly state: SchemaState;
  readonly accounts: number;
  readonly keys: number;
  readonly markets: number;
}

/** Throws `StoreError` as `openStore` does, and with reason `cannot_open` where there is no database. */
export async function inspectStore(url: string, clock: Clock): Promise<StoreInspection> {
  const { db, state, name } = await openDatabaseToRead(url, clock);
  const count = async (table: 'accounts' | 'api_keys' | 'markets') => {
    if (state === 'empty') return 0;
    const query = db.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('count'));
    return (await query.executeTakeFirstOrThrow()).count;
  };
  try {
    return {
      name,
      state,
      accounts: await count('accounts'),
      keys: await count('api_keys'),
      markets: await count('markets'),
    };
  } finally {
    await db.destroy();
  }
}
