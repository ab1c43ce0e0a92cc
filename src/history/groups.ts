import { ByteReader, ByteWriter } from './bytes.ts';
import { compress, decompress } from './columns.ts';
import { NameWriter, readNames } from './names.ts';

/** The first byte of every segment: how the rest is written. */
const format = 1;

/** Subjects of a group: a reader of one market decodes only its group, and a group is large enough to compress well. */
const subjectsPerGroup = 32;

/** What a group of subjects is encoded by. */
export interface GroupEncoder<Row> {
  readonly names: NameWriter;
  encode(subjects: readonly (readonly Row[])[]): Buffer;
}

/** One subject and how many rows it has. */
interface Subject {
  readonly name: string;
  readonly count: number;
}

/** A segment of rows by subject, each subject's in order, read lazily. */
export interface Grouped {
  readonly names: readonly string[];
  readonly groups: readonly { readonly subjects: readonly Subject[]; readonly bytes: Buffer }[];
  /** What the encoder added for the whole segment. */
  readonly extra: Buffer;
}

/** Sorts rows by subject, so that what resembles each other is side by side: a converted market and its origin. */
export function encodeGrouped<Row>(
  rows: readonly Row[],
  subjectOf: (row: Row) => string,
  base: readonly string[],
  encoderOf: (names: NameWriter) => GroupEncoder<Row>,
  extra: Uint8Array = Buffer.alloc(0),
): Buffer {
  const bySubject = Map.groupBy(rows, subjectOf);
  const subjects = [...bySubject.keys()].sort();
  const names = new NameWriter(base);
  for (const subject of subjects) names.indexOf(subject);
  const encoder = encoderOf(names);
  const groups: Buffer[] = [];
  const counts = new ByteWriter();
  counts.count(subjects.length);
  for (const subject of subjects) counts.count(bySubject.get(subject)!.length);
  for (let start = 0; start < subjects.length; start += subjectsPerGroup) {
    const some = subjects.slice(start, start + subjectsPerGroup);
    groups.push(encoder.encode(some.map((subject) => bySubject.get(subject)!)));
  }
  const head = new ByteWriter();
  head.byte(format);
  const parts = [names.compressed(), compress(counts.bytes()), Buffer.from(extra), ...groups];
  head.count(parts.length);
  for (const part of parts) head.count(part.length);
  return Buffer.concat([head.bytes(), ...parts]);
}

/** Throws on bytes that are something else. */
export function readGrouped(data: Uint8Array, base: readonly string[]): Grouped {
  const reader = new ByteReader(data);
  const found = reader.byte();
  if (found !== format) throw new RangeError(`a segment of format ${found}, which this version does not read`);
  const lengths = Array.from({ length: reader.count() }, () => reader.count());
  const [nameBytes, countBytes, extra, ...groups] = lengths.map((length) => reader.raw(length));
  if (nameBytes === undefined || countBytes === undefined || extra === undefined) throw new RangeError('no segment');
  const names = readNames(nameBytes, base);
  const counts = new ByteReader(decompress(countBytes));
  const subjects = Array.from({ length: counts.count() }, (_, index) => ({
    name: names[index]!,
    count: counts.count(),
  }));
  return {
    names,
    extra,
    groups: groups.map((bytes, index) => {
      const first = index * subjectsPerGroup;
      return { bytes, subjects: subjects.slice(first, first + subjectsPerGroup) };
    }),
  };
}
