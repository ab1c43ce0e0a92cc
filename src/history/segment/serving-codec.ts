import type { EpochMs } from '../../ground/clock.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { byPosition, type Columns, codesOf, compress, decompress, encodeTable, tableReader } from './columns.ts';
import { decodeGrouped, encodeGrouped, type Group, type GroupDecoder } from './groups.ts';
import type { ServingRow } from './rows.ts';

/** `lag`: from the request's instant to the position; `among`: which of the requests of its millisecond it was. */
const table = {
  askedAt: 'cumulated',
  lag: 'difference',
  sub: 'count',
  route: 'count',
  symbol: 'count',
  status: 'count',
  text: 'count',
  feedAgeMs: 'difference',
  among: 'count',
} as const;
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
    columns: codesOf(table),
    encode: (keys, names) =>
      encodeTable(table, keys, {
        askedAt: ({ askedAt }) => askedAt,
        lag: ({ at, askedAt }) => at - askedAt,
        sub: ({ sub }) => sub,
        route: ({ route }) => names.indexOf(route),
        symbol: ({ symbol }) => names.indexOf(symbol),
        status: ({ status }) => status,
        text: ({ text }) => names.indexOf(text),
        feedAgeMs: ({ feedAgeMs }) => feedAgeMs,
        among: ({ request, askedAt }) => request - firstRequests.get(askedAt)!,
      }),
    extra: writeFirstRequests(firstRequests),
  });
}

/** Gives the rows again, key by key. */
export function decodeServings(data: Uint8Array, base: readonly string[]): ServingRow[] {
  return decodeGrouped(data, base, servingDecoder());
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
  const instants = new ByteWriter();
  const requests = new ByteWriter();
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

type FirstRequests = ReturnType<typeof readFirstRequests>;

/** Finds the lowest request number of a millisecond. */
function readFirstRequests(compressed: Uint8Array) {
  const reader = new ByteReader(decompress(compressed));
  const count = reader.count();
  const instants = reader.cumulated(count);
  const requests = reader.cumulated(count);
  const instantsFound = new Map<number, number | undefined>();
  return {
    at(instant: number): number {
      let [low, high] = [0, instants.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (instants[middle]! < instant) low = middle + 1;
        else high = middle;
      }
      return requests[low]!;
    },
    /** Gives the millisecond of which a request is the first; `undefined` where it is of none. */
    instantOf: (request: number) =>
      instantsFound.getOrInsertComputed(request, () => instants[requests.indexOf(request)]),
  };
}

/** Makes rows of the keys that are wanted. @param wanted a request number: of this one alone */
export function servingDecoder(wanted?: number): GroupDecoder<ServingRow> {
  return (group) => {
    const { subjects, bytes, columns: codes = byPosition(9), names, extra } = group;
    const firstRequests = firstRequestsIn(extra);
    const holder = wanted === undefined ? undefined : holderOf(wanted, group, firstRequests);
    const isWanted = wanted === undefined ? group.isWanted : (name: string) => name === holder;
    const last = subjects.findLastIndex(({ name }) => isWanted(name));
    if (last < 0) return [];
    const reader = tableReader(table, bytes, codes);
    const rows = subjects.slice(0, last + 1).flatMap(({ name, count }) => {
      if (isWanted(name)) return rowsOf(name, reader.next(count), names, firstRequests);
      reader.skip(count);
      return [];
    });
    return wanted === undefined ? rows : rows.filter(({ request }) => request === wanted);
  };
}

/** The key that has a request, found by two columns alone: one of many rows is wanted. */
function holderOf(wanted: number, group: Group, firstRequests: FirstRequests): string | undefined {
  const reader = tableReader(table, group.bytes, group.columns ?? byPosition(9));
  return group.subjects.find(({ count }) => {
    const askedAt = reader.only('askedAt', count);
    const among = reader.only('among', count);
    return among.some((nth, index) => firstRequests.instantOf(wanted - nth) === askedAt[index]);
  })?.name;
}

function rowsOf(
  keyId: string,
  columns: Columns<typeof table>,
  names: readonly string[],
  firstRequests: FirstRequests,
): ServingRow[] {
  return Array.from(columns.askedAt, (instant, index) => {
    const request = firstRequests.at(instant) + columns.among[index]!;
    const askedAt = instant as EpochMs;
    const name = (column: 'route' | 'symbol' | 'text') => names[columns[column][index]!]!;
    const served = { route: name('route'), symbol: name('symbol'), status: columns.status[index]!, text: name('text') };
    const position = { at: (askedAt + columns.lag[index]!) as EpochMs, sub: columns.sub[index]! };
    return { ...position, keyId, askedAt, ...served, feedAgeMs: columns.feedAgeMs[index]!, request };
  });
}

/** Kept for the last table: it serves all groups of a segment. */
let lastTable: { readonly extra: Uint8Array; readonly firstRequests: FirstRequests } | undefined;

function firstRequestsIn(extra: Uint8Array): FirstRequests {
  if (lastTable?.extra !== extra) lastTable = { extra, firstRequests: readFirstRequests(extra) };
  return lastTable.firstRequests;
}
