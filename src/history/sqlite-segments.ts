import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { EpochMs } from '../clock.ts';
import { createIfMissing } from '../store/sqlite/open.ts';
import type { ChainHead, Segment, SegmentHead, SegmentKind } from './segment.ts';
import type { Deletion, Hold, Run, SegmentQuery, SegmentReader, SegmentStore } from './segment-store.ts';

const schema = `
create table if not exists segment (
  chain integer not null, number integer not null, run integer not null, kind text not null,
  first_ms integer not null, last_ms integer not null, count integer not null,
  low_request integer not null, high_request integer not null, keyframe integer not null,
  hash blob not null, previous blob not null, bytes integer not null, data blob not null,
  unique (chain, number)
);
create index if not exists segment_span on segment (kind, chain, last_ms, first_ms, number);
create index if not exists segment_requests on segment (run, low_request) where kind = 'servings';
create table if not exists run (
  run integer primary key, chain integer not null, started_ms integer not null, request_key blob not null
);
create table if not exists hold (
  id integer primary key autoincrement, from_ms integer not null, to_ms integer not null, reason text not null
);
create table if not exists deletion (
  chain integer not null, first integer not null, last integer not null, hash text not null, until_ms integer not null,
  unique (chain, first)
);
`;

/** Segments are hundreds of kilobytes: large pages waste little and are read in few steps. */
const pageBytes = 16_384;
/** Another process writes a minute at a time. */
const busyTimeoutMs = 2_000;
const headColumns =
  'chain, number, run, kind, first_ms, last_ms, count, low_request, high_request, keyframe, hash, previous, bytes';

/** Opens the file, and makes it, for its owner alone, where it is missing. Throws the system's error, or `StoreError`. */
export function openSqliteSegments(path: string): SegmentStore {
  if (path !== ':memory:') createIfMissing(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    database.exec(`pragma page_size = ${pageBytes}; pragma auto_vacuum = incremental; pragma journal_mode = wal;
      pragma synchronous = normal`);
    database.exec(schema);
  } catch (error) {
    database.close();
    throw error;
  }
  return new SqliteSegments(database, path);
}

/** For reading only. `undefined` where nothing was recorded yet. */
export function openSqliteSegmentsToRead(path: string): SegmentReader | undefined {
  if (!existsSync(path)) return undefined;
  return new SqliteSegments(new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true }), path);
}

interface SegmentRow {
  readonly chain: number;
  readonly number: number;
  readonly run: number;
  readonly kind: SegmentKind;
  readonly first_ms: EpochMs;
  readonly last_ms: EpochMs;
  readonly count: number;
  readonly low_request: number;
  readonly high_request: number;
  readonly keyframe: number;
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
  readonly bytes: number;
  readonly data: Uint8Array;
}

class SqliteSegments implements SegmentStore {
  readonly journalPath: string | undefined;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.journalPath = path === ':memory:' ? undefined : path;
  }

  async append(segments: readonly Segment[]): Promise<void> {
    const insert = this.#database.prepare(
      `insert into segment (${headColumns}, data) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#together(() => {
      for (const { requests, ...each } of segments) {
        insert.run(
          ...[each.chain, each.number, each.run, each.kind, each.firstAt, each.lastAt, each.count],
          ...[requests.low, requests.high, each.keyframe, each.hash, each.previous, each.data.length, each.data],
        );
      }
    });
  }

  async addRun({ chain, startedAt, requestKey }: Omit<Run, 'run'>): Promise<number> {
    const insert = this.#database.prepare('insert into run (chain, started_ms, request_key) values (?, ?, ?)');
    return Number(insert.run(chain, startedAt, requestKey).lastInsertRowid);
  }

  async addHold({ from, to, reason }: Omit<Hold, 'id'>): Promise<number> {
    const insert = this.#database.prepare('insert into hold (from_ms, to_ms, reason) values (?, ?, ?)');
    return Number(insert.run(from, to, reason).lastInsertRowid);
  }

  async releaseHold(id: number): Promise<boolean> {
    return this.#database.prepare('delete from hold where id = ?').run(id).changes === 1;
  }

  async delete({ chain, first, last, hash, until }: Deletion): Promise<void> {
    this.#together(() => {
      this.#database.prepare('delete from segment where chain = ? and number between ? and ?').run(chain, first, last);
      this.#database.prepare('insert into deletion values (?, ?, ?, ?, ?)').run(chain, first, last, hash, until);
    });
    this.#database.exec('pragma incremental_vacuum');
  }

  async chains(): Promise<readonly number[]> {
    const rows = this.#all<Pick<SegmentRow, 'chain'>>('select distinct chain from segment order by chain');
    return rows.map(({ chain }) => chain);
  }

  async head(chain: number): Promise<ChainHead | undefined> {
    const query = 'select number, hash from segment where chain = ? order by number desc limit 1';
    const [last] = this.#all<Pick<SegmentRow, 'number' | 'hash'>>(query, chain);
    return last && { number: last.number, hash: Buffer.from(last.hash) };
  }

  async heads(query: SegmentQuery): Promise<readonly SegmentHead[]> {
    const { where, values } = conditionsOf(query);
    const order = query.backwards === true ? 'desc' : 'asc';
    const limit = query.limit === undefined ? '' : `limit ${query.limit}`;
    const text = `select ${headColumns} from segment ${where} order by chain, number ${order} ${limit}`;
    return this.#all<Omit<SegmentRow, 'data'>>(text, ...values).map(headOf);
  }

  async segment(chain: number, number: number): Promise<Segment | undefined> {
    const query = `select ${headColumns}, data from segment where chain = ? and number = ?`;
    const [row] = this.#all<SegmentRow>(query, chain, number);
    return row && { ...headOf(row), data: row.data };
  }

  async runs(): Promise<readonly Run[]> {
    return this.#all<Run>(
      'select run, chain, started_ms as startedAt, request_key as requestKey from run order by run',
    );
  }

  async holds(): Promise<readonly Hold[]> {
    return this.#all<Hold>('select id, from_ms as "from", to_ms as "to", reason from hold order by id');
  }

  async deletions(chain: number): Promise<readonly Deletion[]> {
    const query = 'select chain, first, last, hash, until_ms as until from deletion where chain = ? order by first';
    return this.#all<Deletion>(query, chain).map((row) => ({ ...row }));
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values) as unknown as Row[];
  }

  #together(work: () => void): void {
    this.#database.exec('begin immediate');
    try {
      work();
      this.#database.exec('commit');
    } catch (error) {
      // A full disk has rolled it back already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

function conditionsOf(query: SegmentQuery): { readonly where: string; readonly values: readonly SQLInputValue[] } {
  const conditions: string[] = [`kind in (${query.kinds.map(() => '?').join(', ')})`];
  const values: SQLInputValue[] = [...query.kinds];
  const add = (condition: string, value: number | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('chain = ?', query.chain);
  add('run = ?', query.run);
  add('last_ms >= ?', query.from);
  add('first_ms < ?', query.to);
  add('number < ?', query.beforeNumber);
  add('low_request <= ?', query.request);
  add('high_request >= ?', query.request);
  return { where: `where ${conditions.join(' and ')}`, values };
}

function headOf({ first_ms, last_ms, low_request, high_request, ...row }: Omit<SegmentRow, 'data'>): SegmentHead {
  return {
    ...row,
    firstAt: first_ms,
    lastAt: last_ms,
    requests: { low: low_request, high: high_request },
    hash: Buffer.from(row.hash),
    previous: Buffer.from(row.previous),
  };
}
