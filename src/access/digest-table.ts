const wordsPerDigest = 8;
const initialSlots = 1 << 10;

/**
 * A number, the slot, for each of many SHA-256 digests: 32 bytes a digest and 6 to 12 for its place, where a `Map`
 * takes 100 and more. Open addressing with linear probing, at most two thirds full; a digest is uniform already, so its
 * first word is the hash. Slots start at 1 and are used again once freed.
 */
export class DigestTable {
  #digests = new Uint32Array(initialSlots * wordsPerDigest);
  /** Slot numbers; 0 is an empty place. */
  #places = new Uint32Array(2 * initialSlots);
  readonly #freed: number[] = [];
  #end = 1;
  #size = 0;
  readonly #words = new Uint32Array(wordsPerDigest);

  get size(): number {
    return this.#size;
  }

  /**
   * The slot of a digest, or 0. Either way one whole digest at least is compared, so that the time reveals nothing.
   *
   * @param digest 32 bytes, or 32 characters of a byte each (`crypto.hash` makes text three times faster than bytes)
   */
  find(digest: Uint8Array | string): number {
    const words = this.#read(digest);
    const mask = this.#places.length - 1;
    for (let place = words[0]! & mask; ; place = (place + 1) & mask) {
      const slot = this.#places[place]!;
      if (this.#holds(slot, words) || slot === 0) return slot;
    }
  }

  /** The slot of a digest that was not in the table. @param digest as for `find` */
  add(digest: Uint8Array): number {
    this.reserve(this.#size + 1);
    const words = this.#read(digest);
    const slot = this.#freed.pop() ?? this.#end++;
    this.#digests.set(words, slot * wordsPerDigest);
    this.#place(slot);
    this.#size++;
    return slot;
  }

  /** Frees the slot of a digest that is in the table. Later places move up, so that no probe meets a gap. */
  remove(slot: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let gap = this.#home(slot);
    while (places[gap] !== slot) gap = (gap + 1) & mask;
    for (let place = (gap + 1) & mask; places[place] !== 0; place = (place + 1) & mask) {
      const home = this.#home(places[place]!);
      const stays = gap < place ? gap < home && home <= place : gap < home || home <= place;
      if (stays) continue;
      places[gap] = places[place]!;
      gap = place;
    }
    places[gap] = 0;
    this.#freed.push(slot);
    this.#size--;
  }

  /**
   * Makes room for this many digests at once. Growing to a million moves them all, which takes some tens of
   * milliseconds.
   */
  reserve(count: number): void {
    this.#digests = grown(this.#digests, (count + 1) * wordsPerDigest);
    let capacity = this.#places.length;
    while (count * 3 > capacity * 2) capacity *= 2;
    if (capacity === this.#places.length) return;
    const slots = this.#places.filter((slot) => slot !== 0);
    this.#places = new Uint32Array(capacity);
    for (const slot of slots) this.#place(slot);
  }

  /** Every slot in use, in no particular order. */
  *slots(): Generator<number> {
    for (const slot of this.#places) if (slot !== 0) yield slot;
  }

  #place(slot: number): void {
    const mask = this.#places.length - 1;
    let place = this.#home(slot);
    while (this.#places[place] !== 0) place = (place + 1) & mask;
    this.#places[place] = slot;
  }

  #home(slot: number): number {
    return this.#digests[slot * wordsPerDigest]! & (this.#places.length - 1);
  }

  /** Compares all words whatever they hold. Slot 0 holds no digest and is compared like the others. */
  #holds(slot: number, words: Uint32Array): boolean {
    const start = slot * wordsPerDigest;
    let difference = 0;
    for (let index = 0; index < wordsPerDigest; index++) difference |= this.#digests[start + index]! ^ words[index]!;
    return difference === 0;
  }

  #read(digest: Uint8Array | string): Uint32Array {
    const words = this.#words;
    for (let index = 0, at = 0; index < wordsPerDigest; index++, at += 4) {
      words[index] = typeof digest === 'string' ? wordOfText(digest, at) : wordOfBytes(digest, at);
    }
    return words;
  }
}

function wordOfText(text: string, at: number): number {
  const high = (text.charCodeAt(at) << 24) | (text.charCodeAt(at + 1) << 16);
  return high | (text.charCodeAt(at + 2) << 8) | text.charCodeAt(at + 3);
}

function wordOfBytes(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

/** The array itself, or a larger copy of it that has at least `length` elements. */
export function grown<Column extends Uint8Array | Int32Array | Uint32Array | Float64Array>(
  column: Column,
  length: number,
): Column {
  if (length <= column.length) return column;
  const larger = new (column.constructor as new (length: number) => Column)(Math.max(length, column.length * 2));
  larger.set(column);
  return larger;
}
