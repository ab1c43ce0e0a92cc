import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import { pageOf, scan } from './scan.ts';
import type { AccountTable, Database, KeyStatus } from './schema.ts';

/** How many keys of an account are in each state. */
export type KeyCounts = Readonly<Record<KeyStatus, number>>;

/** A place in the list of accounts. Accounts made later never move it. */
export interface AccountPosition {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface AccountPageOptions {
  /** A part of the e-mail address in any case, or a whole id. */
  readonly query?: string | undefined;
  readonly after?: AccountPosition | undefined;
  readonly limit: number;
}

type AccountRow = Selectable<AccountTable>;

/** Latest first. With a query a page can be short although there are more: see `scan`. */
export async function accountPage(
  db: Database,
  { query, after, limit }: AccountPageOptions,
): Promise<{ readonly rows: readonly AccountRow[]; readonly next: AccountPosition | undefined }> {
  const list = {
    limit,
    after,
    read: (from: AccountPosition | undefined, count: number) => readAccounts(db, from, count),
    positionOf: ({ created_at_ms, id }: AccountRow) => ({ createdAtMs: created_at_ms, id }),
  };
  const wanted = query?.trim().toLowerCase() ?? '';
  if (wanted === '') return pageOf(list);
  const byId = await db.selectFrom('accounts').selectAll().where('id', '=', query!.trim()).execute();
  if (byId.length > 0) return { rows: after === undefined ? byId : [], next: undefined };
  return scan({ ...list, matches: ({ email }) => email.toLowerCase().includes(wanted) });
}

function readAccounts(db: Database, after: AccountPosition | undefined, count: number): Promise<AccountRow[]> {
  const list = db
    .selectFrom('accounts')
    .selectAll()
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(count);
  if (after === undefined) return list.execute();
  return list
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at_ms', 'id'), '<', tuple(after.createdAtMs as EpochMs, after.id)),
    )
    .execute();
}

/** The counts of each of the accounts, those without keys too. */
export async function keyCountsOf(
  db: Database,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, KeyCounts>> {
  const counts = new Map(accountIds.map((id) => [id, { active: 0, disabled: 0, revoked: 0 }]));
  if (accountIds.length === 0) return counts;
  const rows = await db
    .selectFrom('api_keys')
    .select(({ fn }) => ['account_id', 'status', fn.countAll<number>().as('count')])
    .where('account_id', 'in', [...accountIds])
    .groupBy(['account_id', 'status'])
    .execute();
  for (const { account_id, status, count } of rows) counts.get(account_id)![status] = Number(count);
  return counts;
}
