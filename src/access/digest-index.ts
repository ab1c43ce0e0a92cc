import type { KeyEntries } from './key-entries.ts';

const initialCapacity = 1 << 10;

/**
 * From a digest to the slot that holds it: open addressing with linear probing over slot numbers, at most two thirds
 * full. The digests themselves stay in `KeyEntries`. A digest is uniform already, so that its first word is the hash.
 */
export class DigestIndex {
  readonly #entries: KeyEntries;
  /** Slot numbers; 0 is an empty place (slot 0 is the decoy). */
  #places = newPlaces(initialCapacity);
  #size = 0;

  constructor(entries: KeyEntries) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#size;
  }

  /** The slot that holds the digest, or 0, the decoy. Either way at least one whole digest was compared. */
  find(words: Uint32Array): number {
    const mask = this.#places.length - 1;
    const first = words[0]!;
    for (let place = first & mask; ; place = (place + 1) & mask) {
      const slot = this.#places[place]!;
      if (slot === 0 || this.#entries.firstWord(slot) === first) {
        if (this.#entries.hasDigest(slot, words) || slot === 0) return slot;
      }
    }
  }

  /** Adds a slot whose digest is written and not in the index yet. */
  add(slot: number): void {
    this.reserve(this.#size + 1);
    this.#place(slot);
    this.#size++;
  }

  /** Takes the slot out. Later places move up, so that no probe meets a gap. */
  remove(slot: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let gap = this.#entries.firstWord(slot) & mask;
    while (places[gap] !== slot) gap = (gap + 1) & mask;
    for (let place = (gap + 1) & mask; places[place] !== 0; place = (place + 1) & mask) {
      const home = this.#entries.firstWord(places[place]!) & mask;
      const stays = gap < place ? gap < home && home <= place : gap < home || home <= place;
      if (stays) continue;
      places[gap] = places[place]!;
      gap = place;
    }
    places[gap] = 0;
    this.#size--;
  }

  /** Makes room for so many digests at once. Growing to a million moves them all, which takes some tens of milliseconds. */
  reserve(count: number): void {
    let capacity = this.#places.length;
    while (count * 3 > capacity * 2) capacity *= 2;
    if (capacity === this.#places.length) return;
    const old = this.#places;
    this.#places = newPlaces(capacity);
    for (const slot of old) if (slot !== 0) this.#place(slot);
  }

  /** Every slot, as they are at the time of the call, in no particular order. */
  slots(): Uint32Array {
    const slots = new Uint32Array(this.#size);
    let count = 0;
    for (const slot of this.#places) if (slot !== 0) slots[count++] = slot;
    return slots;
  }

  #place(slot: number): void {
    const mask = this.#places.length - 1;
    let place = this.#entries.firstWord(slot) & mask;
    while (this.#places[place] !== 0) place = (place + 1) & mask;
    this.#places[place] = slot;
  }
}

function newPlaces(capacity: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(capacity * Uint32Array.BYTES_PER_ELEMENT));
}
