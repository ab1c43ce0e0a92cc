import { ByteReader, ByteWriter } from './bytes.ts';
import { compress, decompress } from './columns.ts';
import { NameWriter, readNames } from './names.ts';

/** The first byte of every segment: how the rest is written. */
const format = 1;

/** What a group of subjects is encoded by. */
export interface GroupEncoder<Row> {
  /** Subjects of a group. Who reads one of them decodes its group alone; larger groups compress better. */
  readonly subjectsPerGroup: number;
  readonly names: NameWriter;
  encode(subjects: readonly (readonly Row[])[]): Buffer;
}

/** One subject and how many rows it has. */
interface Subject {
  readonly name: string;
  readonly count: number;
}

/** The rows of some subjects, compressed. */
export interface Group {
  readonly subjects: readonly Subject[];
  readonly bytes: Buffer;
}

/** A segment of rows by subject, each subject's in order. */
export interface Grouped {
  readonly names: readonly string[];
  /** Of all subjects, or the one that holds this subject alone; made as they are asked for. */
  groups(only?: string): Iterable<Group>;
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
  const { subjectsPerGroup } = encoder;
  for (let start = 0; start < subjects.length; start += subjectsPerGroup) {
    const some = subjects.slice(start, start + subjectsPerGroup);
    groups.push(encoder.encode(some.map((subject) => bySubject.get(subject)!)));
  }
  const head = new ByteWriter();
  head.byte(format);
  const parts = [names.compressed(), compress(counts.bytes()), Buffer.from(extra), ...groups];
  head.count(subjectsPerGroup);
  head.count(parts.length);
  for (const part of parts) head.count(part.length);
  return Buffer.concat([head.bytes(), ...parts]);
}

/** Throws on bytes that are something else. */
export function readGrouped(data: Uint8Array, base: readonly string[]): Grouped {
  const reader = new ByteReader(data);
  const found = reader.byte();
  if (found !== format) throw new RangeError(`a segment of format ${found}, which this version does not read`);
  const subjectsPerGroup = reader.count();
  const lengths = Array.from({ length: reader.count() }, () => reader.count());
  const [nameBytes, countBytes, extra, ...groups] = lengths.map((length) => reader.raw(length));
  if (nameBytes === undefined || countBytes === undefined || extra === undefined) throw new RangeError('no segment');
  const names = readNames(nameBytes, base);
  const counts = new ByteReader(decompress(countBytes));
  const perSubject = Array.from({ length: counts.count() }, () => counts.count());
  const groupAt = (index: number): Group => {
    const first = index * subjectsPerGroup;
    const some = perSubject.slice(first, first + subjectsPerGroup);
    return { bytes: groups[index]!, subjects: some.map((count, at) => ({ name: names[first + at]!, count })) };
  };
  return {
    names,
    extra,
    *groups(only) {
      // The subjects are the first names.
      const at = only === undefined ? -1 : names.indexOf(only);
      if (only === undefined) for (const index of groups.keys()) yield groupAt(index);
      else if (at !== -1 && at < perSubject.length) yield groupAt(Math.floor(at / subjectsPerGroup));
    },
  };
}
