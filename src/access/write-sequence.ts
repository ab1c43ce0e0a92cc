import { sharedWords } from './thread-lock.ts';

/** Looks before a reader goes to sleep: a change takes well under a microsecond. */
const spins = 200;
const sleepMs = 1;

/**
 * Tells readers in other threads whether what they read was one state: one writer raises a counter before and after every
 * change, so that it is odd while something is changed (a sequence lock). Readers never hold anything up.
 */
export class WriteSequence {
  readonly #words: Int32Array<SharedArrayBuffer>;

  /** @param memory of the writer's sequence, for its readers */
  constructor(memory: Int32Array<SharedArrayBuffer> = sharedWords(1)) {
    this.#words = memory;
  }

  get memory(): Int32Array<SharedArrayBuffer> {
    return this.#words;
  }

  /** For the one writer: something is changed from now on. */
  begin(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** For the one writer: what was begun is done. */
  end(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** For readers: the number of a state in which nothing is being changed. */
  settled(): number {
    for (let looks = 1; ; looks++) {
      const number = Atomics.load(this.#words, 0);
      if (number % 2 === 0) return number;
      if (looks % spins === 0) Atomics.wait(this.#words, 0, number, sleepMs);
    }
  }

  /**
   * For readers: whether all that was read since `settled` gave this number is of one state. Writing the number back to
   * itself keeps a processor from looking here before it has read the rest; a plain look would not.
   */
  isStill(number: number): boolean {
    return Atomics.compareExchange(this.#words, 0, number, number) === number;
  }
}
