import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Clock } from '../ground/clock.ts';
import tables from './copied-tables.json' with { type: 'json' };
import { type DatabaseToRead, openDatabase, openDatabaseToRead } from './open-database.ts';
import type { Database, Schema } from './schema.ts';
import { Snapshots } from './snapshots.ts';
import { yieldToEvents } from './store-context.ts';
import { refusal } from './store-error.ts';
import { readVersions } from './watch-changes.ts';

/** A table as it is copied: each row under the columns of its key. */
interface CopiedTable {
  readonly name: keyof Schema;
  readonly key: readonly string[];
  /** The column that numbers the rows as they are made, each database in its own way. */
  readonly number?: string;
}

/**
 * Every table but `access_changes` and `change_versions`, which mean nothing in another database, in an order in which what is referred to comes
 * first. The triggers of the target record what the copy changes there; keys get new numbers, in the order they were made.
 */
export const copiedTables = tables as readonly CopiedTable[];

interface CopyOptions {
  /** Store URLs, see `openStore`. */
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  /** Called before the first row and after each page. */
  readonly progress: (progress: CopyProgress) => void;
  /** Rows read and written at a time. */
  readonly pageSize?: number | undefined;
}

export interface CopyProgress {
  /** The table under way. */
  readonly table: string;
  /** Rows of all tables so far, and of all there are. */
  readonly done: number;
  readonly total: number;
}

interface CopyResult {
  /** Rows that are in the target now, by table. */
  readonly counts: CopyCounts;
  /** An earlier run had done all of it. */
  readonly wasComplete: boolean;
}

/** The snapshot in which a copy records how far it is. It is the only row that the source does not have. */
const markName = 'store copy';

type CopyCounts = Readonly<Record<string, number>>;

interface CopyMark {
  /** The name of the source. */
  readonly from: string;
  readonly isComplete: boolean;
}

/** Few enough for the parameters of one statement on either engine. */
const usualPageSize = 1_000;

/**
 * Copies everything that one database holds into another that is new, and compares the numbers of rows at the end. The source is only read. A run
 * that was interrupted can be repeated, and continues: rows that are there already are made equal to what the source has now.
 *
 * Throws `StoreError` with reason `copy_refused` when the target has other data or the source an older schema, and `copy_incomplete` when the source
 * was written to meanwhile.
 */
export async function copyStore(options: CopyOptions): Promise<CopyResult> {
  const { from, to, clock } = options;
  const source = await openDatabaseToRead(from, clock);
  await using _source = source.db;
  refuseOldSource(source);
  await using target = (await openDatabase({ url: to, clock })).db;
  return await copyInto(target, source, options);
}

async function copyInto(target: Database, source: DatabaseToRead, options: CopyOptions): Promise<CopyResult> {
  const snapshots = new Snapshots({ db: target, clock: options.clock });
  const mark = (isComplete: boolean) =>
    snapshots.save(markName, JSON.stringify({ from: source.name, isComplete } satisfies CopyMark));
  const found = await snapshots.load(markName);
  const earlier = found && (JSON.parse(found.payload) as CopyMark);
  if (earlier === undefined) await refuseFilled(target);
  else if (earlier.from !== source.name) throw refusal('copy_refused.another', { name: earlier.from });
  if (earlier?.isComplete === true) return { counts: await countsOf(target), wasComplete: true };
  await mark(false);
  const counts = await countsOf(source.db);
  const versions = await readVersions(source.db);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const table of copiedTables) {
    options.progress({ table: table.name, done, total });
    for await (const copied of copyTable(source.db, target, table, options.pageSize ?? usualPageSize)) {
      done += copied;
      options.progress({ table: table.name, done, total });
    }
  }
  const arrived = await countsOf(target);
  refuseDifferent(counts, arrived);
  // Keys, accounts, windows and markets have counters of their changes: a row that only changed shows only there.
  if (!isDeepStrictEqual(versions, await readVersions(source.db)))
    throw refusal('copy_incomplete.store', { what: 'something in the source changed' });
  await mark(true);
  return { counts: arrived, wasComplete: false };
}

type Row = Readonly<Record<string, unknown>>;

/** Yields the number of rows of each page that is in the target: each is written whole or not at all. */
async function* copyTable(
  source: Database,
  target: Database,
  table: CopiedTable,
  pageSize: number,
): AsyncGenerator<number> {
  for (let last: Row | undefined; ; ) {
    const page = await readPage(source, table, last, pageSize);
    last = page.at(-1);
    if (last === undefined) return;
    await writePage(target, table, page);
    yield page.length;
    if (page.length < pageSize) return;
    await yieldToEvents();
  }
}

async function readPage(
  db: Database,
  { name, key, number }: CopiedTable,
  after: Row | undefined,
  pageSize: number,
): Promise<readonly Row[]> {
  const order = number === undefined ? key : [number];
  const columns = sql.join(order.map((column) => sql.ref(column)));
  const places = sql.join(order.map((column) => sql`${after?.[column]}`));
  const conditions = [
    ...(after === undefined ? [] : [sql`(${columns}) > (${places})`]),
    ...(name === 'snapshots' ? [sql`name <> ${markName}`] : []),
  ];
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const { rows } =
    await sql<Row>`select * from ${sql.table(name)} ${where} order by ${columns} limit ${pageSize}`.execute(db);
  return rows;
}

async function writePage(db: Database, { name, key, number }: CopiedTable, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!).filter((column) => column !== number);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`));
  const conflict = sql.join(key.map((column) => sql.ref(column)));
  const others = columns.filter((column) => !key.includes(column));
  const changes = sql.join(others.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
  await sql`insert into ${sql.table(name)} (${names}) values ${values} on conflict (${conflict})
    do update set ${changes}`.execute(db);
}

async function countsOf(db: Database): Promise<CopyCounts> {
  const counts: Record<string, number> = {};
  for (const { name } of copiedTables) {
    const mark = name === 'snapshots' ? sql`where name <> ${markName}` : sql``;
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)} ${mark}`.execute(db);
    counts[name] = rows[0]!.count;
  }
  return counts;
}

function refuseOldSource({ state, name }: DatabaseToRead): void {
  if (state !== 'current') throw refusal(`copy_refused.${state}`, { name });
}

async function refuseFilled(target: Database): Promise<void> {
  const filled = Object.entries(await countsOf(target)).find(([, count]) => count > 0);
  if (filled !== undefined) throw refusal('copy_refused.filled', { table: filled[0], count: filled[1] });
}

function refuseDifferent(wanted: CopyCounts, arrived: CopyCounts): void {
  const differing = Object.keys(wanted).filter((table) => wanted[table] !== arrived[table]);
  if (differing.length === 0) return;
  const what = differing.map((table) => `${table}: ${wanted[table]} there, ${arrived[table]} here`).join('; ');
  throw refusal('copy_incomplete.store', { what });
}
