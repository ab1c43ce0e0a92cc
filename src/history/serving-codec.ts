import type { EpochMs } from '../clock.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { ColumnsReader, ColumnsWriter, compress, decompress } from './columns.ts';
import { encodeGrouped, type Group, readGrouped } from './groups.ts';
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
  return encodeGrouped(
    rows,
    ({ keyId }) => keyId,
    base,
    (names) => ({ names, subjectsPerGroup, encode: (keys) => encodeGroup(keys, names, firstRequests) }),
    writeFirstRequests(firstRequests),
  );
}

/**
 * Gives the rows again, key by key.
 *
 * @param only of this key alone
 */
export function decodeServings(data: Uint8Array, base: readonly string[], only?: string): ServingRow[] {
  const grouped = readGrouped(data, base);
  const firstRequests = readFirstRequests(grouped.extra);
  return [...grouped.groups(only)].flatMap((group) => decodeGroup(group, grouped.names, firstRequests, only));
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

function readFirstRequests(compressed: Uint8Array): Map<number, number> {
  const reader = new ByteReader(decompress(compressed));
  const count = reader.count();
  let last = 0;
  const cumulate = () => {
    last += reader.difference();
    return last;
  };
  const instants = Array.from({ length: count }, cumulate);
  last = 0;
  return new Map(instants.map((at) => [at, cumulate()]));
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

function decodeGroup(
  { subjects, bytes }: Group,
  names: readonly string[],
  firstRequests: ReadonlyMap<number, number>,
  only: string | undefined,
): ServingRow[] {
  const reader = new ColumnsReader(bytes, columnCount);
  const name = (column: number) => names[reader.column(column).count()]!;
  const decoded: ServingRow[] = [];
  for (const { name: keyId, count } of subjects) {
    let askedAt = 0;
    for (let index = 0; index < count; index++) {
      askedAt += reader.column(columns.asked).difference();
      const row: ServingRow = {
        at: (askedAt + reader.column(columns.lag).difference()) as EpochMs,
        sub: reader.column(columns.sub).count(),
        keyId,
        askedAt: askedAt as EpochMs,
        route: name(columns.route),
        symbol: name(columns.symbol),
        status: reader.column(columns.status).count(),
        text: name(columns.text),
        feedAgeMs: reader.column(columns.feedAge).difference(),
        request: firstRequests.get(askedAt)! + reader.column(columns.among).count(),
      };
      if (only === undefined || only === keyId) decoded.push(row);
    }
    if (only === keyId) break;
  }
  return decoded;
}
