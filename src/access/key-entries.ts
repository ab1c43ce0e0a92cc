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
const factWords = 4;
/** The state is the usable bit above the limit (0: none of its own). */
const inFacts = { state: 0, expiryHigh: 1, expiryLow: 2, round: 3 } as const;
const segmentBits = 16;
const segmentMask = (1 << segmentBits) - 1;
const slotsPerSegment = 1 << segmentBits;
const usableBit = 0x8000_0000;
const limitMask = 0x000f_ffff;
const twoTo32 = 2 ** 32;
/** No instant has this. */
const neverHigh = 0xffff_ffff;
const idLength = 16;
/** Ids as the store makes them are kept as their 16 bytes; any other id, from another program, as a string. */
const ownId = /^key_([\x20-\x7e]{16})$/;

/** Everything about 65,536 keys: 64 bytes each, in memory that threads can share. */
export interface KeySegment {
  readonly digests: Uint32Array<SharedArrayBuffer>;
  readonly facts: Uint32Array<SharedArrayBuffer>;
  readonly ids: Uint8Array<SharedArrayBuffer>;
}

/**
 * Rows by slot number, in segments, so that growing neither copies what is there nor pauses. Slot 0 is
 * a decoy that is never usable: a look-up that finds nothing reads it instead, and takes as long.
 *
 * One thread writes, what may be read at the time with `Atomics`, so that nothing of a change is seen before its beginning
 * (`WriteSequence`). Any thread that was given the segments may read.
 */
export class KeyEntries {
  readonly #segments: KeySegment[];
  /** `#segments[n].ids`, read as text. */
  readonly #ids: Buffer<SharedArrayBuffer>[];
  readonly #otherIds: Map<number, string>;

  constructor(segments: readonly KeySegment[] = [newSegment()], otherIds: Iterable<readonly [number, string]> = []) {
    this.#segments = [...segments];
    this.#ids = segments.map(({ ids }) => Buffer.from(ids.buffer, ids.byteOffset, ids.length));
    this.#otherIds = new Map(otherIds);
  }

  get segments(): readonly KeySegment[] {
    return this.#segments;
  }

  /** Ids that are not of the store's own form. */
  get otherIds(): ReadonlyMap<number, string> {
    return this.#otherIds;
  }

  /** Makes room for the slot. Returns the segment that had to be added, and its index. */
  grow(slot: number): { readonly index: number; readonly segment: KeySegment } | undefined {
    const index = slot >>> segmentBits;
    if (index < this.#segments.length) return undefined;
    const segment = newSegment();
    this.adopt(index, segment);
    return { index, segment };
  }

  /** Takes over a segment that another thread made. */
  adopt(index: number, segment: KeySegment): void {
    const { ids } = segment;
    this.#segments[index] = segment;
    this.#ids[index] = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
  }

  clear(slot: number): void {
    this.#store(slot, inFacts.state, 0);
    this.#otherIds.delete(slot);
  }

  /** For a slot that is not in the index: nobody reads there yet. */
  writeDigest(slot: number, words: Uint32Array): void {
    this.#segment(slot).digests.set(words, (slot & segmentMask) * digestWords);
  }

  write(slot: number, entry: KeyEntry): void {
    const { expiresAt, keyId } = entry;
    this.#store(slot, inFacts.expiryHigh, expiresAt === undefined ? neverHigh : Math.floor(expiresAt / twoTo32));
    this.#store(slot, inFacts.expiryLow, expiresAt === undefined ? 0 : expiresAt % twoTo32);
    this.#store(slot, inFacts.state, stateOf(entry));
    const own = ownId.exec(keyId)?.[1];
    this.setOtherId(slot, own === undefined ? keyId : undefined);
    if (own !== undefined) this.#idsOf(slot).write(own, (slot & segmentMask) * idLength, idLength, 'latin1');
  }

  /** Whether the slot holds just this already. */
  holds(slot: number, entry: KeyEntry): boolean {
    const expiry = entry.expiresAt ?? Number.POSITIVE_INFINITY;
    const isSame = this.#load(slot, inFacts.state) === stateOf(entry) && this.#expiryOf(slot) === expiry;
    return isSame && this.idOf(slot) === entry.keyId;
  }

  /** @param id `undefined` when the slot's id is of the store's own form */
  setOtherId(slot: number, id: string | undefined): void {
    if (id === undefined) this.#otherIds.delete(slot);
    else this.#otherIds.set(slot, id);
  }

  isUsable(slot: number, now: EpochMs): boolean {
    return this.#load(slot, inFacts.state) >>> 31 === 1 && now < this.#expiryOf(slot);
  }

  limitOf(slot: number): number | undefined {
    return this.#load(slot, inFacts.state) & limitMask || undefined;
  }

  idOf(slot: number): string {
    const start = (slot & segmentMask) * idLength;
    return this.#otherIds.get(slot) ?? `key_${this.#idsOf(slot).toString('latin1', start, start + idLength)}`;
  }

  /** The round in which the slot was last found to be held. For its writer alone. */
  roundOf(slot: number): number {
    return this.#load(slot, inFacts.round);
  }

  setRound(slot: number, round: number): void {
    this.#segment(slot).facts[(slot & segmentMask) * factWords + inFacts.round] = round;
  }

  /** `undefined` for a slot in a segment that this thread was not given yet. */
  firstWord(slot: number): number | undefined {
    return this.#segments[slot >>> segmentBits]?.digests[(slot & segmentMask) * digestWords];
  }

  /** Compares all eight words whatever they hold. */
  hasDigest(slot: number, words: Uint32Array): boolean {
    const { digests } = this.#segment(slot);
    const start = (slot & segmentMask) * digestWords;
    let difference = 0;
    for (let index = 0; index < digestWords; index++) difference |= digests[start + index]! ^ words[index]!;
    return difference === 0;
  }

  #expiryOf(slot: number): number {
    const high = this.#load(slot, inFacts.expiryHigh);
    return high === neverHigh ? Number.POSITIVE_INFINITY : high * twoTo32 + this.#load(slot, inFacts.expiryLow);
  }

  #load(slot: number, fact: number): number {
    return this.#segment(slot).facts[(slot & segmentMask) * factWords + fact]!;
  }

  #store(slot: number, fact: number, value: number): void {
    Atomics.store(this.#segment(slot).facts, (slot & segmentMask) * factWords + fact, value);
  }

  #segment(slot: number): KeySegment {
    return this.#segments[slot >>> segmentBits]!;
  }

  #idsOf(slot: number): Buffer {
    return this.#ids[slot >>> segmentBits]!;
  }
}

function stateOf({ usable, limitPerMinute }: KeyEntry): number {
  return ((usable ? usableBit : 0) | ((limitPerMinute ?? 0) & limitMask)) >>> 0;
}

function newSegment(): KeySegment {
  return {
    digests: new Uint32Array(new SharedArrayBuffer(slotsPerSegment * digestWords * 4)),
    facts: new Uint32Array(new SharedArrayBuffer(slotsPerSegment * factWords * 4)),
    ids: new Uint8Array(new SharedArrayBuffer(slotsPerSegment * idLength)),
  };
}
