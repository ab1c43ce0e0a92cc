import type { Clock, EpochMs } from '../../ground/clock.ts';
import type { Timeouts } from '../../store/postgres/client.ts';
import { type PostgresLocation, postgresLocationOf } from '../../store/postgres/location.ts';
import { ConnectionPool, type PoolOptions } from '../../store/postgres/pool.ts';
import { StoreError, type StoreErrorValues } from '../../store/store-error.ts';
import { deleteSegments, identityOf, makeMonth, monthOf, monthStart, prepareTables } from './postgres-months.ts';
import { assertReadable, recordForm } from './record-form.ts';
import { chainStart, type Segment } from './segment.ts';
import type { Deletion, RecordLocation, SegmentReader, SegmentStore, Sign, Slice } from './segment-store.ts';
import type { RunQuery, SegmentRow, Steps } from './sql-segments.ts';
import { headColumns, headOf, headOfChain, SqlSegments, valuesOf } from './sql-segments.ts';

type PostgresRecord = Extract<RecordLocation, { readonly kind: 'postgres' }>;

/** Shorter than a store's: while the recording thread waits, what is published waits in memory. */
const timeouts: Timeouts = { connectMs: 2_000, lockMs: 2_000, statementMs: 4_000, answerMs: 5_000 };
/** One writes, one deletes; questions come one after the other. */
const connectionsMax = 2;
/** A month is deleted once its last hour, which ends in the next one, is past too. */
const lastHourMs = 7_200_000;

/** Opens the database, and makes the tables where they are missing. Rejects with `StoreError`. */
export async function openPostgresSegments(record: PostgresRecord, clock: Clock): Promise<SegmentStore> {
  return (await openWith(prepareTables, record, { clock, timeouts, connectionsMax }))!;
}

/** For reading only. `undefined` where nothing was recorded yet. Rejects with `StoreError`. */
export function openPostgresSegmentsToRead(record: PostgresRecord, clock: Clock): Promise<SegmentReader | undefined> {
  return openWith(identityOf, record, { clock, timeouts, connectionsMax: 1, readsOnly: true });
}

/** @param prepare gives what identifies the database, or throws `StoreError` */
async function openWith(
  prepare: typeof identityOf,
  { url, journalPath }: PostgresRecord,
  options: PoolOptions,
): Promise<PostgresSegments | undefined> {
  const location = postgresLocationOf(url);
  const pool = new ConnectionPool(location, options);
  try {
    const identity = await together(pool, prepare);
    if (identity !== undefined) {
      assertReadable(identity.form, location.name);
      const path = `${journalPath}.${identity.id}`;
      return new PostgresSegments(pool, location, path, identity, options.clock);
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  await pool.end();
  return undefined;
}

/** Makes what runs statements on a connection, with `$1` and so on for each `?`. */
function queriesOn(client: Awaited<ReturnType<ConnectionPool['connect']>>): RunQuery {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    let count = 0;
    const numbered = text.replaceAll('?', () => `$${++count}`);
    return (await client.query(numbered, values)).rows as readonly Row[];
  };
}

/** Lends a connection. */
async function using<T>(pool: ConnectionPool, work: (run: RunQuery) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(queriesOn(client));
  } finally {
    client.release();
  }
}

/** In a transaction: all of it or nothing. */
function together<T>(pool: ConnectionPool, work: (run: RunQuery) => Promise<T>): Promise<T> {
  return using(pool, async (run) => {
    try {
      await run('begin');
      const result = await work(run);
      await run('commit');
      return result;
    } catch (error) {
      await run('rollback').catch(() => {});
      throw error;
    }
  });
}

const prefix = 'record_';

/** Segments in a table with a partition for each month, in UTC, of their first rows. */
class PostgresSegments extends SqlSegments implements SegmentStore {
  readonly journalPath: string;
  readonly #pool: ConnectionPool;
  readonly #location: PostgresLocation;
  readonly #clock: Pick<Clock, 'now'>;
  clockOffsetMs: number | undefined;

  constructor(
    pool: ConnectionPool,
    location: PostgresLocation,
    journalPath: string,
    { form, hasSigns }: { readonly form: number; readonly hasSigns: boolean },
    clock: Pick<Clock, 'now'>,
    // One statement is a transaction by itself.
    run: RunQuery = (text, values) => using(pool, (run) => run(text, values)),
  ) {
    super(run, prefix, '0', form, hasSigns);
    this.#pool = pool;
    this.#location = location;
    this.#clock = clock;
    this.journalPath = journalPath;
  }

  /** Processes of other machines have chains too, whose journals are there. */
  async newChain(): Promise<number> {
    const [row] = await this.run<{ chain: number }>('insert into record_chain default values returning chain');
    return row!.chain;
  }

  fill(...[content, check]: Parameters<SegmentStore['fill']>): Promise<void> {
    return together(this.#pool, async (run) => {
      const numbered = 'overriding system value';
      for (const chain of content.chains) await run(`insert into record_chain ${numbered} values (?)`, [chain]);
      const lastHold = await this.fillTables(run, content.tables, numbered);
      const lasts = {
        chain: Math.max(0, ...content.chains),
        run: Number(content.tables.run.at(-1)?.[0]),
        hold: lastHold,
      };
      for (const [name, last] of Object.entries(lasts)) {
        const column = name === 'hold' ? 'id' : name;
        if (last > 0) await run('select setval(pg_get_serial_sequence(?, ?), ?)', [prefix + name, column, last]);
      }
      for await (const segment of content.segments) {
        await makeMonth(run, monthOf(segment.firstAt));
        await run(insertSegment, [...valuesOf(segment), segment.data]);
      }
      const identity = { form: recordForm, hasSigns: true };
      await check(new PostgresSegments(this.#pool, this.#location, this.journalPath, identity, this.#clock, run));
    });
  }

  /** Can be repeated: an answer that is lost on its way does not show whether they are stored. */
  async append(segments: readonly Segment[]): Promise<void> {
    const first = segments[0];
    if (first === undefined) return;
    await together(this.#pool, async (run) => {
      // Only one at a time: a copy of this machine has the same chain.
      await run('select 1 from record_chain where chain = ? for update', [first.chain]);
      const head = (await headOfChain(run, prefix, first.chain)) ?? chainStart;
      const missing = segments.filter(({ number }) => number > head.number);
      if (!head.hash.equals(missing[0]?.previous ?? segments.at(-1)!.hash))
        throw chainEndsElsewhere({ chain: first.chain, name: this.#location.name });
      for (const month of new Set(missing.map(({ firstAt }) => monthOf(firstAt)))) await makeMonth(run, month);
      for (const segment of missing) await run(insertSegment, [...valuesOf(segment), segment.data]);
      await run('delete from record_journal where chain = ?', [first.chain]);
    });
  }

  override async sign(sign: Sign, part?: Parameters<SegmentStore['sign']>[1]): Promise<void> {
    const insert =
      'insert into record_journal values (?, ?, ?) on conflict (chain, place) do update set data = excluded.data';
    if (part !== undefined) await this.run(insert, [sign.chain, part.place, part.data]);
    await super.sign(sign);
    await this.#compareClocks();
  }

  /** The server read its clock about halfway between question and answer. */
  async #compareClocks(): Promise<void> {
    const askedAt = this.#clock.now();
    const [row] = await this.run<{ at: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as at');
    this.clockOffsetMs = (askedAt + this.#clock.now()) / 2 - row!.at;
  }

  override async signOff(chain: number): Promise<void> {
    await this.run('delete from record_journal where chain = ?', [chain]);
    await super.signOff(chain);
  }

  async journal(chain: number): Promise<Buffer> {
    if (!this.hasSigns) return Buffer.alloc(0);
    const query = 'select data from record_journal where chain = ? order by place';
    return Buffer.concat((await this.run<Pick<Segment, 'data'>>(query, [chain])).map(({ data }) => data));
  }

  /** Whole months: to drop a partition costs nothing, whatever is in it. */
  deletableBefore(before: EpochMs): EpochMs {
    return monthStart(monthOf((before - lastHourMs) as EpochMs));
  }

  async delete(deletions: readonly Deletion[]): Promise<void> {
    await together(this.#pool, async (run) => {
      await deleteSegments(run, deletions);
      for (const deletion of deletions) await take(run, this.enter('deletion', JSON.stringify(deletion)));
    });
  }

  protected atOnce<Result>(steps: Steps<Result>): Promise<Result> {
    return together(this.#pool, (run) => take(run, steps));
  }

  async chains(): Promise<readonly number[]> {
    const query = `select chain from record_chain
      where exists (select from record_segment where record_segment.chain = record_chain.chain) order by chain`;
    return (await this.run<{ chain: number }>(query)).map(({ chain }) => chain);
  }

  async segment(chain: number, number: number): Promise<Segment | undefined> {
    const query = `select ${this.columns}, data from record_segment where chain = ? and number = ?`;
    const [row] = await this.run<SegmentRow & Pick<Segment, 'data'>>(query, [chain, number]);
    return row && { ...headOf(row), data: row.data };
  }

  async slices(slices: readonly Slice[]): Promise<readonly Uint8Array[]> {
    const query = `select substring(data from slice.start + 1 for slice.bytes) as data
      from unnest(?::bigint[], ?::integer[], ?::integer[]) with ordinality as slice (number, start, bytes, place)
      join record_segment on chain = ? and record_segment.number = slice.number order by slice.place`;
    const bytes = slices.map(({ start, end }) => end - start);
    const chain = slices[0]?.head.chain ?? 0;
    const asked = [slices.map(({ head }) => head.number), slices.map(({ start }) => start), bytes, chain];
    const rows = await this.run<Pick<Segment, 'data'>>(query, asked);
    if (rows.length < slices.length) throw new RangeError(`chain ${chain} of the record lacks segments`);
    return rows.map(({ data }) => data);
  }

  async isMoved(): Promise<boolean> {
    const id = this.journalPath.split('.').at(-1)!;
    return (await this.run('select 1 from record_identity where id = ?', [id])).length === 0;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** Takes steps while nobody else writes to the ledger. */
async function take<Result>(run: RunQuery, steps: Steps<Result>): Promise<Result> {
  await run('lock table record_ledger in exclusive mode');
  let step = steps.next([]);
  while (step.done !== true) step = steps.next((await run(...step.value)) as readonly never[]);
  return step.value;
}

const insertSegment = `insert into record_segment (${headColumns}, data)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function chainEndsElsewhere(values: StoreErrorValues['unexpected.chain']) {
  const { chain, name } = values;
  const message =
    `Chain ${chain} of the record in ${name} does not end where this process left it. ` +
    'Is this machine a copy of another one, or was the database restored? ' +
    'Restart the service, on a copy without the journals.';
  return new StoreError('unexpected.chain', values, message);
}
