import { type ByteRange, everything, type GroupDecoder, type IsWanted, indexBytesOf, readIndex } from './groups.ts';
import { readKeyframe } from './keyframe.ts';
import type { Segment, SegmentHead } from './segment.ts';
import type { SegmentReader } from './segment-store.ts';

type Keyframe = ReturnType<typeof readKeyframe>;

/** More than the index of a segment usually takes, and all of a small one. */
const firstBytes = 32_768;
/** Segments that are read together: few questions to a database that is elsewhere. */
const segmentsPerRead = 32;

/** Decodes segments of a store, with the names of their keyframes. */
export class DecodedSegments {
  readonly #store: SegmentReader;
  /** The keyframe that was read last: it serves the segments of an hour. */
  #keyframe: { readonly of: string; readonly keyframe: Keyframe } | undefined;

  constructor(store: SegmentReader) {
    this.#store = store;
  }

  /**
   * Decodes segments of one chain in the order of their heads, reading of each only the groups that hold what is
   * wanted. The first is read alone, because it is often enough.
   */
  async *decoded<Found>(heads: readonly SegmentHead[], decode: GroupDecoder<Found>, isWanted: IsWanted) {
    const most = isWanted === everything ? 1 : segmentsPerRead;
    for (let from = 0, size = 1; from < heads.length; from += size, size = Math.min(2 * size, most)) {
      const some = heads.slice(from, from + size);
      const indexed = await this.#indexed(some, isWanted);
      const wanted = indexed.flatMap(({ head, start, index, groups }) =>
        (groups.length === 0 ? [] : [index.extra, ...groups])
          .filter(({ end }) => end > start.length)
          .map((range) => ({ head, ...range })),
      );
      const parts = (wanted.length === 0 ? [] : await this.#store.slices(wanted)).values();
      for (const { head, start, index, groups } of indexed) {
        if (groups.length === 0) continue;
        const { names, columns } = index;
        const bytesOf = (range: ByteRange) =>
          range.end > start.length ? parts.next().value! : start.subarray(range.start, range.end);
        const extra = bytesOf(index.extra);
        const each = groups.map(({ subjects, ...range }) => ({
          subjects,
          columns,
          names,
          extra,
          isWanted,
          bytes: bytesOf(range),
        }));
        yield { head, found: each.flatMap(decode) };
      }
    }
  }

  async #indexed(heads: readonly SegmentHead[], isWanted: IsWanted) {
    const starts = await this.#store.slices(heads.map((head) => ({ head, start: 0, end: firstBytes })));
    return Promise.all(
      heads.map(async (head, at) => {
        const start = starts[at]!;
        const end = indexBytesOf(start);
        const [whole] = end <= start.length ? [start] : await this.#store.slices([{ head, start: 0, end }]);
        const names = head.keyframe === 0 ? [] : (await this.keyframe(head.chain, head.keyframe)).names;
        const index = readIndex(whole!, names);
        return { head, start, index, groups: index.groups(isWanted) };
      }),
    );
  }

  async keyframe(chain: number, number: number): Promise<Keyframe> {
    const of = `${chain} ${number}`;
    if (this.#keyframe?.of !== of)
      this.#keyframe = { of, keyframe: readKeyframe((await this.whole(chain, number)).data) };
    return this.#keyframe.keyframe;
  }

  /** Throws `RangeError` for one that is not there. */
  async whole(chain: number, number: number): Promise<Segment> {
    const segment = await this.#store.segment(chain, number);
    if (segment === undefined) throw new RangeError(`the record has no segment ${number} in chain ${chain}`);
    return segment;
  }
}
