import { inOrder, isBefore, type RecordPosition } from '../segment/rows.ts';

/** Gives the rows of streams, each in order, in one order, with a batch of each stream in memory. */
export async function* merged<Row extends RecordPosition>(
  streams: readonly AsyncGenerator<Row[]>[],
): AsyncGenerator<Row[]> {
  const waiting = streams.map((stream) => ({ stream, rows: [] as Row[] }));
  for (;;) {
    for (const each of waiting) {
      for (let next: IteratorResult<Row[]>; each.rows.length === 0; each.rows = next.value) {
        next = await each.stream.next();
        if (next.done === true) break;
      }
    }
    const open = waiting.filter(({ rows }) => rows.length > 0);
    if (open.length === 0) return;
    // What comes next of a stream is after its last.
    const ends = open.map(({ rows }) => rows.at(-1)!);
    const end = ends.reduce((first, row) => (isBefore(row, first) ? row : first));
    yield inOrder(
      open.flatMap(({ rows }) => {
        const after = rows.findIndex((row) => isBefore(end, row));
        return rows.splice(0, after === -1 ? rows.length : after);
      }),
    );
  }
}
