import type { EpochMs } from '../clock.ts';
import { ColumnsReader, ColumnsWriter } from './columns.ts';
import { decodeGrouped, encodeGrouped, type GroupDecoder } from './groups.ts';
import { type FactRow, factKinds } from './rows.ts';

/** The columns: position, kind, and the texts. */
const columns = { at: 0, sub: 1, kind: 2, text: 3 } as const;
const columnCount = 4;
const subjectsPerGroup = 64;

/** Needs no names: texts are long, and differ. */
export function encodeFacts(rows: readonly FactRow[]): Buffer {
  return encodeGrouped(rows, ({ subject }) => subject, [], { subjectsPerGroup, encode: encodeGroup });
}

/** Gives the rows again, subject by subject. */
export function decodeFacts(data: Uint8Array): FactRow[] {
  return decodeGrouped(data, [], decodeFactGroup);
}

function encodeGroup(subjects: readonly (readonly FactRow[])[]): Buffer {
  const writer = new ColumnsWriter(columnCount);
  for (const facts of subjects) {
    let lastAt = 0;
    for (const { at, sub, kind, text } of facts) {
      writer.column(columns.at).difference(at - lastAt);
      writer.column(columns.sub).count(sub);
      writer.column(columns.kind).byte(factKinds.indexOf(kind));
      writer.column(columns.text).text(text);
      lastAt = at;
    }
  }
  return writer.compressed();
}

/** The facts of the subjects that are wanted. */
export const decodeFactGroup: GroupDecoder<FactRow> = ({ subjects, bytes, isWanted }) => {
  const reader = new ColumnsReader(bytes, columnCount);
  return subjects.flatMap(({ name: subject, count }) => {
    const at = reader.column(columns.at).cumulated(count);
    const sub = reader.column(columns.sub).counts(count);
    const kinds = reader.column(columns.kind).raw(count);
    const texts = Array.from(kinds, () => reader.column(columns.text).text());
    if (!isWanted(subject)) return [];
    return Array.from(kinds, (code, index): FactRow => {
      const position = { at: at[index] as EpochMs, sub: sub[index]! };
      return { ...position, kind: factKinds[code]!, subject, text: texts[index]! };
    });
  });
};
