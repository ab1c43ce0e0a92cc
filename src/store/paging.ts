import { yieldToEvents } from './store-context.ts';

/** A part of a list. */
export interface Page<Item, Position> {
  readonly items: readonly Item[];
  /**
   * Where the next page begins; `undefined` after the last one. A page of a search can be short although there is one.
   */
  readonly next: Position | undefined;
}

/** A place in a list that is ordered by instant and id. Rows made later never move it. */
export interface ListPosition {
  readonly atMs: number;
  readonly id: string;
}

export interface PageOptions<Position> {
  /** Rows wanted. */
  readonly limit: number;
  /** Where the page before ended; the first page when left out. */
  readonly after?: Position | undefined;
}

/** A list that is read page by page. */
export interface PagedList<Row, Position> extends PageOptions<Position> {
  /** The next rows in the order of the list, at most `count`. */
  read(after: Position | undefined, count: number): Promise<readonly Row[]>;
  positionOf(row: Row): Position;
}

export interface Search<Row> {
  /** The text that was typed. An empty one matches every row. */
  readonly query: string | undefined;
  withId(id: string): Promise<readonly Row[]>;
  matches(row: Row, query: string): boolean;
}

const rowsPerStep = 1_000;
const stepsMax = 50;

/** One page: `limit` rows, and one more that tells whether there is a next page. */
export async function readPage<Row, Position>(list: PagedList<Row, Position>): Promise<Page<Row, Position>> {
  const { limit, after, read, positionOf } = list;
  const rows = await read(after, limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? positionOf(last) : undefined };
}

/** One page of the row whose whole id the query is, or else of the rows that match it. */
export async function searchPage<Row, Position>(
  list: PagedList<Row, Position>,
  { query, withId, matches }: Search<Row>,
): Promise<Page<Row, Position>> {
  const wanted = query?.trim() ?? '';
  if (wanted === '') return readPage(list);
  const found = await withId(wanted);
  if (found.length > 0) return { items: list.after === undefined ? found : [], next: undefined };
  return scanPage(list, (row) => matches(row, wanted));
}

/**
 * A search that no index helps with. Looks through at most 50,000 rows in steps of 1,000 and lets other work run in
 * between: a search among a million rows comes back early, with fewer rows than wanted and a place to continue from.
 */
export async function scanPage<Row, Position>(
  { limit, after, read, positionOf }: PagedList<Row, Position>,
  matches: (row: Row) => boolean,
): Promise<Page<Row, Position>> {
  const items: Row[] = [];
  let place = after;
  for (let step = 0; step < stepsMax; step++) {
    const rows = await read(place, rowsPerStep);
    for (const row of rows) {
      if (matches(row)) {
        if (items.length === limit) return { items, next: place };
        items.push(row);
      }
      place = positionOf(row);
    }
    if (rows.length < rowsPerStep) return { items, next: undefined };
    await yieldToEvents();
  }
  return { items, next: place };
}

export function mapPage<Row, Item, Position>(
  page: Page<Row, Position>,
  toItem: (row: Row) => Item,
): Page<Item, Position> {
  return { items: page.items.map(toItem), next: page.next };
}
