import { otherWork } from './other-work.ts';

/** A search that no index helps with: which rows it looks at, and where it goes on. */
export interface Scan<Row, Position> {
  /** Rows wanted. */
  readonly limit: number;
  readonly after: Position | undefined;
  /** The next rows in the order of the list, at most `count`. */
  read(after: Position | undefined, count: number): Promise<readonly Row[]>;
  matches(row: Row): boolean;
  positionOf(row: Row): Position;
}

export interface Scanned<Row, Position> {
  readonly rows: readonly Row[];
  /** Where to go on; `undefined` when everything was looked at. */
  readonly next: Position | undefined;
}

const rowsPerStep = 1_000;
const stepsMax = 50;

/**
 * Looks through at most 50,000 rows in steps of 1,000 and lets other work have its turn in between: a search among a
 * million rows comes back early, with fewer rows than wanted and a place to go on from.
 */
export async function scan<Row, Position>(search: Scan<Row, Position>): Promise<Scanned<Row, Position>> {
  const { limit, read, matches, positionOf } = search;
  const found: Row[] = [];
  let after = search.after;
  for (let step = 0; step < stepsMax; step++) {
    const rows = await read(after, rowsPerStep);
    for (const row of rows) {
      if (matches(row)) {
        if (found.length === limit) return { rows: found, next: after };
        found.push(row);
      }
      after = positionOf(row);
    }
    if (rows.length < rowsPerStep) return { rows: found, next: undefined };
    await otherWork();
  }
  return { rows: found, next: after };
}

/** One page without a search: `limit` rows, and one more that tells whether there is a next page. */
export async function pageOf<Row, Position>(
  search: Omit<Scan<Row, Position>, 'matches'>,
): Promise<Scanned<Row, Position>> {
  const { limit, after, read, positionOf } = search;
  const rows = await read(after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > limit && last !== undefined ? positionOf(last) : undefined };
}
