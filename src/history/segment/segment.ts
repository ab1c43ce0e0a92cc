import { createHash } from 'node:crypto';
import type { EpochMs } from '../../clock.ts';

/**
 * Kinds of segments. A keyframe holds everything that was in force at its instant, and the names that those after it
 * use; `breaks` are the facts that say where the record begins, ends or has a gap.
 */
export const segmentKinds = ['quotes', 'facts', 'breaks', 'servings', 'keyframe'] as const;
export type SegmentKind = (typeof segmentKinds)[number];

/** A piece of the record before it is sealed: rows of one kind and one span. */
export interface SegmentContent {
  /** The process that wrote it: a new one for each start. */
  readonly run: number;
  readonly kind: SegmentKind;
  /** Positions of its first and last row; of a keyframe both are its instant. */
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  readonly count: number;
  /** The lowest and the highest request number of servings. 0 elsewhere. */
  readonly requests: { readonly low: number; readonly high: number };
  /** The number of the keyframe whose names it uses; 0 for none. */
  readonly keyframe: number;
  readonly data: Uint8Array;
}

/** A segment in the chain of those that one writer made, one after the other. */
export interface Segment extends SegmentContent {
  /** Which writer: several processes that share a store have a chain each. */
  readonly chain: number;
  /** 1, 2, 3 and so on, without a hole. */
  readonly number: number;
  /** SHA-256 over the one before, over what is said of this one, and over its data. */
  readonly hash: Buffer;
  readonly previous: Buffer;
}

/** Everything of a segment but its data. */
export type SegmentHead = Omit<Segment, 'data'> & {
  readonly bytes: number;
  /** Where its store has the data. */
  readonly place: number;
};

/** The end of a chain; for the first segment there is nothing before it. */
export interface ChainHead {
  readonly number: number;
  readonly hash: Buffer;
}

export const chainStart: ChainHead = { number: 0, hash: Buffer.alloc(32) };

/** Seals what follows the end of a chain, one after the other. */
export function sealed(contents: readonly SegmentContent[], chain: number, head: ChainHead): Segment[] {
  let last = head;
  return contents.map((content) => {
    const unsealed = { ...content, chain, number: last.number + 1, previous: last.hash };
    const segment = { ...unsealed, hash: hashOf(unsealed) };
    last = segment;
    return segment;
  });
}

/** Gives what the hash of a segment has to be. */
export function hashOf(segment: Omit<Segment, 'hash'>): Buffer {
  const { chain, number, run, kind, firstAt, lastAt, count, requests, keyframe, previous, data } = segment;
  const facts = [chain, number, run, kind, firstAt, lastAt, count, requests.low, requests.high, keyframe, data.length];
  return createHash('sha256')
    .update(previous)
    .update(`${facts.join(' ')}\n`)
    .update(data)
    .digest();
}
