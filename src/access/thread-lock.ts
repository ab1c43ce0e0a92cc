/** Tries before a thread goes to sleep: what such a lock guards takes well under a microsecond. */
const spins = 200;
/** A sleeper looks again after this, whatever happens. */
const sleepMs = 10;
const waiterBit = 1;

/** The number of the thread that starts the others, and of the only one where there are none. */
export const mainThread = 1;

/**
 * A mutual exclusion between threads, in one word of shared memory. The word holds the owner's number, so that a lock
 * whose owner is gone can be freed (`freeLockOf`): what it guards must be sound after every single write.
 */
export class ThreadLock {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #index: number;
  readonly #held: number;

  /** @param owner this thread's own number, 1 or more, which no other thread of the process ever had */
  constructor(words: Int32Array<SharedArrayBuffer>, index: number, owner: number) {
    this.#words = words;
    this.#index = index;
    this.#held = owner << 1;
  }

  /** Returns once this thread has the lock. Not to be called by a thread that has it. */
  acquire(): void {
    for (let tries = 0; tries < spins; tries++) if (this.#tryToTake(this.#held)) return;
    // Whoever once slept takes the lock with the waiters' bit set: it cannot know whether others still sleep.
    while (!this.#tryToTake(this.#held | waiterBit)) this.#sleep();
  }

  release(): void {
    const word = Atomics.exchange(this.#words, this.#index, 0);
    if ((word & waiterBit) !== 0) Atomics.notify(this.#words, this.#index, 1);
  }

  #tryToTake(word: number): boolean {
    return Atomics.compareExchange(this.#words, this.#index, 0, word) === 0;
  }

  #sleep(): void {
    const word = Atomics.load(this.#words, this.#index);
    if (word === 0) return;
    const marked = word | waiterBit;
    if (word !== marked && Atomics.compareExchange(this.#words, this.#index, word, marked) !== word) return;
    Atomics.wait(this.#words, this.#index, marked, sleepMs);
  }
}

/** Frees the lock if it is held by a thread that is gone. */
export function freeLockOf(owner: number, words: Int32Array<SharedArrayBuffer>, index: number): void {
  for (;;) {
    const word = Atomics.load(words, index);
    if (word >>> 1 !== owner) return;
    if (Atomics.compareExchange(words, index, word, 0) !== word) continue;
    Atomics.notify(words, index);
    return;
  }
}

/** Zeroed words that threads can share. Pages that nobody writes to take no memory. */
export function sharedWords(count: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
}
