import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, type TestContext, test } from 'node:test';
import pg from 'pg';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/support/postgres.ts';
import type { MarketToSave } from './markets.ts';
import { columnTypes } from './postgres/client.ts';
import { openStore, type Store } from './store.ts';
import type { Engine } from './store-context.ts';

interface BareFixture {
  readonly store: Store;
  readonly clock: FakeClock;
  /** A second store on the same database, as the command line has it beside the server. */
  openAnother(): Promise<Store>;
}

/** A store on a file in a directory of its own, with a clock that does not move by itself. */
export interface StoreFixture extends BareFixture {
  readonly path: string;
  /** Another connection to the same file, as another program has it. Runs SQL as it stands. */
  readonly outside: DatabaseSync;
}

/** The same on whatever engine the test is for. */
export interface EngineFixture extends BareFixture {
  readonly engine: Engine;
  readonly url: string;
  /** Another program's connection to the same database. */
  readonly outside: OutsideConnection;
  /** One more of them. */
  connectAnother(): Promise<OutsideConnection>;
}

export interface OutsideConnection {
  /** Runs one statement, with `?` in the place of each parameter, and gives its rows. */
  run(sql: string, ...parameters: SQLInputValue[]): Promise<Record<string, unknown>[]>;
}

let engineUnderTest: Engine = 'sqlite';

const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** From now on `storeTest` declares its tests for this engine. */
export function testStoresOn(engine: Engine): void {
  engineUnderTest = engine;
}

/**
 * A test of the store. `npm test` runs it on SQLite, `store.system.test.ts` runs it on PostgreSQL, and its name says
 * which. `openEngine` gives it a store on that engine.
 */
export function storeTest(name: string, run: (t: TestContext) => void | Promise<void>): void {
  const declare = engineUnderTest === 'postgres' ? postgresTest : test;
  declare(`${name} (${names[engineUnderTest]})`, run);
}

/** A test that is about PostgreSQL alone. Without a server it is skipped, which fails the run in CI. */
export function postgresTest(name: string, run: (t: TestContext) => void | Promise<void>): void {
  test(name, { skip: postgresMissing ?? false }, run);
}

export function temporaryDirectory(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export async function openFixture(t: TestContext): Promise<StoreFixture> {
  const url = await newDatabase(t, 'sqlite');
  const path = url.slice('sqlite:'.length);
  const bare = await openBare(t, url);
  const outside = new DatabaseSync(path);
  t.after(() => {
    if (outside.isOpen) outside.close();
  });
  return { ...bare, path, outside };
}

/** @param engine the one under test when left out */
export async function openEngine(t: TestContext, engine: Engine = engineUnderTest): Promise<EngineFixture> {
  const url = await newDatabase(t, engine);
  const connectAnother = () => (engine === 'sqlite' ? connectSqlite(t, url) : connectPostgres(t, url));
  const bare = await openBare(t, url);
  return { ...bare, engine, url, outside: await connectAnother(), connectAnother };
}

async function openBare(t: TestContext, url: string): Promise<BareFixture> {
  const clock = new FakeClock();
  let seed = 1;
  const openAnother = async () => {
    const store = await openStore({ url, clock, randomness: seededRandomness(seed++) });
    t.after(() => store.close());
    return store;
  };
  return { store: await openAnother(), clock, openAnother };
}

/** The URL of a database without any tables; on SQLite the file is not there yet. */
export async function emptyDatabase(t: TestContext, engine: Engine = engineUnderTest): Promise<string> {
  if (engine === 'postgres') return (await sharedPostgres()).newDatabase();
  return `sqlite:${join(temporaryDirectory(t), 'test.sqlite')}`;
}

/** The URL of a database that has the schema and nothing else. */
export async function newDatabase(t: TestContext, engine: Engine): Promise<string> {
  if (engine === 'postgres') {
    const { server, template } = await preparedServer();
    return server.newDatabase(template);
  }
  const path = join(temporaryDirectory(t), 'test.sqlite');
  sqliteTemplate ??= prepareTemplate();
  copyFileSync(await sqliteTemplate, path);
  return `sqlite:${path}`;
}

/** The server of this test process. */
export async function sharedPostgres(): Promise<PostgresServer> {
  return (await preparedServer()).server;
}

interface PreparedServer {
  readonly server: PostgresServer;
  /** A database with the schema, to copy. */
  readonly template: string;
}

let prepared: Promise<PreparedServer> | undefined;
after(async () => (await prepared)?.server.stop());
let sqliteTemplate: Promise<string> | undefined;

/**
 * An SQLite file with the schema: a copy of it is there sooner than a migration has run. It lasts as long as the
 * process, in which several files of tests run.
 */
async function prepareTemplate(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  const path = join(directory, 'template.sqlite');
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await migrate(`sqlite:${path}`);
  return path;
}

async function migrate(url: string): Promise<void> {
  const store = await openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });
  await store.close();
}

function preparedServer(): Promise<PreparedServer> {
  prepared ??= prepareServer();
  return prepared;
}

async function prepareServer(): Promise<PreparedServer> {
  const server = await startPostgres();
  const url = await server.newDatabase();
  await migrate(url);
  return { server, template: new URL(url).pathname.slice(1) };
}

async function connectSqlite(t: TestContext, url: string): Promise<OutsideConnection> {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  t.after(() => database.close());
  return { run: async (sql, ...parameters) => database.prepare(sql).all(...parameters) };
}

async function connectPostgres(t: TestContext, url: string): Promise<OutsideConnection> {
  const client = new pg.Client({ connectionString: url, types: columnTypes });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return {
    async run(sql, ...parameters) {
      let count = 0;
      const numbered = sql.replaceAll('?', () => `$${++count}`);
      return (await client.query(numbered, parameters)).rows as Record<string, unknown>[];
    },
  };
}

/** A market as the feed lists it. */
export const btcEur: MarketToSave = {
  symbol: 'BTCEUR',
  base: 'BTC',
  quote: 'EUR',
  via: undefined,
  upstreamStatus: 'trading',
  pricePrecision: 1,
  amountPrecision: 8,
  tickSize: '0.1',
  minOrderSize: '0.00005',
  minOrderValue: '0.5',
  absence: undefined,
  delistedAt: undefined,
};

/** 32 bytes that stand for a key's digest. */
export function digestNumber(number: number): Uint8Array {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(28, number);
  return digest;
}

/** For `assert.rejects`: a `StoreError` with this reason and a message of one clear sentence or two. */
export function refusal(reason: string) {
  return (error: unknown): boolean => {
    const { name, reason: found, message } = error as { name: string; reason: string; message: string };
    return name === 'StoreError' && found === reason && message.endsWith('.');
  };
}
