import type { EpochMs } from '../../ground/clock.ts';
import { holdText, ledgerHash, runText } from './ledger.ts';
import { digestsForm } from './record-form.ts';
import type { ChainHead, Segment, SegmentHead, SideRows, SideTables } from './segment.ts';
import type { Deletion, LedgerEntry, LedgerKind, RecordHold, Run, SegmentQuery, Sign } from './segment-store.ts';

/** All columns but the data and its place. */
export const headColumns =
  'chain, number, run, kind, first_ms, last_ms, count, low_request, high_request, keyframe, hash, previous, bytes, ' +
  'digest, root';

export type SqlValue = string | number | Uint8Array | null;

/** Runs a statement with `?` for each value. Rejects with the engine's error, or `StoreError`. */
export type RunQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Statements that belong together: each is yielded, and gets its rows. */
export type Steps<Result> = Generator<readonly [text: string, values: readonly SqlValue[]], Result, readonly never[]>;

type Hashes = 'hash' | 'previous' | 'digest' | 'root';

/** A segment as both engines keep it. */
export interface SegmentRow extends Omit<SegmentHead, 'firstAt' | 'lastAt' | 'requests' | Hashes> {
  readonly first_ms: EpochMs;
  readonly last_ms: EpochMs;
  readonly low_request: number;
  readonly high_request: number;
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
  readonly digest: Uint8Array | null;
  readonly root: Uint8Array | null;
}

/** The queries that are the same on both engines. */
export abstract class SqlSegments {
  protected readonly run: RunQuery;
  readonly #prefix: string;
  protected readonly columns: string;
  readonly #runQuery: string;
  readonly #holdQuery: string;
  readonly #deletionQuery: string;
  protected readonly hasSigns: boolean;

  /**
   * @param prefix what the names of the tables begin with
   * @param place where the data of a segment is, in SQL
   * @param form of the record
   * @param hasSigns whether there are the tables of versions that give signs and keep a ledger
   */
  constructor(run: RunQuery, prefix: string, place: string, form: number, hasSigns: boolean) {
    this.run = run;
    this.#prefix = prefix;
    const absent = headColumns.replace('digest, root', 'null as digest, null as root');
    this.columns = `${form < digestsForm ? absent : headColumns}, ${place} as place`;
    this.#runQuery = `select run, chain, started_ms as "startedAt", request_key as "requestKey"
      from ${prefix}run order by run`;
    this.#holdQuery = `select id, from_ms as "from", to_ms as "to", reason from ${prefix}hold order by id`;
    this.#deletionQuery = `select chain, first, last, hash, until_ms as until from ${prefix}deletion`;
    this.hasSigns = hasSigns;
  }

  /** Does all of it or nothing, while nobody else writes to the ledger. */
  protected abstract atOnce<Result>(steps: Steps<Result>): Promise<Result>;

  async addRun(run: Omit<Run, 'run'>): Promise<number> {
    const insert = `insert into ${this.#prefix}run (chain, started_ms, request_key) values (?, ?, ?) returning run`;
    const values = [run.chain, run.startedAt, run.requestKey];
    const textOf = (made: Pick<Run, 'run'>) => runText({ ...run, ...made });
    return (await this.atOnce(this.#change(insert, values, 'run', textOf)))!.run;
  }

  async addHold(hold: Omit<RecordHold, 'id'>): Promise<number> {
    const insert = `insert into ${this.#prefix}hold (from_ms, to_ms, reason) values (?, ?, ?) returning id`;
    const textOf = (made: Pick<RecordHold, 'id'>) => holdText({ ...hold, ...made });
    return (await this.atOnce(this.#change(insert, [hold.from, hold.to, hold.reason], 'hold', textOf)))!.id;
  }

  async releaseHold(id: number): Promise<boolean> {
    const remove = `delete from ${this.#prefix}hold where id = ? returning id`;
    return (await this.atOnce(this.#change(remove, [id], 'release', JSON.stringify))) !== undefined;
  }

  /** Changes a row, where there is one, and enters that. */
  *#change<Row>(
    sql: string,
    values: SqlValue[],
    kind: LedgerKind,
    textOf: (row: Row) => string,
  ): Steps<Row | undefined> {
    const [row] = yield* rowsOf<Row>(sql, values);
    if (row !== undefined) yield* this.enter(kind, textOf(row));
    return row;
  }

  addEntry(kind: 'seal' | 'stamp', value: object): Promise<void> {
    return this.atOnce(this.enter(kind, JSON.stringify(value)));
  }

  /** The first entry of all follows those of what versions without a ledger wrote. */
  protected *enter(kind: LedgerKind, text: string): Steps<void> {
    const query = `select number, hash from ${this.#prefix}ledger order by number desc limit 1`;
    let [last] = yield* rowsOf<Pick<LedgerEntry, 'number' | 'hash'>>(query);
    const known = last === undefined ? yield* this.#unentered() : [];
    const isKnown = known.some((entry) => entry[0] === kind && entry[1] === text);
    for (const entry of isKnown ? known : [...known, [kind, text] as const]) {
      last = { number: (last?.number ?? 0) + 1, hash: ledgerHash(last?.hash, ...entry) };
      yield [`insert into ${this.#prefix}ledger values (?, ?, ?, ?)`, [last.number, ...entry, last.hash]];
    }
  }

  *#unentered(): Steps<(readonly [LedgerKind, string])[]> {
    const deletions = yield* rowsOf<Deletion>(`${this.#deletionQuery} order by chain, first`);
    return [
      ...(yield* rowsOf<Run>(this.#runQuery)).map((run) => ['run', runText(run)] as const),
      ...(yield* rowsOf<RecordHold>(this.#holdQuery)).map((hold) => ['hold', holdText(hold)] as const),
      ...deletions.map((deletion) => ['deletion', JSON.stringify(deletion)] as const),
    ];
  }

  head(chain: number): Promise<ChainHead | undefined> {
    return headOfChain(this.run, this.#prefix, chain);
  }

  async heads(query: SegmentQuery): Promise<readonly SegmentHead[]> {
    const { where, values } = conditionsOf(query);
    const rows = await this.run<SegmentRow>(`select ${this.columns} from ${this.#prefix}segment ${where}`, values);
    return rows.map(headOf);
  }

  runs(): Promise<readonly Run[]> {
    return this.run<Run>(this.#runQuery);
  }

  holds(): Promise<readonly RecordHold[]> {
    return this.run<RecordHold>(this.#holdQuery);
  }

  async ledger(after = 0): Promise<readonly LedgerEntry[]> {
    if (!this.hasSigns) return [];
    const query = `select number, kind, text, hash from ${this.#prefix}ledger where number > ? order by number`;
    return this.run<LedgerEntry>(query, [after]);
  }

  async signs(): Promise<readonly Sign[] | undefined> {
    if (!this.hasSigns) return undefined;
    return this.run<Sign>(`select chain, at_ms as at from ${this.#prefix}sign order by chain`);
  }

  async sign({ chain, at }: Sign): Promise<void> {
    const insert = `insert into ${this.#prefix}sign (chain, at_ms) values (?, ?)`;
    await this.run(`${insert} on conflict (chain) do update set at_ms = excluded.at_ms`, [chain, at]);
  }

  async signOff(chain: number): Promise<void> {
    await this.run(`delete from ${this.#prefix}sign where chain = ?`, [chain]);
  }

  async rowsOf(table: keyof SideTables): Promise<SideRows> {
    if (!this.hasSigns && (table === 'sign' || table === 'ledger')) return [];
    const rows = await this.run<object>(`select * from ${this.#prefix}${table} order by 1, 2`);
    const asStored = (value: string | number | Uint8Array) => (typeof value === 'object' ? Buffer.from(value) : value);
    return rows.map((row) => Object.values(row).map(asStored));
  }

  /**
   * Writes the tables beside the segments.
   *
   * @param numbered what lets a row have its number already
   * @returns the last number of a hold
   */
  protected async fillTables(run: RunQuery, tables: SideTables, numbered = ''): Promise<number> {
    for (const [table, rows] of Object.entries(tables)) {
      for (const row of rows) {
        await run(`insert into ${this.#prefix}${table} ${numbered} values (${row.map(() => '?').join(', ')})`, row);
      }
    }
    // A released hold keeps its number: the ledger has it.
    const entered = tables.ledger
      .filter(([, kind]) => kind === 'hold')
      .map(([, , text]) => JSON.parse(String(text)).id);
    return Math.max(0, ...entered, ...tables.hold.map(([id]) => Number(id)));
  }

  deletions(chain: number): Promise<readonly Deletion[]> {
    return this.run<Deletion>(`${this.#deletionQuery} where chain = ? order by first`, [chain]);
  }
}

function* rowsOf<Row>(text: string, values: readonly SqlValue[] = []): Steps<readonly Row[]> {
  return yield [text, values];
}

export async function headOfChain(run: RunQuery, prefix: string, chain: number): Promise<ChainHead | undefined> {
  const query = `select number, hash from ${prefix}segment where chain = ? order by number desc limit 1`;
  const [last] = await run<Pick<SegmentRow, 'number' | 'hash'>>(query, [chain]);
  return last && { number: last.number, hash: Buffer.from(last.hash) };
}

/** The values of the head's columns. */
export function valuesOf({ requests, ...segment }: Segment): SqlValue[] {
  return [
    ...[segment.chain, segment.number, segment.run, segment.kind, segment.firstAt, segment.lastAt, segment.count],
    ...[requests.low, requests.high, segment.keyframe, segment.hash, segment.previous, segment.data.length],
    ...[segment.digest ?? null, segment.root ?? null],
  ];
}

/** Which rows a query wants and in which order, with `?` in the place of each value. */
function conditionsOf(query: SegmentQuery): { readonly where: string; readonly values: readonly SqlValue[] } {
  const bounds = {
    'chain = ?': query.chain,
    'run = ?': query.run,
    'last_ms >= ?': query.from,
    'first_ms < ?': query.to,
    'number < ?': query.beforeNumber,
    'number > ?': query.afterNumber,
    'low_request <= ?': query.request,
    'high_request >= ?': query.request,
  };
  const given = Object.entries(bounds).filter((bound): bound is [string, number] => bound[1] !== undefined);
  const conditions = [`kind in (${query.kinds.map(() => '?').join(', ')})`, ...given.map(([condition]) => condition)];
  const direction = query.backwards === true ? 'desc' : 'asc';
  const order = `order by chain, ${query.byTime === true ? `last_ms ${direction}, ` : ''}number ${direction}`;
  const limit = query.limit === undefined ? '' : ` limit ${query.limit}`;
  const values = [...query.kinds, ...given.map(([, value]) => value)];
  return { where: `where ${conditions.join(' and ')} ${order}${limit}`, values };
}

export function headOf(found: SegmentRow): SegmentHead {
  const { first_ms, last_ms, low_request, high_request, digest, root, ...row } = found;
  return {
    ...row,
    firstAt: first_ms,
    lastAt: last_ms,
    requests: { low: low_request, high: high_request },
    hash: Buffer.from(row.hash),
    previous: Buffer.from(row.previous),
    digest: digest === null ? undefined : Buffer.from(digest),
    root: root === null ? undefined : Buffer.from(root),
  };
}
