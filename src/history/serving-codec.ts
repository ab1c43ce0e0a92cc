import type { EpochMs } from '../clock.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { ColumnsReader, ColumnsWriter, compress, decompress } from './columns.ts';
import { decodeGrouped, encodeGrouped, type GroupDecoder } from './groups.ts';
import type { NameWriter } from './names.ts';
import type { ServingRow } from './rows.ts';

/** `lag`: from the request's instant to the position; `among`: which of the requests of its millisecond it was. */
const columns = { asked: 0, lag: 1, sub: 2, route: 3, symbol: 4, status: 5, text: 6, feedAge: 7, among: 8 } as const;
const columnCount = 9;
const subjectsPerGroup = 256;

/**
 * Keys poll in a rhythm, so that rows by key have small differences. The request's number is nearly a function of its
 * instant: a table for the whole segment has the first number of each millisecond.
 *
 * @param base the names that the reader will know from the keyframe
 */
export function encodeServings(rows: readonly ServingRow[], base: readonly string[]): Buffer {
  const firstRequests = firstRequestsOf(rows);
  return encodeGrouped(rows, ({ keyId }) => keyId, base, {
    subjectsPerGroup,
    encode: (keys, names) => encodeGroup(keys, names, firstRequests),
    extra: writeFirstRequests(firstRequests),
  });
}

/** Gives the rows again, key by key. */
export function decodeServings(data: Uint8Array, base: readonly string[]): ServingRow[] {
  return decodeGrouped(data, base, decodeKeys).flatMap((key) => key.rows());
}

/** The lowest request number by millisecond. */
function firstRequestsOf(rows: readonly ServingRow[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { askedAt, request } of rows) {
    const known = first.get(askedAt);
    if (known === undefined || request < known) first.set(askedAt, request);
  }
  return new Map([...first].sort(([one], [other]) => one - other));
}

function writeFirstRequests(firstRequests: ReadonlyMap<number, number>): Buffer {
  const [instants, requests] = [new ByteWriter(), new ByteWriter()];
  let [lastAt, lastRequest] = [0, 0];
  for (const [at, request] of firstRequests) {
    instants.difference(at - lastAt);
    requests.difference(request - lastRequest);
    [lastAt, lastRequest] = [at, request];
  }
  const head = new ByteWriter();
  head.count(firstRequests.size);
  return compress(Buffer.concat([head.bytes(), instants.bytes(), requests.bytes()]));
}

/** Finds the lowest request number of a millisecond. */
class FirstRequests {
  readonly #instants: Float64Array;
  readonly #requests: Float64Array;

  constructor(compressed: Uint8Array) {
    const reader = new ByteReader(decompress(compressed));
    const count = reader.count();
    this.#instants = reader.cumulated(count);
    this.#requests = reader.cumulated(count);
  }

  at(instant: number): number {
    let [low, high] = [0, this.#instants.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#instants[middle]! < instant) low = middle + 1;
      else high = middle;
    }
    return this.#requests[low]!;
  }
}

function encodeGroup(
  keys: readonly (readonly ServingRow[])[],
  names: NameWriter,
  firstRequests: ReadonlyMap<number, number>,
): Buffer {
  const writer = new ColumnsWriter(columnCount);
  for (const rows of keys) {
    let lastAskedAt = 0;
    for (const row of rows) {
      writer.column(columns.asked).difference(row.askedAt - lastAskedAt);
      writer.column(columns.lag).difference(row.at - row.askedAt);
      writer.column(columns.sub).count(row.sub);
      writer.column(columns.route).count(names.indexOf(row.route));
      writer.column(columns.symbol).count(names.indexOf(row.symbol));
      writer.column(columns.status).count(row.status);
      writer.column(columns.text).count(names.indexOf(row.text));
      writer.column(columns.feedAge).difference(row.feedAgeMs);
      writer.column(columns.among).count(row.request - firstRequests.get(row.askedAt)!);
      lastAskedAt = row.askedAt;
    }
  }
  return writer.compressed();
}

/** The keys of a group that are wanted, column by column: rows are made of them where somebody asks for them. */
export const decodeKeys: GroupDecoder<KeyRows> = ({ subjects, bytes, names, extra, isWanted }) => {
  const reader = new ColumnsReader(bytes, columnCount);
  const firstRequests = firstRequestsIn(extra);
  const keys = subjects.map(({ name, count }) => new KeyRows(name, count, names, reader, firstRequests));
  return keys.filter(({ keyId }) => isWanted(keyId));
};

/** Kept for the last table: it serves all groups of a segment. */
let lastTable: { readonly extra: Uint8Array; readonly firstRequests: FirstRequests } | undefined;

function firstRequestsIn(extra: Uint8Array): FirstRequests {
  if (lastTable?.extra !== extra) lastTable = { extra, firstRequests: new FirstRequests(extra) };
  return lastTable.firstRequests;
}

/** The rows of a key in a segment, in their order. */
class KeyRows {
  readonly keyId: string;
  readonly #names: readonly string[];
  readonly #firstRequests: FirstRequests;
  readonly #columns: Readonly<Record<keyof typeof columns, Float64Array>>;

  constructor(
    keyId: string,
    count: number,
    names: readonly string[],
    reader: ColumnsReader,
    firstRequests: FirstRequests,
  ) {
    this.keyId = keyId;
    this.#names = names;
    this.#firstRequests = firstRequests;
    const counts = (column: number) => reader.column(column).counts(count);
    const differences = (column: number) => reader.column(column).differences(count);
    this.#columns = {
      asked: reader.column(columns.asked).cumulated(count),
      lag: differences(columns.lag),
      sub: counts(columns.sub),
      route: counts(columns.route),
      symbol: counts(columns.symbol),
      status: counts(columns.status),
      text: counts(columns.text),
      feedAge: differences(columns.feedAge),
      among: counts(columns.among),
    };
  }

  rows(): ServingRow[] {
    return Array.from(this.#columns.asked, (_, index) => this.#row(index));
  }

  /** The row with this request number. */
  withRequest(request: number): ServingRow | undefined {
    const { asked } = this.#columns;
    for (let index = 0; index < asked.length; index++) if (this.#request(index) === request) return this.#row(index);
    return undefined;
  }

  #request(index: number): number {
    return this.#firstRequests.at(this.#columns.asked[index]!) + this.#columns.among[index]!;
  }

  #row(index: number): ServingRow {
    const value = (column: keyof typeof columns) => this.#columns[column][index]!;
    const name = (column: keyof typeof columns) => this.#names[value(column)]!;
    const askedAt = value('asked') as EpochMs;
    return {
      at: (askedAt + value('lag')) as EpochMs,
      sub: value('sub'),
      keyId: this.keyId,
      askedAt,
      route: name('route'),
      symbol: name('symbol'),
      status: value('status'),
      text: name('text'),
      feedAgeMs: value('feedAge'),
      request: this.#request(index),
    };
  }
}
