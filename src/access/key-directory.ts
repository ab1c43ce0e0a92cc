import type { EpochMs } from '../clock.ts';
import { hasKeyShape } from './api-key.ts';
import { DigestIndex, type DigestPlaces } from './digest-index.ts';
import { FreeSlots } from './free-slots.ts';
import { digestPresented, readDigest } from './key-digest-words.ts';
import { digestWords, KeyEntries, type KeyEntry, type KeySegment } from './key-entries.ts';
import { WriteSequence } from './write-sequence.ts';

export type { KeyEntry } from './key-entries.ts';

/** A key that may be used now. */
export interface KeyMatch {
  /** The key's own small number while it stays in the directory: what its counter is kept under. */
  readonly slot: number;
  /** `undefined`: the configured limit holds. */
  readonly limitPerMinute: number | undefined;
}

/** The part of the directory that a request needs. */
export interface KeyFinder {
  /**
   * The key, if it may be used at `now`. Whatever is wrong with it (its form, its checksum, unknown, disabled, revoked,
   * expired, an account that is not active), the same work is done: one digest of at most 42 characters and one look-up.
   */
  find(rawKey: string, now: EpochMs): KeyMatch | undefined;
  /** The id of the key in a slot, for logs and breaches. Ask in the same turn as `find`. */
  keyIdOf(slot: number): string;
}

/** What readers in other threads need, as it is at one moment; `KeyGrowth` then tells what is added. */
export interface KeyMemory {
  readonly sequence: Int32Array<SharedArrayBuffer>;
  readonly segments: readonly KeySegment[];
  readonly places: DigestPlaces;
  readonly otherIds: readonly (readonly [number, string])[];
}

/** What a directory's memory gained, told before any key is found by it. */
export type KeyGrowth =
  | { readonly kind: 'segment'; readonly index: number; readonly segment: KeySegment }
  | { readonly kind: 'places'; readonly places: DigestPlaces }
  /** A slot goes to another key, or has an id that the segments cannot hold. */
  | { readonly kind: 'slot'; readonly slot: number; readonly otherId: string | undefined };

/**
 * The digests of all keys, in memory: some 75 bytes a key (a `Map` takes 250), no database behind a
 * request. Its owner keeps it current (`KeyDirectoryLoader`). Other threads read the same memory (`KeyReader`).
 */
export class KeyDirectory implements KeyFinder {
  readonly #entries = new KeyEntries();
  readonly #index = new DigestIndex(this.#entries);
  readonly #sequence = new WriteSequence();
  readonly #free = new FreeSlots();
  readonly #slotTaken: (slot: number) => void;
  readonly #wanted = new Uint32Array(digestWords);
  #end = 1;
  #round = 0;
  #grown: (growth: KeyGrowth) => void = () => {};

  /** @param slotTaken told whenever a slot goes to a key, so that whatever was kept under it can be forgotten */
  constructor(slotTaken: (slot: number) => void = () => {}) {
    this.#slotTaken = slotTaken;
  }

  /** Keys held, usable or not. */
  get size(): number {
    return this.#index.size;
  }

  /** For readers in other threads that start now: `grown` has to reach them from now on. */
  memory(): KeyMemory {
    const { segments, otherIds } = this.#entries;
    return { sequence: this.#sequence.memory, segments, places: this.#index.places, otherIds: [...otherIds] };
  }

  /** @param grown told of all that the memory gains, before it is used; takes the place of the one before */
  tellGrowth(grown: (growth: KeyGrowth) => void): void {
    this.#grown = grown;
  }

  find(rawKey: string, now: EpochMs): KeyMatch | undefined {
    const hasShape = hasKeyShape(rawKey);
    digestPresented(rawKey, this.#wanted);
    const slot = this.#index.find(this.#wanted);
    const isUsable = this.#entries.isUsable(slot, now);
    return hasShape && isUsable ? { slot, limitPerMinute: this.#entries.limitOf(slot) } : undefined;
  }

  keyIdOf(slot: number): string {
    return this.#entries.idOf(slot);
  }

  /** The key of a digest, usable or not, as a request would find it; `undefined` for one that is not held. */
  matchOf(digest: Uint8Array): KeyMatch | undefined {
    readDigest(digest, this.#wanted);
    const slot = this.#index.find(this.#wanted);
    return slot === 0 ? undefined : { slot, limitPerMinute: this.#entries.limitOf(slot) };
  }

  /** Adds a key or replaces what is known of it; a known digest keeps its slot. Returns the slot. */
  upsert(entry: KeyEntry): number {
    readDigest(entry.digest, this.#wanted);
    const known = this.#index.find(this.#wanted);
    const slot = known === 0 ? this.#add(entry) : known;
    if (known !== 0 && !this.#entries.holds(known, entry)) this.#change(known, entry);
    this.#entries.setRound(slot, this.#round);
    return slot;
  }

  /** Forgets a digest. Returns whether it was there. */
  remove(digest: Uint8Array): boolean {
    readDigest(digest, this.#wanted);
    const slot = this.#index.find(this.#wanted);
    if (slot === 0) return false;
    this.#drop(slot);
    return true;
  }

  /** Makes room for so many keys in one go. */
  reserve(count: number): void {
    this.#index.reserve(count, (places) => this.#grown({ kind: 'places', places }));
  }

  /** Begins a complete load: every key that exists is now upserted once more. All keys stay usable meanwhile. */
  beginReload(): void {
    this.#round = (this.#round + 1) >>> 0;
  }

  /** Ends a complete load: forgets the keys that did not come up in it. */
  endReload(): void {
    for (const slot of this.#index.slots()) {
      if (this.#entries.roundOf(slot) !== this.#round) this.#drop(slot);
    }
  }

  /** The key whose digest is wanted. Until the index has its slot nobody reads there, and all is told before. */
  #add(entry: KeyEntry): number {
    const rested = this.#free.take();
    const slot = rested ?? this.#end++;
    const added = this.#entries.grow(slot);
    if (added !== undefined) this.#grown({ kind: 'segment', ...added });
    this.reserve(this.size + 1);
    this.#slotTaken(slot);
    this.#entries.writeDigest(slot, this.#wanted);
    this.#entries.write(slot, entry);
    const otherId = this.#entries.otherIds.get(slot);
    if (rested !== undefined || otherId !== undefined) this.#grown({ kind: 'slot', slot, otherId });
    this.#sequence.begin();
    try {
      this.#index.add(slot);
    } finally {
      this.#sequence.end();
    }
    return slot;
  }

  #change(slot: number, entry: KeyEntry): void {
    const idBefore = this.#entries.otherIds.get(slot);
    this.#sequence.begin();
    try {
      this.#entries.write(slot, entry);
    } finally {
      this.#sequence.end();
    }
    const otherId = this.#entries.otherIds.get(slot);
    if (otherId !== idBefore) this.#grown({ kind: 'slot', slot, otherId });
  }

  #drop(slot: number): void {
    this.#sequence.begin();
    try {
      this.#index.remove(slot);
      this.#entries.clear(slot);
    } finally {
      this.#sequence.end();
    }
    this.#free.add(slot);
  }
}
