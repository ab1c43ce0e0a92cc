import { type Clock, withTimeout } from '../ground/clock.ts';

/** Longer than a store that is well ever takes, and short beside the time in which an alert is to be told. */
const answerWithinMs = 3_000;

/** Whether the store answers, for those who go on without it. */
export class StoreReach {
  readonly #clock: Clock;
  #isThere = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False from a question that it did not answer to the next that it did. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Asks the store. Rejects with its error, or after three seconds: what it does then is done all the same. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await withTimeout(this.#clock, answerWithinMs, (late) => {
        const { promise, reject } = Promise.withResolvers<never>();
        late.addEventListener('abort', () => reject(late.reason));
        return Promise.race([question(), promise]);
      });
    } catch (error) {
      this.#isThere = false;
      throw error;
    }
  }

  /** Everything that it lacked is written: it is asked again. */
  back(): void {
    this.#isThere = true;
  }
}
