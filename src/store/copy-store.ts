import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../ground/clock.ts';
import { sql } from './kysely.ts';
import { type DatabaseToRead, openDatabase, openDatabaseToRead } from './open-database.ts';
import type { Database, Schema } from './schema.ts';
import { Snapshots } from './snapshots.ts';
import { yieldToEvents } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';
import { readVersions } from './watch-changes.ts';

/**
 * Every table but those of changes, which mean nothing in another database. The triggers of the target record there
 * what the copy changes.
 */
type CopiedName = Exclude<keyof Schema, 'access_changes' | 'change_versions'>;

/** How the rows of a table are told apart. */
interface RowKey<Column> {
  /** The columns of its key. */
  readonly key: readonly Column[];
  /**
   * The column that numbers the rows as they are made, each database in its own way: keys get new numbers, in the order
   * they were made.
   */
  readonly number?: Column;
}

/** A table as it is copied: each row under the columns of its key. */
interface CopiedTable extends RowKey<string> {
  readonly name: CopiedName;
}

/** In an order in which what is referred to comes first. */
const rowKeys: { readonly [Name in CopiedName]: RowKey<keyof Schema[Name] & string> } = {
  accounts: { key: ['id'] },
  api_keys: { key: ['id'], number: 'seq' },
  markets: { key: ['symbol'] },
  rate_controls: { key: ['quote'] },
  maintenance_windows: { key: ['id'] },
  terms: { key: ['id'] },
  approvals: { key: ['id'] },
  snapshots: { key: ['name'] },
  breaches: { key: ['key_id', 'minute_start_ms'] },
  notices: { key: ['id'] },
  audit_log: { key: ['id'] },
  operator_tokens: { key: ['id'] },
  status_days: { key: ['day_ms', 'component'] },
  status_incidents: { key: ['id'] },
  process_lives: { key: ['id'] },
  status_judged: { key: ['component'] },
  incidents: { key: ['id'] },
  incident_updates: { key: ['incident_id', 'number'] },
  source_tokens: { key: ['id'] },
  request_minutes: { key: ['at_ms', 'process'] },
  deliveries: { key: ['id'] },
  alerts: { key: ['id'] },
  subscriptions: { key: ['id'] },
  subscription_tokens: { key: ['digest'] },
  subscription_messages: { key: ['id'] },
  status_news: { key: ['subject', 'event'] },
};

/** Every table that is copied, in order. */
export const copiedTables: readonly CopiedTable[] = Object.entries(rowKeys).map(([name, rowKey]) => ({
  name: name as CopiedName,
  ...rowKey,
}));

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
 * Copies everything that one database holds into another that is new, and compares the numbers of rows at the end. The
 * source is only read. A run that was interrupted can be repeated, and continues: rows that are there already are made
 * equal to what the source has now.
 *
 * Throws `StoreError` with reason `copy_refused` when the target has other data or the source an older schema, and
 * `copy_incomplete` when the source was written to meanwhile.
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
  if (earlier === undefined) await refuseOccupied(target);
  else if (earlier.from !== source.name) throw copyOfAnother({ name: earlier.from });
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
    throw copyIncomplete({ what: 'something in the source changed' });
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
  if (state === 'empty') throw sourceEmpty({ name });
  if (state === 'older') throw sourceOlder({ name });
}

async function refuseOccupied(target: Database): Promise<void> {
  for (const [table, count] of Object.entries(await countsOf(target))) {
    if (count > 0) throw targetOccupied({ table, count });
  }
}

function refuseDifferent(wanted: CopyCounts, arrived: CopyCounts): void {
  const differing = Object.keys(wanted).filter((table) => wanted[table] !== arrived[table]);
  if (differing.length === 0) return;
  const what = differing.map((table) => `${table}: ${wanted[table]} there, ${arrived[table]} here`).join('; ');
  throw copyIncomplete({ what });
}

export function copyOfAnother(values: StoreErrorValues['copy_refused.another']) {
  return new StoreError(
    'copy_refused.another',
    values,
    `The target holds a copy of ${values.name}. Copy into a new one.`,
  );
}

export function targetOccupied(values: StoreErrorValues['copy_refused.occupied']) {
  const { table, count } = values;
  const message = `The target has data of its own already (${table}: ${count} rows). Copy into a new database.`;
  return new StoreError('copy_refused.occupied', values, message);
}

const upToDateFirst =
  'Bring it up to date first: start this version of the server on it once, or run `mdapi accounts list`.';

export function sourceEmpty(values: StoreErrorValues['copy_refused.empty']) {
  return new StoreError('copy_refused.empty', values, `The source ${values.name} is empty. ${upToDateFirst}`);
}

export function sourceOlder(values: StoreErrorValues['copy_refused.older']) {
  const message = `The source ${values.name} was made by an older version. ${upToDateFirst}`;
  return new StoreError('copy_refused.older', values, message);
}

export function copyIncomplete(values: StoreErrorValues['copy_incomplete.store']) {
  const message =
    `The copy does not hold what the source holds: ${values.what}. ` +
    'Stop what writes to the databases, and run the copy again.';
  return new StoreError('copy_incomplete.store', values, message);
}
