import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { postgresTest, sharedPostgres } from '../../store/store.testing.ts';
import { Journal } from '../reading/journal.ts';
import { openSegments } from '../segment/open-segments.ts';
import { chainStart, type Segment } from '../segment/segment.ts';
import type { RecordLocation, SegmentStore } from '../segment/segment-store.ts';
import { Publication } from './publication.ts';
import { StreamWriter } from './stream.ts';
import { RecordWriter } from './writer.ts';

export const requestKey = Buffer.alloc(16, 7);

/** A directory of its own, gone after the test. */
export function directoryFor(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-record-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A store that can refuse, as a full disk does. */
type RefusingStore = SegmentStore & { refuses: boolean };

/** An empty record on the engine under test. */
export interface RecordFixture {
  readonly location: RecordLocation;
  readonly store: RefusingStore;
  /** The beginning of the names of its journals. */
  readonly journalPath: string;
  /** Runs SQL as another program does, with the names of tables in capitals. */
  outside(sql: string): Promise<void>;
  /** Changes a byte of the data of a segment, as another program does. */
  changeData(number: number): Promise<void>;
}

const tables = /\b(SEGMENT|RUN|HOLD|DELETION|LEDGER)\b/g;
let engineUnderTest: 'sqlite' | 'postgres' = 'sqlite';

/** From now on `recordTest` declares its tests for PostgreSQL. */
export function testRecordsOnPostgres(): void {
  engineUnderTest = 'postgres';
}

/** A test of the record. `npm test` runs it on SQLite, `record.system.test.ts` on PostgreSQL. */
export function recordTest(name: string, run: (t: TestContext) => Promise<void>): void {
  if (engineUnderTest === 'postgres') postgresTest(`${name} (PostgreSQL)`, run);
  else test(`${name} (SQLite)`, run);
}

export async function newRecord(t: Pick<TestContext, 'after'>): Promise<RecordFixture> {
  const path = join(directoryFor(t), 'history.sqlite');
  if (engineUnderTest === 'sqlite') {
    const outside = async (sql: string) => {
      const database = new DatabaseSync(path);
      database.exec(sql.replaceAll(tables, (name) => name.toLowerCase()));
      database.close();
    };
    const changeData = (number: number) =>
      outside(`update chunk set data = x'00' where id = (select place from segment where number = ${number})`);
    return { ...(await fixtureOn(t, { kind: 'sqlite', path })), outside, changeData };
  }
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const outside = async (sql: string) => {
    await server.run(
      sql.replaceAll(tables, (name) => `record_${name.toLowerCase()}`),
      url,
    );
  };
  const changeData = (number: number) => outside(`update SEGMENT set data = previous where number = ${number}`);
  return { ...(await fixtureOn(t, { kind: 'postgres', url, journalPath: path })), outside, changeData };
}

async function fixtureOn(t: Pick<TestContext, 'after'>, location: RecordLocation) {
  const store = refusing(await openSegments(location));
  t.after(() => store.close());
  return { location, store, journalPath: store.journalPath! };
}

function refusing(opened: SegmentStore): RefusingStore {
  const store = opened as RefusingStore;
  const append = store.append.bind(store);
  store.refuses = false;
  store.append = async (segments: readonly Segment[]) => {
    if (store.refuses) throw new Error('database or disk is full');
    await append(segments);
  };
  return store;
}

/** A writer on a store, and a serving thread that sends it one market. */
export async function writerOn(store: SegmentStore, path: string) {
  const chain = await store.newChain([]);
  const run = await store.addRun({ chain, startedAt: 0 as EpochMs, requestKey });
  const journal = new Journal(`${path}.minute${chain}`);
  const head = (await store.head(chain)) ?? chainStart;
  const publication = new Publication();
  const written: number[] = [];
  const parts = { publication, journal, store, chain, run, requestKey, head };
  const writer = new RecordWriter({ ...parts, written: (bytes: number) => written.push(bytes) });
  return { writer, written, run };
}

/** Pieces of a stream, with one answer to a key each. */
export function answers() {
  const stream = new StreamWriter();
  let count = 0;
  stream.reset();
  return (at: number): Buffer => {
    stream.time(at as EpochMs);
    const serving = { keyId: 'key_a', askedAt: at as EpochMs, symbol: '', status: 200, text: '', request: ++count };
    stream.serving({ ...serving, route: '/v1/time' });
    return stream.take();
  };
}
