import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock, Randomness } from '../ground/clock.ts';
import { sql } from './kysely.ts';
import { isUpToDate, migrateToLatest, pendingSteps, schemaState } from './migrate.ts';
import { postgresLocationOf } from './postgres/location.ts';
import type { Database } from './schema.ts';
import { Snapshots } from './snapshots.ts';
import { asStoreError } from './sqlite/errors.ts';
import { lockForService } from './sqlite/file.ts';
import { keepBefore } from './sqlite/kept-file.ts';
import { openSqlite } from './sqlite/open.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';
import type { ChangeSignal } from './watch-changes.ts';

/** Loaded only where it is used: the driver takes some megabytes. */
const postgres = () => import('./postgres/open.ts');

interface OpenDatabase {
  readonly db: Database;
  /** Releases the lock of a service. */
  readonly release?: (() => void) | undefined;
  /** The copy of the file as it was before this version changed it. */
  readonly kept?: string | undefined;
  /** The database in messages, where this opening made it. */
  readonly made?: string | undefined;
}

export interface OpenDatabaseOptions {
  /**
   * `sqlite:PATH` (absolute or from the working directory), `sqlite::memory:` or `postgres://user@host:port/database`,
   * see `postgresLocationOf`.
   */
  readonly url: string;
  readonly clock: Clock;
  /** Refuses an SQLite file that another service has with reason `in_use`, until that one closes it or ends. */
  readonly isSoleService?: boolean | undefined;
  /** Keeps a copy of an SQLite file before it is brought up to date, named after this version of the program. */
  readonly version?: string | undefined;
  /** Asked before a database is made where there is none; rejects where there should be one. */
  readonly beforeMaking?: ((name: string) => Promise<void>) | undefined;
}

/** Opens what the URL names and brings its schema up to date. See `openStore`. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { url, clock, isSoleService = false, version, beforeMaking } = options;
  if (isPostgres(url)) {
    const location = postgresLocationOf(url);
    const { connectPostgres, inspectPostgres, preparePostgres } = await postgres();
    const db = connectPostgres(location, clock);
    const made = await preparedOrClosed(db, async () => {
      const isEmpty = (await inspectPostgres(db, location)) === 'empty';
      if (isEmpty) await beforeMaking?.(location.name);
      await preparePostgres(db, location, clock);
      return isEmpty ? location.name : undefined;
    });
    return { db, made };
  }
  const path = sqliteLocationOf(url);
  const made = path === ':memory:' || existsSync(path) ? undefined : resolve(path);
  if (made !== undefined) await beforeMaking?.(made);
  const db = await openSqlite(path, clock);
  return preparedOrClosed(db, async () => {
    const release = isSoleService && path !== ':memory:' ? lockForService(path) : undefined;
    try {
      const mayKeep = version !== undefined && path !== ':memory:';
      const kept = mayKeep ? await keepBefore(version, resolve(path), clock.now()) : undefined;
      // Most openings find nothing to do: they take no lock that a service may hold.
      if (!(await isUpToDate(db, path))) await migrateToLatest(db, path);
      return { db, release, kept, made };
    } catch (error) {
      release?.();
      throw asStoreError(error, path);
    }
  });
}

async function preparedOrClosed<Result>(db: Database, prepare: () => Promise<Result>): Promise<Result> {
  try {
    return await prepare();
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

export interface DatabaseToRead {
  readonly db: Database;
  /** `empty` has no tables yet, `older` lacks steps of the schema. */
  readonly state: 'empty' | 'older' | 'current';
  /** The name in messages: without a password. */
  readonly name: string;
}

/**
 * Opens what the URL names for reading only: nothing is made, set up or brought up to date. Throws `StoreError` as
 * `openStore` does, and with reason `cannot_open` where there is nothing.
 */
export async function openDatabaseToRead(url: string, clock: Clock): Promise<DatabaseToRead> {
  if (isPostgres(url)) {
    const location = postgresLocationOf(url);
    const { connectPostgres, inspectPostgres } = await postgres();
    const db = connectPostgres(location, clock, { readsOnly: true });
    const { name } = location;
    return preparedOrClosed(db, async () => ({ db, name, state: await inspectPostgres(db, location) }));
  }
  const name = sqliteLocationOf(url);
  const db = await openSqlite(name, clock, true);
  return preparedOrClosed(db, async () => {
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    return { db, name, state: tables.length === 0 ? 'empty' : await schemaState(db, name) };
  });
}

/** Throws `StoreError` as `openStore` does, and with reason `cannot_open` where there is no database. */
export async function inspectStore(url: string, clock: Clock) {
  const { db, ...found } = await openDatabaseToRead(url, clock);
  await using _open = db;
  if (found.state === 'empty') return { ...found, steps: [], accounts: 0, keys: 0, markets: 0 };
  const { rows } = await sql<Readonly<Record<'accounts' | 'keys' | 'markets', number>>>`select
    (select count(*) from accounts) as accounts,
    (select count(*) from api_keys) as keys,
    (select count(*) from markets) as markets`.execute(db);
  return { ...found, steps: await pendingSteps(db, found.name), ...rows[0]! };
}

/** The text of a snapshot of a database that exists and is current or older; `undefined` where it has none. */
export async function readSnapshot(url: string, clock: Clock, name: string): Promise<string | undefined> {
  const { db, state } = await openDatabaseToRead(url, clock);
  await using _open = db;
  if (state === 'empty') return undefined;
  return (await new Snapshots({ db, clock }).load(name))?.payload;
}

/** Gives what announces changes of the database, where its engine can. */
export async function changeSignalFor(
  url: string,
  clock: Clock,
  randomness: Randomness,
): Promise<ChangeSignal | undefined> {
  if (!isPostgres(url)) return undefined;
  const { changeSignalOf } = await import('./postgres/listen.ts');
  return changeSignalOf(postgresLocationOf(url), clock, randomness);
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/** The URL may hold a password in another scheme, so that only its scheme is ever shown. */
function sqliteLocationOf(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== 'sqlite') {
    throw schemeUnsupported({ scheme });
  }
  const location = url.slice('sqlite:'.length);
  const hasHost = location.startsWith('//') && !location.startsWith('///');
  if (location === '' || hasHost || location.includes('\0')) throw fileUnnamed();
  return location;
}

const urlForms = 'Use `sqlite:PATH`, `sqlite::memory:` or `postgres://user@host/database`.';

export function schemeUnsupported(values: StoreErrorValues['url_invalid.scheme']) {
  const given = values.scheme === undefined ? 'no scheme' : `the scheme \`${values.scheme}:\``;
  const message = `The store URL has ${given}, which is not supported. ${urlForms}`;
  return new StoreError('url_invalid.scheme', values, message);
}

export function fileUnnamed() {
  return new StoreError('url_invalid.file', {}, `The store URL names no file. ${urlForms}`);
}
