import type { EpochMs } from '../../clock.ts';
import type { ChainHead, Segment, SegmentHead } from './segment.ts';
import type { Deletion, Hold, Run, SegmentQuery, Sign } from './segment-store.ts';

/** All columns but the data and its place. */
export const headColumns =
  'chain, number, run, kind, first_ms, last_ms, count, low_request, high_request, keyframe, hash, previous, bytes';

export type SqlValue = string | number | Uint8Array;

/** Runs a statement with `?` for each value. Rejects with the engine's error, or `StoreError`. */
export type RunQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** A segment as both engines keep it. */
export interface SegmentRow extends Omit<SegmentHead, 'firstAt' | 'lastAt' | 'requests' | 'hash' | 'previous'> {
  readonly first_ms: EpochMs;
  readonly last_ms: EpochMs;
  readonly low_request: number;
  readonly high_request: number;
  readonly hash: Uint8Array;
  readonly previous: Uint8Array;
}

/** The queries that are the same on both engines. */
export abstract class SqlSegments {
  protected readonly run: RunQuery;
  readonly #prefix: string;
  readonly #columns: string;
  protected readonly hasSigns: boolean;

  /**
   * @param prefix what the names of the tables begin with
   * @param place where the data of a segment is, in SQL
   * @param hasSigns whether there are the tables of versions that give signs
   */
  constructor(run: RunQuery, prefix: string, place: string, hasSigns: boolean) {
    this.run = run;
    this.#prefix = prefix;
    this.#columns = `${headColumns}, ${place} as place`;
    this.hasSigns = hasSigns;
  }

  async addRun({ chain, startedAt, requestKey }: Omit<Run, 'run'>): Promise<number> {
    const insert = `insert into ${this.#prefix}run (chain, started_ms, request_key) values (?, ?, ?) returning run`;
    const [row] = await this.run<Pick<Run, 'run'>>(insert, [chain, startedAt, requestKey]);
    return row!.run;
  }

  async addHold({ from, to, reason }: Omit<Hold, 'id'>): Promise<number> {
    const insert = `insert into ${this.#prefix}hold (from_ms, to_ms, reason) values (?, ?, ?) returning id`;
    const [row] = await this.run<Pick<Hold, 'id'>>(insert, [from, to, reason]);
    return row!.id;
  }

  async releaseHold(id: number): Promise<boolean> {
    return (await this.run(`delete from ${this.#prefix}hold where id = ? returning id`, [id])).length === 1;
  }

  head(chain: number): Promise<ChainHead | undefined> {
    return headOfChain(this.run, this.#prefix, chain);
  }

  async heads(query: SegmentQuery): Promise<readonly SegmentHead[]> {
    const { where, values } = conditionsOf(query);
    const rows = await this.run<SegmentRow>(`select ${this.#columns} from ${this.#prefix}segment ${where}`, values);
    return rows.map(headOf);
  }

  runs(): Promise<readonly Run[]> {
    const columns = 'run, chain, started_ms as "startedAt", request_key as "requestKey"';
    return this.run<Run>(`select ${columns} from ${this.#prefix}run order by run`);
  }

  holds(): Promise<readonly Hold[]> {
    const columns = 'id, from_ms as "from", to_ms as "to", reason';
    return this.run<Hold>(`select ${columns} from ${this.#prefix}hold order by id`);
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

  deletions(chain: number): Promise<readonly Deletion[]> {
    const columns = 'chain, first, last, hash, until_ms as until';
    return this.run<Deletion>(`select ${columns} from ${this.#prefix}deletion where chain = ? order by first`, [chain]);
  }
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
  ];
}

/** Which rows a query wants and in which order, with `?` in the place of each value. */
function conditionsOf(query: SegmentQuery): { readonly where: string; readonly values: readonly SqlValue[] } {
  const conditions: string[] = [`kind in (${query.kinds.map(() => '?').join(', ')})`];
  const values: SqlValue[] = [...query.kinds];
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
  add('number > ?', query.afterNumber);
  add('low_request <= ?', query.request);
  add('high_request >= ?', query.request);
  const direction = query.backwards === true ? 'desc' : 'asc';
  const order = `order by chain, ${query.byTime === true ? `last_ms ${direction}, ` : ''}number ${direction}`;
  const limit = query.limit === undefined ? '' : ` limit ${query.limit}`;
  return { where: `where ${conditions.join(' and ')} ${order}${limit}`, values };
}

export function headOf({ first_ms, last_ms, low_request, high_request, ...row }: SegmentRow): SegmentHead {
  return {
    ...row,
    firstAt: first_ms,
    lastAt: last_ms,
    requests: { low: low_request, high: high_request },
    hash: Buffer.from(row.hash),
    previous: Buffer.from(row.previous),
  };
}
