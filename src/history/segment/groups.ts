import { ByteReader, ByteWriter, signed, unsigned } from './bytes.ts';
import { compress, decompress } from './columns.ts';

/**
 * The first byte of every segment: how the rest is written. 2: columns by their positions; 3: with a table of their
 * codes.
 */
const format = 3;
const oldestFormat = 2;

/** An index above this is compressed: it has names that no keyframe knows. Else that would cost its readers more. */
const plainIndexBytesMax = 16_384;

/** Encodes a group of subjects. */
export interface GroupEncoder<Row> {
  /**
   * Subjects of a group: one is read by decompressing its group alone, larger ones compress better. `undefined`: all in
   * one, where rows are few.
   */
  readonly subjectsPerGroup: number | undefined;
  /** The codes of the columns that it writes, in their order. */
  readonly columns: readonly number[];
  encode(subjects: readonly (readonly Row[])[], names: NameWriter): Buffer;
  /** Bytes that every group needs. */
  readonly extra?: Uint8Array;
}

/** One subject and how many rows it has. */
interface Subject {
  readonly name: string;
  readonly count: number;
}

/** Whether the rows of a subject are to be read. */
export type IsWanted = (subject: string) => boolean;

/** A part of the bytes of a segment, from the first on, before the second. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

interface GroupRange extends ByteRange {
  readonly subjects: readonly Subject[];
}

/** The rows of some subjects, and what is needed to decode them. */
export interface Group {
  readonly subjects: readonly Subject[];
  readonly bytes: Uint8Array;
  /** The codes of its columns; `undefined` in a segment of format 2. */
  readonly columns: readonly number[] | undefined;
  readonly names: readonly string[];
  readonly extra: Uint8Array;
  readonly isWanted: IsWanted;
}

/** Makes rows of a group again, or what gives them, for each subject that is wanted. */
export type GroupDecoder<Found> = (group: Group) => Found[];

/** Sorts rows by subject, so that what resembles each other is side by side: a converted market and its origin. */
export function encodeGrouped<Row>(
  rows: readonly Row[],
  subjectOf: (row: Row) => string,
  base: readonly string[],
  { encode, columns, extra = Buffer.alloc(0), ...encoder }: GroupEncoder<Row>,
): Buffer {
  if (rows.length === 0) return Buffer.alloc(0);
  const bySubject = Map.groupBy(rows, subjectOf);
  const subjects = [...bySubject.keys()].sort();
  const subjectsPerGroup = encoder.subjectsPerGroup ?? subjects.length;
  const names = new NameWriter(base);
  for (const subject of subjects) names.indexOf(subject);
  const groups: Buffer[] = [];
  for (let start = 0; start < subjects.length; start += subjectsPerGroup) {
    const some = subjects.slice(start, start + subjectsPerGroup).map((subject) => bySubject.get(subject)!);
    groups.push(encode(some, names));
  }
  const index = new ByteWriter();
  index.count(subjectsPerGroup);
  index.count(subjects.length);
  for (const subject of subjects) index.count(bySubject.get(subject)!.length);
  for (const part of [extra, ...groups]) index.count(part.length);
  for (const value of [columns.length, ...columns]) index.count(value);
  names.write(index);
  const isCompressed = index.length > plainIndexBytesMax;
  const written = isCompressed ? compress(index.bytes()) : index.bytes();
  const head = new ByteWriter();
  head.byte(format);
  head.byte(isCompressed ? 1 : 0);
  head.count(written.length);
  return Buffer.concat([head.bytes(), written, extra, ...groups]);
}

/** How many bytes the index of a segment takes. @param start its first bytes, 16 or more. Throws on something else */
export function indexBytesOf(start: Uint8Array): number {
  const reader = new ByteReader(start);
  const found = reader.byte();
  if (found > format || found < oldestFormat) {
    throw new RangeError(`a segment of format ${found}, which this version does not read`);
  }
  reader.byte();
  const length = reader.count();
  return reader.at + length;
}

/**
 * Reads the beginning of a segment: who is in it, and where. Throws on something else.
 *
 * @param start the bytes of a segment, up to the end of its index at least
 */
export function readIndex(start: Uint8Array, base: readonly string[]) {
  const indexBytes = indexBytesOf(start);
  const head = new ByteReader(start);
  const hasColumns = head.byte() >= 3;
  const isCompressed = head.byte() === 1;
  const written = head.raw(head.count());
  const index = new ByteReader(isCompressed ? decompress(written) : written);
  const subjectsPerGroup = index.count();
  const counts = index.counts(index.count());
  const lengths = index.counts(1 + Math.ceil(counts.length / subjectsPerGroup));
  const columns = hasColumns ? [...index.counts(index.count())] : undefined;
  const names = readNames(index, base);
  const extra = { start: indexBytes, end: indexBytes + lengths[0]! };
  return {
    names,
    extra,
    columns,
    /** Gives the groups that hold a subject that is wanted. */
    groups(isWanted: IsWanted) {
      const groups: GroupRange[] = [];
      let start = extra.end;
      for (let first = 0; first < counts.length; first += subjectsPerGroup) {
        const end = start + lengths[1 + first / subjectsPerGroup]!;
        const last = Math.min(first + subjectsPerGroup, counts.length);
        // The subjects are the first names.
        const some = names.slice(first, last);
        if (some.some(isWanted)) {
          groups.push({ start, end, subjects: some.map((name, at) => ({ name, count: counts[first + at]! })) });
        }
        start = end;
      }
      return groups;
    },
  };
}

/** Decodes a segment that is there as a whole. Throws on bytes that are something else. */
export function decodeGrouped<Found>(
  data: Uint8Array,
  base: readonly string[],
  decode: GroupDecoder<Found>,
  isWanted: IsWanted = everything,
): Found[] {
  if (data.length === 0) return [];
  const { names, extra, columns, groups } = readIndex(data, base);
  return groups(isWanted).flatMap(({ start, end, subjects }) =>
    decode({
      subjects,
      columns,
      names,
      isWanted,
      bytes: data.subarray(start, end),
      extra: data.subarray(extra.start, extra.end),
    }),
  );
}

export const everything: IsWanted = () => true;

/**
 * The texts that a segment's rows refer to by number. Those that its keyframe knows are written as references to it,
 * which cost next to nothing.
 */
export class NameWriter {
  readonly #base: ReadonlyMap<string, number>;
  readonly #indexes = new Map<string, number>();

  constructor(base: readonly string[]) {
    this.#base = indexesOf(base);
  }

  indexOf(text: string): number {
    return this.#indexes.getOrInsert(text, this.#indexes.size);
  }

  /** All names so far. */
  write(writer: ByteWriter): void {
    writer.count(this.#indexes.size);
    let last = -1;
    for (const text of this.#indexes.keys()) {
      const reference = this.#base.get(text);
      if (reference === undefined) {
        writer.count(0);
        writer.text(text);
      } else {
        writer.count(1 + unsigned(reference - last - 1));
        last = reference;
      }
    }
  }
}

/** Throws on bytes that are something else, and on a reference that the base does not have. */
export function readNames(reader: ByteReader, base: readonly string[]): string[] {
  const names: string[] = [];
  let last = -1;
  for (let count = reader.count(); count > 0; count--) {
    const code = reader.count();
    if (code === 0) names.push(reader.text());
    else {
      last += 1 + signed(code - 1);
      const name = base[last];
      if (name === undefined) throw new RangeError(`the keyframe has no name ${last}`);
      names.push(name);
    }
  }
  return names;
}

/** Kept for the last base: one keyframe serves many segments. */
let lastBase: { readonly base: readonly string[]; readonly indexes: ReadonlyMap<string, number> } | undefined;

function indexesOf(base: readonly string[]): ReadonlyMap<string, number> {
  if (lastBase?.base !== base) lastBase = { base, indexes: new Map(base.map((text, index) => [text, index])) };
  return lastBase.indexes;
}
