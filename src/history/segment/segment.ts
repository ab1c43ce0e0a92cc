import { hash } from 'node:crypto';
import type { EpochMs } from '../../ground/clock.ts';

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
  /** SHA-256 of its data; `undefined` up to form 3 of the record. */
  readonly digest: Buffer | undefined;
  /** The root of the hash tree of its answers; `undefined` where it has none. */
  readonly root: Buffer | undefined;
  /** SHA-256 over the one before and over what is said of this one; up to form 3 over its data too. */
  readonly hash: Buffer;
  readonly previous: Buffer;
}

/** Everything of a segment but its data. */
export type SegmentHead = Omit<Segment, 'data'> & {
  readonly bytes: number;
  /** Where its store has the data. */
  readonly place: number;
};

/** Rows of a table beside the segments, with their values in the order of its columns. */
export type SideRows = readonly (readonly (string | number | Buffer)[])[];
export type SideTables = Readonly<Record<'run' | 'hold' | 'deletion' | 'sign' | 'ledger', SideRows>>;

/** The end of a chain; for the first segment there is nothing before it. */
export interface ChainHead {
  readonly number: number;
  readonly hash: Buffer;
}

export const chainStart: ChainHead = { number: 0, hash: Buffer.alloc(32) };

/** Seals what follows the end of a chain, one after the other. @param root of the tree of the answers among it */
export function sealed(contents: readonly SegmentContent[], chain: number, head: ChainHead, root?: Buffer): Segment[] {
  let last = head;
  return contents.map((content) => {
    const hashes = { digest: sha256(content.data), root: content.kind === 'servings' ? root : undefined };
    const unsealed = { ...content, ...hashes, chain, number: last.number + 1, previous: last.hash };
    const segment = { ...unsealed, hash: hashOf(unsealed) };
    last = segment;
    return segment;
  });
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  return hash('sha256', bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes), 'buffer');
}

/** Gives what the hash of a segment has to be. */
export function hashOf(segment: Omit<Segment, 'hash'>): Buffer {
  const { digest, previous, data } = segment;
  const said = { ...segment, bytes: data.length };
  if (digest === undefined) return sha256(previous, `${lineOf(said)}\n`, data);
  return sha256(previous, linkOf({ ...said, digest: sha256(data) }));
}

type Said = Omit<SegmentHead, 'hash' | 'previous' | 'place'>;

/** Everything that is said of a segment. */
export function lineOf({ requests, digest, root, ...said }: Said): string {
  const { chain, number, run, kind, firstAt, lastAt, count, keyframe, bytes } = said;
  const facts = [chain, number, run, kind, firstAt, lastAt, count, requests.low, requests.high, keyframe, bytes];
  return [...facts, digest?.toString('hex') ?? [], root?.toString('hex') ?? []].flat().join(' ');
}

/** Stands for a segment in its hash. */
export function linkOf(said: Said): Buffer {
  return sha256(lineOf(said));
}
