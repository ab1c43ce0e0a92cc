import type { EpochMs } from '../clock.ts';
import { ColumnsReader, ColumnsWriter } from './columns.ts';
import { encodeGrouped, readGrouped } from './groups.ts';
import { type FactRow, factKinds } from './rows.ts';

/** The columns: position, kind, and the texts. */
const columns = { at: 0, sub: 1, kind: 2, text: 3 } as const;
const columnCount = 4;
const subjectsPerGroup = 64;

/** @param base the names that the reader will know from the keyframe */
export function encodeFacts(rows: readonly FactRow[], base: readonly string[]): Buffer {
  return encodeGrouped(
    rows,
    ({ subject }) => subject,
    base,
    (names) => ({
      names,
      subjectsPerGroup,
      encode(subjects) {
        const writer = new ColumnsWriter(columnCount);
        for (const facts of subjects) {
          let lastAt = 0;
          for (const { at, sub, kind, text } of facts) {
            writer.column(columns.at).difference(at - lastAt);
            writer.column(columns.sub).count(sub);
            writer.column(columns.kind).byte(factKinds.indexOf(kind));
            writer.column(columns.text).count(names.indexOf(text));
            lastAt = at;
          }
        }
        return writer.compressed();
      },
    }),
  );
}

/** Gives the rows again, subject by subject. */
export function decodeFacts(data: Uint8Array, base: readonly string[]): FactRow[] {
  const { names, groups } = readGrouped(data, base);
  return [...groups()].flatMap(({ bytes, subjects }) => {
    const reader = new ColumnsReader(bytes, columnCount);
    const decoded: FactRow[] = [];
    for (const { name: subject, count } of subjects) {
      let at = 0;
      for (let index = 0; index < count; index++) {
        at += reader.column(columns.at).difference();
        const sub = reader.column(columns.sub).count();
        const kind = factKinds[reader.column(columns.kind).byte()]!;
        decoded.push({ at: at as EpochMs, sub, kind, subject, text: names[reader.column(columns.text).count()]! });
      }
    }
    return decoded;
  });
}
