import type { Clock, EpochMs } from '../clock.ts';
import type { Timeouts } from '../store/postgres/client.ts';
import { type PostgresLocation, postgresLocationOf } from '../store/postgres/location.ts';
import { ConnectionPool } from '../store/postgres/pool.ts';
import { StoreError } from '../store/store-error.ts';
import { deleteSegments, makeMonth, monthOf, monthStart, prepareTables } from './postgres-months.ts';
import { type ChainHead, chainStart, type Segment, type SegmentHead } from './segment.ts';
import { conditionsOf, headColumns, headOf, type SegmentRow, valuesOf } from './segment-row.ts';
import type {
  Deletion,
  Hold,
  RecordLocation,
  Run,
  SegmentQuery,
  SegmentReader,
  SegmentStore,
  Slice,
} from './segment-store.ts';

type PostgresRecord = Extract<RecordLocation, { readonly kind: 'postgres' }>;

/** Runs a statement with `$1` and so on in it. Throws `StoreError`. */
export type RunQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Shorter than a store's: while the recording thread waits, what is published waits in memory. */
const timeouts: Timeouts = { connectMs: 2_000, lockMs: 2_000, statementMs: 4_000, answerMs: 5_000 };
/** One writes, one deletes; questions come one after the other. */
const connectionsMax = 2;
/** A month is deleted once its last hour, which ends in the next one, is past too. */
const lastHourMs = 7_200_000;

/** Opens the database, and makes the tables where they are missing. Rejects with `StoreError`. */
export async function openPostgresSegments(record: PostgresRecord, clock: Clock): Promise<SegmentStore> {
  const location = postgresLocationOf(record.url);
  const pool = new ConnectionPool(location, { clock, timeouts, connectionsMax });
  return preparedOrClosed(pool, async () => {
    const id = await together(pool, prepareTables);
    return new PostgresSegments(pool, location, `${record.journalPath}.${id}`);
  });
}

/** For reading only. `undefined` where nothing was recorded yet. Rejects with `StoreError`. */
export async function openPostgresSegmentsToRead(
  record: PostgresRecord,
  clock: Clock,
): Promise<SegmentReader | undefined> {
  const location = postgresLocationOf(record.url);
  const pool = new ConnectionPool(location, { clock, timeouts, connectionsMax: 1, readsOnly: true });
  return preparedOrClosed(pool, async () => {
    const made = await together(pool, (run) => run(`select 1 where to_regclass('record_identity') is not null`));
    if (made.length === 0) {
      await pool.end();
      return undefined;
    }
    const [identity] = await together(pool, (run) => run<{ id: string }>('select id from record_identity'));
    return new PostgresSegments(pool, location, `${record.journalPath}.${identity!.id}`);
  });
}

async function preparedOrClosed<T>(pool: ConnectionPool, prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** In a transaction: all of it or nothing. */
async function together<T>(pool: ConnectionPool, work: (run: RunQuery) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const run = (async (text: string, values: readonly unknown[] = []) =>
    (await client.query(text, values)).rows) as RunQuery;
  try {
    await run('begin');
    const result = await work(run);
    await run('commit');
    return result;
  } catch (error) {
    await run('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Segments in a table with a partition for each month, in UTC, of their first rows. */
class PostgresSegments implements SegmentStore {
  readonly journalPath: string;
  readonly #pool: ConnectionPool;
  readonly #location: PostgresLocation;

  constructor(pool: ConnectionPool, location: PostgresLocation, journalPath: string) {
    this.#pool = pool;
    this.#location = location;
    this.journalPath = journalPath;
  }

  /** Processes of other machines have chains too, whose journals are there. */
  async newChain(): Promise<number> {
    const [row] = await this.#all<{ chain: number }>('insert into record_chain default values returning chain');
    return row!.chain;
  }

  /** Can be repeated: an answer that is lost on its way does not show whether they are stored. */
  async append(segments: readonly Segment[]): Promise<void> {
    const first = segments[0];
    if (first === undefined) return;
    await together(this.#pool, async (run) => {
      // Only one at a time: a copy of this machine has the same chain.
      await run('select 1 from record_chain where chain = $1 for update', [first.chain]);
      const head = await headOfChain(run, first.chain);
      const missing = segments.filter(({ number }) => number > (head?.number ?? 0));
      await this.#assertFollows(run, missing[0], segments.at(-(missing.length + 1)), head);
      for (const month of new Set(missing.map(({ firstAt }) => monthOf(firstAt)))) await makeMonth(run, month);
      for (const segment of missing) await run(insertSegment, [...valuesOf(segment), segment.data]);
    });
  }

  /** @param stored the last of those to append that are there already */
  async #assertFollows(
    run: RunQuery,
    next: Segment | undefined,
    stored: Segment | undefined,
    head: ChainHead | undefined,
  ): Promise<void> {
    const follows = next === undefined || next.previous.equals((head ?? chainStart).hash);
    if (follows && (stored === undefined || (await isStored(run, stored)))) return;
    const { chain } = (next ?? stored)!;
    const message = `Chain ${chain} of the record in ${this.#location.name} does not end where this process left it. Is this machine a copy of another one, or was the database restored? Restart the service, on a copy without the journals.`;
    throw new StoreError('unexpected', message);
  }

  async addRun({ chain, startedAt, requestKey }: Omit<Run, 'run'>): Promise<number> {
    const insert = 'insert into record_run (chain, started_ms, request_key) values ($1, $2, $3) returning run';
    const [row] = await this.#all<{ run: number }>(insert, [chain, startedAt, requestKey]);
    return row!.run;
  }

  async addHold({ from, to, reason }: Omit<Hold, 'id'>): Promise<number> {
    const insert = 'insert into record_hold (from_ms, to_ms, reason) values ($1, $2, $3) returning id';
    const [row] = await this.#all<{ id: number }>(insert, [from, to, reason]);
    return row!.id;
  }

  async releaseHold(id: number): Promise<boolean> {
    const released = await this.#all('delete from record_hold where id = $1 returning id', [id]);
    return released.length === 1;
  }

  /** Whole months: to drop a partition costs nothing, whatever is in it. */
  deletableBefore(before: EpochMs): EpochMs {
    return monthStart(monthOf((before - lastHourMs) as EpochMs));
  }

  async delete(deletions: readonly Deletion[]): Promise<void> {
    await together(this.#pool, (run) => deleteSegments(run, deletions));
  }

  async chains(): Promise<readonly number[]> {
    const query = `select chain from record_chain
      where exists (select from record_segment where record_segment.chain = record_chain.chain) order by chain`;
    return (await this.#all<{ chain: number }>(query)).map(({ chain }) => chain);
  }

  head(chain: number): Promise<ChainHead | undefined> {
    return this.#reading((run) => headOfChain(run, chain));
  }

  async heads(query: SegmentQuery): Promise<readonly SegmentHead[]> {
    const { where, values } = conditionsOf(query);
    let count = 0;
    const numbered = where.replaceAll('?', () => `$${++count}`);
    const text = `select ${headColumns}, 0 as place from record_segment ${numbered}`;
    return (await this.#all<SegmentRow>(text, values)).map(headOf);
  }

  async segment(chain: number, number: number): Promise<Segment | undefined> {
    const query = `select ${headColumns}, data from record_segment where chain = $1 and number = $2`;
    const [row] = await this.#all<SegmentRow & Pick<Segment, 'data'>>(query, [chain, number]);
    return row && { ...headOf({ ...row, place: 0 }), data: row.data };
  }

  async slices(slices: readonly Slice[]): Promise<readonly Uint8Array[]> {
    const query = `select substring(data from slice.start + 1 for slice.bytes) as data
      from unnest($2::bigint[], $3::integer[], $4::integer[]) with ordinality as slice (number, start, bytes, place)
      join record_segment on chain = $1 and record_segment.number = slice.number order by slice.place`;
    const bytes = slices.map(({ start, end }) => end - start);
    const chain = slices[0]?.head.chain ?? 0;
    const asked = [chain, slices.map(({ head }) => head.number), slices.map(({ start }) => start), bytes];
    const rows = await this.#all<Pick<Segment, 'data'>>(query, asked);
    if (rows.length < slices.length) throw new RangeError(`chain ${chain} of the record lacks segments`);
    return rows.map(({ data }) => data);
  }

  runs(): Promise<readonly Run[]> {
    const columns = 'run, chain, started_ms as "startedAt", request_key as "requestKey"';
    return this.#all<Run>(`select ${columns} from record_run order by run`);
  }

  holds(): Promise<readonly Hold[]> {
    return this.#all<Hold>('select id, from_ms as "from", to_ms as "to", reason from record_hold order by id');
  }

  deletions(chain: number): Promise<readonly Deletion[]> {
    const columns = 'chain, first, last, hash, until_ms as until';
    return this.#all<Deletion>(`select ${columns} from record_deletion where chain = $1 order by first`, [chain]);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #all<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#reading((run) => run<Row>(text, values));
  }

  /** One statement is a transaction by itself. */
  async #reading<T>(work: (run: RunQuery) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      return await work((async (text, values = []) => (await client.query(text, values)).rows) as RunQuery);
    } finally {
      client.release();
    }
  }
}

const insertSegment = `insert into record_segment (${headColumns}, data)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

async function headOfChain(run: RunQuery, chain: number): Promise<ChainHead | undefined> {
  const query = 'select number, hash from record_segment where chain = $1 order by number desc limit 1';
  const [last] = await run<Pick<SegmentRow, 'number' | 'hash'>>(query, [chain]);
  return last && { number: last.number, hash: Buffer.from(last.hash) };
}

async function isStored(run: RunQuery, { chain, number, hash }: Segment): Promise<boolean> {
  const query = 'select 1 from record_segment where chain = $1 and number = $2 and hash = $3';
  return (await run(query, [chain, number, hash])).length === 1;
}
