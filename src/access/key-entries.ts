import type { EpochMs } from '../clock.ts';

/** What a serving process must know of a key. */
export interface KeyEntry {
  /** SHA-256 of the key text, 32 bytes. */
  readonly digest: Uint8Array;
  readonly keyId: string;
  /** The key and its account are active. Expiry is apart: it comes by itself as time goes on. */
  readonly usable: boolean;
  /** The first instant at which the key is no longer valid; `undefined` for never. */
  readonly expiresAt: EpochMs | undefined;
  /** 1 to 1,000,000; `undefined`: the configured limit holds. */
  readonly limitPerMinute: number | undefined;
}

export const digestWords = 8;
const segmentBits = 16;
const segmentMask = (1 << segmentBits) - 1;
const slotsPerSegment = 1 << segmentBits;
const usableBit = 0x8000_0000;
const limitMask = 0x000f_ffff;
const idLength = 16;
/** Ids as the store makes them are kept as their 16 bytes; any other id, from another program, as a string. */
const ownId = /^key_([\x20-\x7e]{16})$/;

/** Everything about 65,536 keys: 64 bytes each, in memory that threads can share. */
interface Segment {
  readonly digests: Uint32Array<SharedArrayBuffer>;
  readonly expiries: Float64Array<SharedArrayBuffer>;
  /** The usable bit above the limit (0: none of its own). */
  readonly states: Uint32Array<SharedArrayBuffer>;
  readonly ids: Buffer<SharedArrayBuffer>;
  readonly rounds: Uint32Array<SharedArrayBuffer>;
}

/**
 * Rows by slot number, in segments, so that growing neither copies what is there nor pauses. Slot 0 is
 * a decoy that is never usable: a look-up that finds nothing reads it instead, and takes as long.
 */
export class KeyEntries {
  readonly #segments: Segment[] = [newSegment()];
  readonly #otherIds = new Map<number, string>();
  readonly #free: number[] = [];
  #end = 1;

  /** A slot that nobody uses. */
  allocate(): number {
    const slot = this.#free.pop() ?? this.#end++;
    if (slot >>> segmentBits === this.#segments.length) this.#segments.push(newSegment());
    return slot;
  }

  release(slot: number): void {
    this.#segment(slot).states[slot & segmentMask] = 0;
    this.#otherIds.delete(slot);
    this.#free.push(slot);
  }

  writeDigest(slot: number, words: Uint32Array): void {
    this.#segment(slot).digests.set(words, (slot & segmentMask) * digestWords);
  }

  write(slot: number, entry: KeyEntry, round: number): void {
    const segment = this.#segment(slot);
    const row = slot & segmentMask;
    segment.expiries[row] = entry.expiresAt ?? Number.POSITIVE_INFINITY;
    segment.states[row] = ((entry.usable ? usableBit : 0) | ((entry.limitPerMinute ?? 0) & limitMask)) >>> 0;
    segment.rounds[row] = round;
    this.#writeId(slot, entry.keyId);
  }

  isUsable(slot: number, now: EpochMs): boolean {
    const segment = this.#segment(slot);
    const row = slot & segmentMask;
    return segment.states[row]! >>> 31 === 1 && now < segment.expiries[row]!;
  }

  limitOf(slot: number): number | undefined {
    return this.#segment(slot).states[slot & segmentMask]! & limitMask || undefined;
  }

  idOf(slot: number): string {
    const start = (slot & segmentMask) * idLength;
    return this.#otherIds.get(slot) ?? `key_${this.#segment(slot).ids.toString('latin1', start, start + idLength)}`;
  }

  /** The round in which the slot was last written. */
  roundOf(slot: number): number {
    return this.#segment(slot).rounds[slot & segmentMask]!;
  }

  firstWord(slot: number): number {
    return this.#segment(slot).digests[(slot & segmentMask) * digestWords]!;
  }

  /** Compares all eight words whatever they hold. */
  hasDigest(slot: number, words: Uint32Array): boolean {
    const { digests } = this.#segment(slot);
    const start = (slot & segmentMask) * digestWords;
    let difference = 0;
    for (let index = 0; index < digestWords; index++) difference |= digests[start + index]! ^ words[index]!;
    return difference === 0;
  }

  #writeId(slot: number, id: string): void {
    const own = ownId.exec(id)?.[1];
    if (own === undefined) {
      this.#otherIds.set(slot, id);
      return;
    }
    this.#segment(slot).ids.write(own, (slot & segmentMask) * idLength, idLength, 'latin1');
    this.#otherIds.delete(slot);
  }

  #segment(slot: number): Segment {
    return this.#segments[slot >>> segmentBits]!;
  }
}

function newSegment(): Segment {
  return {
    digests: new Uint32Array(new SharedArrayBuffer(slotsPerSegment * digestWords * 4)),
    expiries: new Float64Array(new SharedArrayBuffer(slotsPerSegment * 8)),
    states: new Uint32Array(new SharedArrayBuffer(slotsPerSegment * 4)),
    ids: Buffer.from(new SharedArrayBuffer(slotsPerSegment * idLength)),
    rounds: new Uint32Array(new SharedArrayBuffer(slotsPerSegment * 4)),
  };
}
