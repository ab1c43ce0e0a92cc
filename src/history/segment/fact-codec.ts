import type { EpochMs } from '../../ground/clock.ts';
import { byPosition, codesOf, encodeTable, tableReader } from './columns.ts';
import { decodeGrouped, encodeGrouped, type GroupDecoder } from './groups.ts';
import { type FactRow, factKinds } from './rows.ts';

/** The columns: position, kind, and the texts. */
const table = { at: 'cumulated', sub: 'count', kind: 'count', text: 'text' } as const;
const subjectsPerGroup = 64;

/** Needs no names: texts are long, and differ. */
export function encodeFacts(rows: readonly FactRow[]): Buffer {
  const encode = (subjects: readonly (readonly FactRow[])[]) =>
    encodeTable(table, subjects, {
      at: ({ at }) => at,
      sub: ({ sub }) => sub,
      kind: ({ kind }) => factKinds.indexOf(kind),
      text: ({ text }) => text,
    });
  return encodeGrouped(rows, ({ subject }) => subject, [], { subjectsPerGroup, columns: codesOf(table), encode });
}

/** Gives the rows again, subject by subject. */
export function decodeFacts(data: Uint8Array): FactRow[] {
  return decodeGrouped(data, [], decodeFactGroup);
}

/** The facts of the subjects that are wanted. */
export const decodeFactGroup: GroupDecoder<FactRow> = ({ subjects, bytes, columns = byPosition(4), isWanted }) => {
  const reader = tableReader(table, bytes, columns);
  return subjects.flatMap(({ name: subject, count }) => {
    const { at, sub, kind, text } = reader.next(count);
    if (!isWanted(subject)) return [];
    return text.map((json, index): FactRow => {
      const position = { at: at[index] as EpochMs, sub: sub[index]! };
      return { ...position, kind: factKinds[kind[index]!]!, subject, text: json };
    });
  });
};
