import type { EpochMs } from '../../ground/clock.ts';
import { createIfMissing, lockForService } from '../../store/sqlite/file.ts';
import { isStoreError } from '../../store/store-error.ts';
import { skip } from '../query/verify.ts';
import { RecordReader } from '../reading/record-reader.ts';
import { readKeyframe } from '../segment/keyframe.ts';
import {
  type ChainHead,
  chainStart,
  hashOf,
  type Segment,
  type SegmentHead,
  segmentKinds,
} from '../segment/segment.ts';
import type { Deletion, SegmentReader } from '../segment/segment-store.ts';
import { ClickHouse, type ClickHouseLocation, type LedgerRow } from './clickhouse.ts';
import { type RowTable, rowTableNames } from './clickhouse-schema.ts';
import { bringUpToDate, makeTables } from './clickhouse-tables.ts';
import { ShipError, type ShipErrorValues } from './ship-error.ts';
import { instantOf, monthOf, type ShippedRows, shippedRowsOf } from './ship-rows.ts';

/**
 * Ships a record, and nothing while another process of this machine does. Rejects with `ShipError`.
 *
 * @param create whether to make tables that are missing; columns that tables lack are added in any case
 */
export async function shipTo(
  store: SegmentReader,
  location: ClickHouseLocation,
  create: boolean,
  options: ShipOptions,
): Promise<Shipped> {
  const release = lock(store.journalPath!);
  const target = new ClickHouse(location);
  try {
    if (create) await makeTables(target, options.keepForMs);
    else await bringUpToDate(target);
    return await new Shipping(store, target, options).ship();
  } finally {
    await target.close();
    release();
  }
}

/** Two would send the same rows in different batches. @param path of the record, or what its journals begin with */
function lock(path: string): () => void {
  createIfMissing(path);
  try {
    return lockForService(path);
  } catch (error) {
    throw isStoreError(error, 'in_use') ? shipRunning({ holder: error.values.holder }) : error;
  }
}

/** Counts of what was copied so far. */
export interface Shipped {
  segments: number;
  rows: Record<RowTable, number>;
  /** The end of the last segment. */
  until: EpochMs | undefined;
  /** Segments that retention deleted before they were copied. */
  lost: number;
}

export interface ShipOptions {
  /** Segments with a row from here on; `undefined`: what follows the last one that was shipped. */
  readonly from: EpochMs | undefined;
  /** Segments with a row before this; `undefined`: all. */
  readonly to: EpochMs | undefined;
  readonly now: EpochMs;
  /** Older rows would be deleted at once. */
  readonly keepForMs: number;
  readonly progress: (shipped: Shipped) => void;
}

const headsPerRead = 500;
const rowsPerBatchMax = 100_000;
const dayMs = 86_400_000;

/** Segments that are shipped together. */
interface Batch {
  readonly shippedAt: string;
  readonly segments: { readonly head: SegmentHead; readonly rows: ShippedRows | undefined }[];
}

/**
 * Copies sealed segments to ClickHouse, each row exactly once, however often it is stopped: a batch is written into the
 * ledger before and after its rows. One that was begun and not finished is sent again before anything else, with the
 * same deduplication token, and only those of its rows that are not there. No segment is sent whose hash is not the
 * sealed one.
 */
class Shipping {
  readonly #store: SegmentReader;
  readonly #target: ClickHouse;
  readonly #options: ShipOptions;
  readonly #shipped: Shipped = { segments: 0, rows: { quotes: 0, servings: 0, facts: 0 }, until: undefined, lost: 0 };
  #requestKeys = new Map<number, Uint8Array>();
  #names: { readonly of: string; readonly names: readonly string[] } | undefined;

  constructor(store: SegmentReader, target: ClickHouse, options: ShipOptions) {
    this.#store = store;
    this.#target = target;
    this.#options = options;
  }

  /** Rejects with `ShipError`; what was sent until then stays sent. */
  async ship(): Promise<Shipped> {
    this.#requestKeys = new Map((await this.#store.runs()).map(({ run, requestKey }) => [run, requestKey]));
    for (const chain of await this.#store.chains()) {
      await this.#finish(chain);
      await this.#shipChain(chain);
    }
    await this.#shipCoverage();
    return this.#shipped;
  }

  /**
   * Sends anew where the record is, because a process that comes back changes it; of days that retention left here
   * whole.
   */
  async #shipCoverage(): Promise<void> {
    const { now } = this.#options;
    const coverage = await new RecordReader(this.#store).coverage(now, true);
    const parts = coverage.parts({ from: 0, to: Infinity }).flatMap(({ chain, from, to }, index, all) => {
      const last = all[index - 1];
      const former = last?.to === from ? last.chain : 0;
      const end = to === Infinity ? dayAfter(Math.max(from, now)) : to;
      return daysIn(from, end).map((day, nth) => ({ ...day, chain, former: nth === 0 ? former : 0, reason: '' }));
    });
    const gaps = coverage.gaps.map((gap) => ({ from: gap.from, to: gap.to, reason: gap.reason }));
    const deletions = await Promise.all((await this.#store.chains()).map((chain) => this.#store.deletions(chain)));
    const whole = Math.max(0, ...deletions.flat().map(({ until }) => dayAfter(until)));
    const shippedAt = instantOf(now);
    const rows = [...parts, ...gaps].map(({ from, to, ...row }, place) => {
      const toAt = to === undefined ? null : instantOf(to);
      return { ...row, day: Math.floor(from / dayMs), place, fromAt: instantOf(from), toAt, shippedAt };
    });
    const kept = rows.filter(({ day }) => day * dayMs >= whole);
    if (kept.length > 0) await this.#target.insert('coverage', kept, `coverage-${shippedAt}`);
  }

  /** Sends the rest of a batch in which a ship was stopped. */
  async #finish(chain: number): Promise<void> {
    const unfinished = await this.#target.unfinished(chain);
    const first = unfinished[0];
    const last = unfinished.at(-1);
    if (first === undefined || last === undefined) return;
    const batch: Batch = { shippedAt: first.begunAt, segments: [] };
    const bounds = { afterNumber: first.number - 1, beforeNumber: last.number + 1 };
    const heads = await this.#store.heads({ kinds: segmentKinds, chain, ...bounds });
    for (const known of unfinished) {
      const head = heads.find(({ number }) => number === known.number);
      if (head === undefined) this.#shipped.lost++;
      else {
        assertSame(head, known);
        batch.segments.push({ head, rows: await this.#rowsOf(head) });
      }
    }
    if (batch.segments.length > 0) await this.#send(batch, true);
  }

  async #shipChain(chain: number): Promise<void> {
    const beforeNumber = await this.#endOf(chain);
    const start = await this.#startOf(chain);
    // What was deleted together can have been copied in part.
    const later = (await this.#store.deletions(chain)).filter((each) => each.last > start.number);
    const deletions = later.map((each) => ({ ...each, first: Math.max(each.first, start.number + 1) }));
    let last = start;
    const newBatch = (): Batch => ({ shippedAt: instantOf(this.#options.now), segments: [] });
    let batch = newBatch();
    for (;;) {
      const query = { kinds: segmentKinds, chain, afterNumber: last.number, beforeNumber, limit: headsPerRead };
      const heads = await this.#store.heads(query);
      if (heads.length === 0) break;
      const known = await this.#target.between(chain, heads[0]!.number, heads.at(-1)!.number);
      for (const head of heads) {
        this.#assertFollows(head, last, deletions);
        last = head;
        const shipped = known.find(({ number }) => number === head.number);
        if (shipped !== undefined) assertSame(head, shipped);
        else batch.segments.push({ head, rows: await this.#rowsOf(head) });
        if (rowsIn(batch) < rowsPerBatchMax && batch.segments.length < headsPerRead) continue;
        await this.#send(batch, false);
        batch = newBatch();
      }
    }
    if (batch.segments.length > 0) await this.#send(batch, false);
  }

  /** The end of what was shipped. Refuses a record that is not the one that was. */
  async #startOf(chain: number): Promise<ChainHead> {
    const { from } = this.#options;
    const shipped = await this.#target.lastOf(chain);
    const end = await this.#store.head(chain);
    if (shipped !== undefined && end !== undefined && end.number <= shipped.number) {
      if (end.number < shipped.number) throw recordEndsEarlier({ chain, number: shipped.number, end: end.number });
      assertSame({ chain, ...end }, shipped);
    }
    if (from !== undefined) {
      const [first] = await this.#store.heads({ kinds: segmentKinds, chain, from, limit: 1 });
      return first === undefined ? (end ?? chainStart) : { number: first.number - 1, hash: first.previous };
    }
    return shipped === undefined ? chainStart : { number: shipped.number, hash: Buffer.from(shipped.hash, 'hex') };
  }

  async #endOf(chain: number): Promise<number> {
    const { to } = this.#options;
    if (to === undefined) return Number.MAX_SAFE_INTEGER;
    const [last] = await this.#store.heads({ kinds: segmentKinds, chain, to, backwards: true, limit: 1 });
    return (last?.number ?? 0) + 1;
  }

  #assertFollows(head: SegmentHead, last: ChainHead, deletions: readonly Deletion[]): void {
    const skipped = skip(last.number, head.number, deletions);
    if (skipped === undefined) throw segmentMissing({ chain: head.chain, number: last.number + 1 });
    // What is sent from an earlier instant on can have been copied before it was deleted.
    if (this.#options.from === undefined) this.#shipped.lost += skipped.count;
    if (head.previous.equals(skipped.hash ?? last.hash)) return;
    throw segmentOutOfOrder({ chain: head.chain, number: head.number });
  }

  async #rowsOf(head: SegmentHead): Promise<ShippedRows | undefined> {
    const { chain, number, keyframe, run } = head;
    const segment = await this.#proven(chain, number);
    if (head.lastAt < this.#options.now - this.#options.keepForMs) return undefined;
    const names = keyframe === 0 ? [] : await this.#namesOf(chain, keyframe);
    return shippedRowsOf(segment, names, () => this.#requestKeys.get(run)!);
  }

  async #namesOf(chain: number, keyframe: number): Promise<readonly string[]> {
    const of = `${chain} ${keyframe}`;
    if (this.#names?.of !== of) {
      this.#names = { of, names: readKeyframe((await this.#proven(chain, keyframe)).data).names };
    }
    return this.#names.names;
  }

  async #proven(chain: number, number: number): Promise<Segment> {
    const segment = await this.#store.segment(chain, number);
    if (segment === undefined) throw segmentMissing({ chain, number });
    if (hashOf(segment).equals(segment.hash)) return segment;
    throw segmentChanged({ chain, number });
  }

  /** @param isBegun by a ship that was stopped: some of its rows can be there */
  async #send(batch: Batch, isBegun: boolean): Promise<void> {
    const { shippedAt, segments } = batch;
    const last = segments.at(-1)!.head;
    const token = `${last.chain}-${last.hash.toString('hex')}-${shippedAt}`;
    if (!isBegun) await this.#target.insert('segments', ledgerRows(batch, 0), `${token}-begun`);
    for (const table of rowTableNames) {
      const rows = segments.flatMap((each) => (each.rows?.table === table ? each.rows.rows : []));
      // A block lies in one partition.
      for (const [month, some] of Map.groupBy(rows, monthOf)) {
        const numbers = segments.filter((each) => each.rows?.table === table).map(({ head }) => head.number);
        const count = () => this.#target.rowsOf(table, month, last.chain, numbers);
        const before = isBegun ? await count() : 0;
        if (before === 0) await this.#target.insert(table, some, `${token}-${month}`);
        const found = before === 0 ? await count() : before;
        if (found === some.length) continue;
        throw rowsDiffer({
          table,
          chain: last.chain,
          found,
          expected: some.length,
          first: numbers[0]!,
          last: numbers.at(-1)!,
        });
      }
      this.#shipped.rows[table] += rows.length;
    }
    await this.#target.insert('segments', ledgerRows(batch, 1), `${token}-sent`);
    this.#shipped.segments += segments.length;
    this.#shipped.until = last.lastAt;
    this.#options.progress(this.#shipped);
  }
}

function dayAfter(at: number): number {
  return (Math.floor(at / dayMs) + 1) * dayMs;
}

/** Splits a span at the ends of days, in UTC. */
function daysIn(from: number, to: number): { from: number; to: number }[] {
  const end = Math.min(to, dayAfter(from));
  return end < to ? [{ from, to: end }, ...daysIn(end, to)] : [{ from, to }];
}

function rowsIn({ segments }: Batch): number {
  return segments.reduce((sum, { rows }) => sum + (rows?.rows.length ?? 0), 0);
}

function ledgerRows({ shippedAt, segments }: Batch, sent: 0 | 1) {
  return segments.map(({ head: { chain, number, kind, firstAt, lastAt, hash }, rows }) => ({
    chain,
    number,
    kind,
    firstAt: instantOf(firstAt),
    lastAt: instantOf(lastAt),
    sent,
    shippedAt,
    rows: rows?.rows.length ?? 0,
    hash: hash.toString('hex'),
  }));
}

function assertSame({ chain, number, hash }: ChainHead & { readonly chain: number }, shipped: LedgerRow): void {
  if (hash.toString('hex') !== shipped.hash) throw hashDiffers({ chain, number });
}

function shipRunning(values: ShipErrorValues['ship_running']) {
  return new ShipError('ship_running', values, `The record is being shipped already, by process ${values.holder}.`);
}

const databaseOfItsOwn =
  'A record needs a database of its own: name it in history.clickhouse.url. Was the record restored?';

function recordEndsEarlier(values: ShipErrorValues['record_differs.end']) {
  const { chain, number, end } = values;
  const message = `ClickHouse has segment ${number} of chain ${chain}, and here the chain ends with ${end}.`;
  return new ShipError('record_differs.end', values, `${message} ${databaseOfItsOwn}`);
}

function hashDiffers(values: ShipErrorValues['record_differs.hash']) {
  const { chain, number } = values;
  const message = `ClickHouse has segment ${number} of chain ${chain}, and here it has another hash.`;
  return new ShipError('record_differs.hash', values, `${message} ${databaseOfItsOwn}`);
}

function rowsDiffer(values: ShipErrorValues['record_differs.rows']) {
  const { chain, first, last, table, found, expected } = values;
  const message =
    `ClickHouse has ${found} of ${expected} rows of segments ${first} to ${last} of chain ${chain} in ${table}. ` +
    `Delete the rows of these segments there, in ${rowTableNames.join(', ')} and segments, and run it again.`;
  return new ShipError('record_differs.rows', values, message);
}

function segmentMissing(values: ShipErrorValues['segment_unproven.missing']) {
  return new ShipError('segment_unproven.missing', values, unproven(values, 'is missing in the record'));
}

function segmentOutOfOrder(values: ShipErrorValues['segment_unproven.order']) {
  return new ShipError('segment_unproven.order', values, unproven(values, 'does not follow the one before it'));
}

function segmentChanged(values: ShipErrorValues['segment_unproven.changed']) {
  return new ShipError('segment_unproven.changed', values, unproven(values, 'was changed after it was sealed'));
}

function unproven({ chain, number }: ShipErrorValues['segment_unproven.missing'], finding: string): string {
  return (
    `Segment ${number} of chain ${chain} ${finding}: it is not shipped, nor what follows it. ` +
    '`mdapi history verify` looks at all.'
  );
}
