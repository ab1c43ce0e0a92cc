import { type KeyWithAccount, keyWithAccountOf, selectWithAccount } from './key-record.ts';
import { pageOf, type Scanned, scan } from './scan.ts';
import type { Database, KeyStatus } from './schema.ts';

export interface KeyPageOptions {
  readonly accountId?: string | undefined;
  readonly status?: KeyStatus | undefined;
  /** A part of the label or of the account's e-mail address in any case, the last four characters, or a whole id. */
  readonly query?: string | undefined;
  /** The number of the last key of the page before. Keys made later never move it. */
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface KeyPage {
  readonly keys: readonly KeyWithAccount[];
  readonly next: number | undefined;
}

type KeyRow = Awaited<ReturnType<typeof readKeys>>[number];

/** Latest first. With a query a page can be short although there are more: see `scan`. */
export async function keyPage(db: Database, options: KeyPageOptions): Promise<KeyPage> {
  const { rows, next } = await keyRows(db, options);
  return { keys: rows.map(keyWithAccountOf), next };
}

async function keyRows(db: Database, options: KeyPageOptions): Promise<Scanned<KeyRow, number>> {
  const { limit, after } = options;
  const list = {
    limit,
    after,
    read: (from: number | undefined, count: number) => readKeys(db, options, from, count),
    positionOf: ({ seq }: KeyRow) => seq,
  };
  const query = options.query?.trim() ?? '';
  if (query === '') return pageOf(list);
  const byId = await filtered(db, options).where('api_keys.id', '=', query).execute();
  if (byId.length > 0) return { rows: after === undefined ? byId : [], next: undefined };
  const wanted = query.toLowerCase();
  return scan({
    ...list,
    matches: ({ label, last_four, account_email }) =>
      last_four === query || label.toLowerCase().includes(wanted) || account_email.toLowerCase().includes(wanted),
  });
}

function readKeys(db: Database, options: KeyPageOptions, after: number | undefined, count: number) {
  const list = filtered(db, options).orderBy('api_keys.seq', 'desc').limit(count);
  return (after === undefined ? list : list.where('api_keys.seq', '<', after)).execute();
}

function filtered(db: Database, { accountId, status }: KeyPageOptions) {
  let query = selectWithAccount(db);
  if (accountId !== undefined) query = query.where('api_keys.account_id', '=', accountId);
  if (status !== undefined) query = query.where('api_keys.status', '=', status);
  return query;
}
