import { existsSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { EpochMs } from '../../ground/clock.ts';
import { asStoreError } from '../../store/sqlite/errors.ts';
import { createIfMissing } from '../../store/sqlite/file.ts';
import { StoreError, type StoreErrorValues } from '../../store/store-error.ts';
import { assertReadable, DamagedChunk, digestsForm, recordForm } from './record-form.ts';
import type { Segment } from './segment.ts';
import type { Deletion, SegmentReader, SegmentStore, Slice } from './segment-store.ts';
import { headColumns, headOf, type SegmentRow, SqlSegments, type Steps, valuesOf } from './sql-segments.ts';

const schemaFile = new URL('record.sqlite.sql', import.meta.url);

/** Segments are hundreds of kilobytes: large pages waste little and are read in few steps. */
const pageBytes = 16_384;
/** The data of a segment is in rows that follow each other, four to a page: a part of it is read without the rest. */
const chunkBytes = 4_070;
const settings = `
pragma page_size = ${pageBytes}; pragma auto_vacuum = incremental;
pragma journal_mode = wal; pragma synchronous = full`;
/** Another process writes a minute at a time. */
const busyTimeoutMs = 2_000;

const insertSegment = `insert into segment (${headColumns}, place)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const addDigests = 'alter table segment add column digest blob; alter table segment add column root blob';

/**
 * Opens the file, and makes it, for its owner alone, where it is missing. Throws the system's error, or `StoreError`.
 */
export function openSqliteSegments(path: string): SegmentStore {
  if (path !== ':memory:') createIfMissing(path);
  return open(path, false);
}

/** For reading only. `undefined` where nothing was recorded yet. */
export function openSqliteSegmentsToRead(path: string): SegmentReader | undefined {
  return existsSync(path) ? open(path, true) : undefined;
}

function open(path: string, readOnly: boolean): SqliteSegments {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly });
  try {
    if (!readOnly) database.exec(settings);
    // Another process can open it at the same time.
    if (!readOnly) database.exec('begin immediate');
    const form = formOf(database, path);
    if (readOnly) return new SqliteSegments(database, path, form);
    if (form > 0 && form < digestsForm) database.exec(addDigests);
    database.exec(`${readFileSync(schemaFile, 'utf8').replace('{form}', String(recordForm))} commit`);
    return new SqliteSegments(database, path, recordForm);
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

/**
 * 0 of an empty file. Throws `StoreError` for one whose tables are another program's, or of a version that this one
 * does not read.
 */
function formOf(database: DatabaseSync, path: string): number {
  const { user_version: found } = database.prepare('pragma user_version').get() as { user_version: number };
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  if (found === 0 && tables.length === 0) return 0;
  if (found === 0 && !tables.some(({ name }) => name === 'segment')) throw recordOfAnotherProgram({ path });
  // The first form had no number.
  assertReadable(found || 1, path);
  return found;
}

/** Runs statements, each of which is prepared once. */
function queriesOn(database: DatabaseSync) {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return <Row>(text: string, values: readonly SQLInputValue[] = []) =>
    statements.getOrInsertComputed(text, () => database.prepare(text)).all(...values) as Row[];
}

/** Tells a file from any that takes its place. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${dev} ${ino}`;
}

class SqliteSegments extends SqlSegments implements SegmentStore {
  readonly journalPath: string | undefined;
  readonly #database: DatabaseSync;
  readonly #all: ReturnType<typeof queriesOn>;
  readonly #path: string;
  readonly #identity: string;

  constructor(database: DatabaseSync, path: string, form: number) {
    const all = queriesOn(database);
    const hasSigns = all("select 1 from sqlite_schema where name = 'ledger'").length > 0;
    super(async (text, values) => all(text, values as SQLInputValue[] | undefined), '', 'place', form, hasSigns);
    this.journalPath = path === ':memory:' ? undefined : path;
    this.#path = path;
    this.#identity = identityOf(path);
    this.#database = database;
    this.#all = all;
  }

  /** Takes a number by the lock of its journal: the file's processes are all on this machine. */
  async newChain(taken: readonly number[]): Promise<number> {
    let chain = 1;
    while (taken.includes(chain)) chain++;
    return chain;
  }

  async fill(...[content, check]: Parameters<SegmentStore['fill']>): Promise<void> {
    // A log would take as much again as the record.
    this.#database.exec('pragma journal_mode = delete; begin immediate');
    try {
      const lastHold = await this.fillTables(this.run, content.tables);
      const row = "(select rowid from sqlite_sequence where name = 'hold')";
      this.#all(`insert or replace into sqlite_sequence (rowid, name, seq) values (${row}, 'hold', ?)`, [lastHold]);
      for await (const segment of content.segments) this.#append([segment]);
      await check(this);
      this.#database.exec('commit');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    } finally {
      this.#database.exec('pragma journal_mode = wal');
    }
  }

  async append(segments: readonly Segment[]): Promise<void> {
    this.#together(() => this.#append(segments));
  }

  #append(segments: readonly Segment[]): void {
    const [last] = this.#all<{ id: number }>('select coalesce(max(id), 0) as id from chunk');
    let chunk = last!.id;
    for (const segment of segments) {
      this.#all(insertSegment, [...valuesOf(segment), chunk + 1]);
      const { data } = segment;
      for (let start = 0; start < data.length; start += chunkBytes) {
        this.#all('insert into chunk values (?, ?)', [++chunk, data.subarray(start, start + chunkBytes)]);
      }
    }
  }

  deletableBefore(before: EpochMs): EpochMs {
    return before;
  }

  async delete(deletions: readonly Deletion[]): Promise<void> {
    this.#together(() => {
      for (const deletion of deletions) {
        this.#delete(deletion);
        this.#take(this.enter('deletion', JSON.stringify(deletion)));
      }
    });
    this.#database.exec('pragma incremental_vacuum');
  }

  #delete({ chain, first, last, hash, until }: Deletion): void {
    const deleted = 'segment where chain = ? and number between ? and ?';
    const span = [chain, first, last];
    const places = this.#all<Pick<SegmentRow, 'place' | 'bytes'>>(`select place, bytes from ${deleted}`, span);
    for (const { place, bytes } of places)
      this.#all('delete from chunk where id >= ? and id < ?', [place, place + Math.ceil(bytes / chunkBytes)]);
    this.#all(`delete from ${deleted}`, span);
    this.#all('insert into deletion values (?, ?, ?, ?, ?)', [...span, hash, until]);
  }

  async chains(): Promise<readonly number[]> {
    return this.#all<{ chain: number }>('select distinct chain from segment order by chain').map(({ chain }) => chain);
  }

  async segment(chain: number, number: number): Promise<Segment | undefined> {
    const query = `select ${this.columns} from segment where chain = ? and number = ?`;
    const [row] = this.#all<SegmentRow>(query, [chain, number]);
    if (row === undefined) return undefined;
    const { place, bytes, ...head } = headOf(row);
    return { ...head, data: this.#data(place, 0, bytes) };
  }

  async slices(slices: readonly Slice[]): Promise<readonly Uint8Array[]> {
    return slices.map(({ head, start, end }) => this.#data(head.place, start, Math.min(end, head.bytes)));
  }

  #data(place: number, start: number, end: number): Uint8Array {
    const first = Math.floor(start / chunkBytes);
    const past = Math.ceil(end / chunkBytes);
    const query = 'select id, data from chunk where id >= ? and id < ? order by id';
    const chunks = this.#all<Pick<Segment, 'data'> & { id: number }>(query, [place + first, place + past]);
    for (let index = 0; index < past - first; index++) {
      const id = place + first + index;
      const found = chunks[index];
      // Of any other program SQLite takes a text too.
      if (found?.id !== id || !(found.data instanceof Uint8Array)) throw new DamagedChunk(id, this.#path);
    }
    const [only] = chunks;
    const data = chunks.length === 1 ? only!.data : Buffer.concat(chunks.map((chunk) => chunk.data));
    return data.subarray(start - first * chunkBytes, end - first * chunkBytes);
  }

  async isMoved(): Promise<boolean> {
    return identityOf(this.#path) !== this.#identity;
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  protected async atOnce<Result>(steps: Steps<Result>): Promise<Result> {
    return this.#together(() => this.#take(steps));
  }

  /** Takes steps without a turn between them: others use the same connection. */
  #take<Result>(steps: Steps<Result>): Result {
    let step = steps.next([]);
    while (step.done !== true) step = steps.next(this.#all(...(step.value as [string, SQLInputValue[]])));
    return step.value;
  }

  #together<Result>(work: () => Result): Result {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      // A full disk has rolled it back already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

export function recordOfAnotherProgram(values: StoreErrorValues['foreign_database.record']) {
  const message = `The file ${values.path} belongs to another program. Set history.url to another file.`;
  return new StoreError('foreign_database.record', values, message);
}
