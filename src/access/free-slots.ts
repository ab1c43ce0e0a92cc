/** So many slots rest at least before one of them is used again. */
const restingMin = 1_024;

/**
 * Slots that were freed, to be used again in the order in which they came, and not at once: a request that another
 * thread is just deciding may still count under the slot of a key that was taken away.
 */
export class FreeSlots {
  #slots: number[] = [];
  #first = 0;

  add(slot: number): void {
    this.#slots.push(slot);
  }

  /** The slot that has rested longest, if any has rested enough. */
  take(): number | undefined {
    if (this.#slots.length - this.#first <= restingMin) return undefined;
    const slot = this.#slots[this.#first++];
    if (this.#first > restingMin && this.#first * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#first);
      this.#first = 0;
    }
    return slot;
  }
}
