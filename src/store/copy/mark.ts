import type { Database } from '../schema.ts';

/** The snapshot under which a copy says of itself how far it is. It is the only row that the source does not have. */
export const markName = 'store copy';

export interface CopyMark {
  /** Whence: the name of the source. */
  readonly from: string;
  readonly isComplete: boolean;
}

/** What an earlier copy left in a database; `undefined` where there was none. */
export async function readMark(db: Database): Promise<CopyMark | undefined> {
  const row = await db.selectFrom('snapshots').select('payload').where('name', '=', markName).executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(row.payload) as CopyMark);
}

export async function writeMark(db: Database, mark: CopyMark, nowMs: number): Promise<void> {
  const content = { payload: JSON.stringify(mark), saved_at_ms: nowMs };
  await db
    .insertInto('snapshots')
    .values({ name: markName, ...content })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(content))
    .execute();
}
