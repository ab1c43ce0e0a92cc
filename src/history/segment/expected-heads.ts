import { segmentKinds } from './segment.ts';
import type { SegmentReader } from './segment-store.ts';

/** A segment as it was, by what is known outside of the record. */
export interface ExpectedHead {
  readonly chain: number;
  readonly number: number;
  /** In hexadecimal digits. */
  readonly hash: string;
  /** The day whose seal says so. */
  readonly day?: string | undefined;
}

/** The first segment that is not as it was. */
export interface HeadFinding extends Omit<ExpectedHead, 'hash'> {
  /** `cut_off`: the chain ends before it. `exchanged`: another is in its place, or none. */
  readonly what: 'cut_off' | 'exchanged';
}

/**
 * Looks whether segments are still in the record. One that retention deleted still is, where its chain goes on behind
 * it.
 */
export async function headFinding(
  store: SegmentReader,
  expected: readonly ExpectedHead[],
): Promise<HeadFinding | undefined> {
  for (const { chain, number, hash, day } of expected) {
    const one = { kinds: segmentKinds, chain, afterNumber: number - 1, beforeNumber: number + 1 };
    const [found] = await store.heads(one);
    if (found?.hash.toString('hex') === hash) continue;
    const isBehind = ((await store.head(chain))?.number ?? 0) > number;
    const deletions = found === undefined && isBehind ? await store.deletions(chain) : [];
    const deletion = deletions.find(({ first, last }) => first <= number && number <= last);
    const isDeleted = deletion !== undefined && (deletion.last > number || deletion.hash === hash);
    if (isDeleted) continue;
    const what = found === undefined && !isBehind ? 'cut_off' : 'exchanged';
    return { chain, number, what, ...(day === undefined ? {} : { day }) };
  }
  return undefined;
}
