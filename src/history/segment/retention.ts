import type { EpochMs } from '../../ground/clock.ts';
import type { SegmentHead } from './segment.ts';
import type { Deletion, RecordHold, SegmentStore } from './segment-store.ts';

/**
 * Deletes what is older, in blocks from one keyframe to the next: what stays can be read without what goes. A block
 * that a hold touches stays whole. Of a process that died for good the sign of life goes too, with the copy of its
 * journal.
 *
 * @returns what was deleted: blocks that follow each other are one deletion
 */
export async function prune(store: SegmentStore, before: EpochMs): Promise<Deletion[]> {
  const holds = await store.holds();
  const bound = store.deletableBefore(before);
  const deletions: Deletion[] = [];
  for (const chain of await store.chains()) {
    const keyframes = await store.heads({ kinds: ['keyframe'], chain });
    for (const [index, first] of keyframes.entries()) {
      const next = keyframes[index + 1];
      if (next === undefined || next.firstAt > before) continue;
      if (first.firstAt >= bound) continue;
      if (isHeld(first, next, holds)) continue;
      const deletion = deletionOf(first, next);
      const last = deletions.at(-1);
      const isNext = last?.chain === chain && last.last + 1 === deletion.first;
      if (isNext) deletions.splice(-1, 1, { ...deletion, first: last.first });
      else deletions.push(deletion);
    }
  }
  if (deletions.length > 0) await store.delete(deletions);
  for (const { chain, at } of (await store.signs()) ?? []) {
    if (at < before && !holds.some(({ from }) => from <= at)) await store.signOff(chain);
  }
  return deletions;
}

function isHeld(first: SegmentHead, next: SegmentHead, holds: readonly RecordHold[]): boolean {
  return holds.some(({ from, to }) => from <= next.firstAt && to > first.firstAt);
}

function deletionOf(first: SegmentHead, next: SegmentHead): Deletion {
  const last = next.number - 1;
  const hash = next.previous.toString('hex');
  return { chain: first.chain, first: first.number, last, hash, until: next.firstAt };
}
