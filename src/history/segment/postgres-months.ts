import type { EpochMs } from '../../ground/clock.ts';
import { statementsIn } from '../../store/sql-file.ts';
import { recordForm } from './record-form.ts';
import type { Deletion } from './segment-store.ts';
import type { RunQuery } from './sql-segments.ts';

/** One process at a time makes tables. Any number that nothing else in the database locks. */
const tablesLock = 7_230_113;
/** Rows in one statement: with their data, what a slow disk deletes within its timeout. */
const deletedAtOnce = 500;

/** Makes the tables; those of later versions, which older ones do not know and leave alone, by themselves. */
async function makeTables(run: RunQuery, file: 'record' | 'record-later'): Promise<void> {
  const statements = statementsIn(new URL(`${file}.postgres.sql`, import.meta.url), { form: recordForm });
  for (const statement of statements) await run(statement);
}

/** Identifies a database of a record, in 8 hexadecimal digits, and says of which form it is. */
interface Identity {
  readonly id: string;
  readonly form: number;
  readonly hasSigns: boolean;
}

/** Makes the tables where they are missing, and says in those of an older version that this one writes to them. */
export async function prepareTables(run: RunQuery): Promise<Identity> {
  const known = await identityOf(run);
  if (known !== undefined && known.form >= recordForm && known.hasSigns) return known;
  await run('select pg_advisory_xact_lock(?)', [tablesLock]);
  if ((await identityOf(run)) === undefined) await makeTables(run, 'record');
  else {
    await run(`alter table record_identity add column if not exists form integer not null default ${recordForm}`);
    await run('update record_identity set form = greatest(form, ?)', [recordForm]);
  }
  await makeTables(run, 'record-later');
  return (await identityOf(run))!;
}

/** `undefined` where the tables are missing. */
export async function identityOf(run: RunQuery): Promise<Identity | undefined> {
  if (!(await isTable(run, 'record_identity'))) return undefined;
  // Tables of form 2 have no column for it.
  const form = `coalesce((to_jsonb(record_identity) ->> 'form')::integer, 2) as form`;
  const hasSigns = `to_regclass('record_ledger') is not null as "hasSigns"`;
  const [identity] = await run<Identity>(`select id, ${form}, ${hasSigns} from record_identity`);
  return identity;
}

/**
 * Looks into the catalogue itself: `to_regclass` remembers within a transaction that a table was missing, although
 * another process has made it while this one waited for its lock.
 */
async function isTable(run: RunQuery, name: string): Promise<boolean> {
  return (await run('select 1 from pg_class where relname = ? and pg_table_is_visible(oid)', [name])).length === 1;
}

/** A calendar month in UTC, as `202611`. */
export type Month = string;

export function monthOf(at: EpochMs): Month {
  return new Date(at).toISOString().slice(0, 7).replace('-', '');
}

export function monthStart(month: Month, monthsLater = 0): EpochMs {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)) - 1 + monthsLater) as EpochMs;
}

/** Makes the partition where it is missing. */
export async function makeMonth(run: RunQuery, month: Month): Promise<void> {
  const name = `record_segment_${month}`;
  if (await isTable(run, name)) return;
  await run('select pg_advisory_xact_lock(?)', [tablesLock]);
  await run(`create table if not exists ${name} partition of record_segment
    for values from (${monthStart(month)}) to (${monthStart(month, 1)})`);
}

/** Drops the months that are deleted whole, and deletes from the others. */
export async function deleteSegments(run: RunQuery, deletions: readonly Deletion[]): Promise<void> {
  // One process at a time.
  await run('lock table record_deletion in share row exclusive mode');
  for (const { chain, first, last, hash, until } of deletions) {
    await run('insert into record_deletion values (?, ?, ?, ?, ?)', [chain, first, last, hash, until]);
  }
  const end = monthStart(monthOf(Math.max(...deletions.map(({ until }) => until)) as EpochMs));
  const months = await run<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'record_segment'::regclass order by relname`,
  );
  const past = months.filter(({ name }) => monthStart(name.slice(-6)) < end);
  const dropped: string[] = [];
  for (const { name } of past) if (await isDeletedWhole(run, name, deletions)) dropped.push(name);
  const kept = months.map(({ name }) => name).filter((name) => !dropped.includes(name));
  for (const name of kept) for (const deletion of deletions) await deleteFrom(run, name, deletion);
  // Last, because it blocks readers.
  for (const name of dropped) await run(`drop table ${name}`);
}

async function isDeletedWhole(run: RunQuery, name: string, deletions: readonly Deletion[]): Promise<boolean> {
  // Appends to it wait until it is known.
  await run(`lock table ${name} in share row exclusive mode`);
  const rest = await run(
    `select 1 from ${name} as segment where not exists (
       select from unnest(?::integer[], ?::bigint[], ?::bigint[]) as deleted (chain, first, last)
       where segment.chain = deleted.chain and segment.number between deleted.first and deleted.last
     ) limit 1`,
    [deletions.map(({ chain }) => chain), deletions.map(({ first }) => first), deletions.map(({ last }) => last)],
  );
  return rest.length === 0;
}

async function deleteFrom(run: RunQuery, name: string, { chain, first, last }: Deletion): Promise<void> {
  const span = `select min(number) as low, max(number) as high from ${name} where chain = ? and number between ? and ?`;
  const [found] = await run<{ low: number | null; high: number | null }>(span, [chain, first, last]);
  const { low, high } = found!;
  if (low === null || high === null) return;
  for (let from = low; from <= high; from += deletedAtOnce) {
    const to = Math.min(high, from + deletedAtOnce - 1);
    await run(`delete from ${name} where chain = ? and number between ? and ?`, [chain, from, to]);
  }
}
