import type { KeyEntries } from './key-entries.ts';

/** Where the slots of digests are, in memory that threads can share. */
export type DigestPlaces = Uint32Array<SharedArrayBuffer>;

const initialCapacity = 1 << 10;

/**
 * From a digest to the slot that holds it: open addressing with linear probing over slot numbers, at most two thirds
 * full. The digests themselves stay in `KeyEntries`. A digest is uniform already, so that its first word is the hash.
 */
export class DigestIndex {
  readonly #entries: KeyEntries;
  /** Slot numbers; 0 is an empty place (slot 0 is the decoy). */
  #places: DigestPlaces;
  #size = 0;

  /** @param places of another thread's index, to look slots up in it; this one then changes nothing */
  constructor(entries: KeyEntries, places: DigestPlaces = newPlaces(initialCapacity)) {
    this.#entries = entries;
    this.#places = places;
  }

  get places(): DigestPlaces {
    return this.#places;
  }

  /** Takes over the larger places that another thread made. */
  adopt(places: DigestPlaces): void {
    this.#places = places;
  }

  get size(): number {
    return this.#size;
  }

  /** The slot that holds the digest, or 0, the decoy. Either way at least one whole digest was compared. */
  find(words: Uint32Array): number {
    const places = this.#places;
    const mask = places.length - 1;
    const first = words[0]!;
    for (let place = first & mask; ; place = (place + 1) & mask) {
      const slot = places[place]!;
      if (slot === 0 || this.#entries.firstWord(slot) === first) {
        if (this.#entries.hasDigest(slot, words) || slot === 0) return slot;
      }
    }
  }

  /** Adds a slot whose digest is written and not in the index yet, for which there has to be room (`reserve`). */
  add(slot: number): void {
    place(this.#places, this.#entries, slot);
    this.#size++;
  }

  /** Takes the slot out. Later places move up, so that no probe meets a gap. */
  remove(slot: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let gap = this.#entries.firstWord(slot)! & mask;
    while (places[gap] !== slot) gap = (gap + 1) & mask;
    for (let place = (gap + 1) & mask; places[place] !== 0; place = (place + 1) & mask) {
      const home = this.#entries.firstWord(places[place]!)! & mask;
      const stays = gap < place ? gap < home && home <= place : gap < home || home <= place;
      if (stays) continue;
      Atomics.store(places, gap, places[place]!);
      gap = place;
    }
    Atomics.store(places, gap, 0);
    this.#size--;
  }

  /**
   * Makes room for so many digests at once. Growing to a million moves them all, which takes some tens of milliseconds.
   * The places from before are never written to again: who still looks there finds what was there then.
   *
   * @param made told of larger places before anything is looked up in them
   */
  reserve(count: number, made: (places: DigestPlaces) => void = () => {}): void {
    let capacity = this.#places.length;
    while (count * 3 > capacity * 2) capacity *= 2;
    if (capacity === this.#places.length) return;
    const larger = newPlaces(capacity);
    for (const slot of this.#places) if (slot !== 0) place(larger, this.#entries, slot);
    made(larger);
    this.#places = larger;
  }

  /** Every slot, as they are at the time of the call, in no particular order. */
  slots(): Uint32Array {
    const slots = new Uint32Array(this.#size);
    let count = 0;
    for (const slot of this.#places) if (slot !== 0) slots[count++] = slot;
    return slots;
  }
}

function place(places: DigestPlaces, entries: KeyEntries, slot: number): void {
  const mask = places.length - 1;
  let at = entries.firstWord(slot)! & mask;
  while (places[at] !== 0) at = (at + 1) & mask;
  Atomics.store(places, at, slot);
}

function newPlaces(capacity: number): DigestPlaces {
  return new Uint32Array(new SharedArrayBuffer(capacity * Uint32Array.BYTES_PER_ELEMENT));
}
