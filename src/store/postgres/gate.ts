import type { Clock } from '../../clock.ts';
import { StoreError } from '../store-error.ts';

/** Between two trials of a server that hangs. */
const trialEveryMs = 1_000;

/**
 * Keeps callers from a server that takes connections and answers nothing: each of them would wait out its patience, one
 * after the other when the service stops. After a failure of that kind one caller at a time tries, once a second; the
 * others are told at once.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #name: string;
  #shut = false;
  #nextTrialMs = 0;

  constructor(clock: Clock, name: string) {
    this.#clock = clock;
    this.#name = name;
  }

  /** Throws `StoreError` with reason `no_answer` while the server is known to hang. */
  enter(): void {
    if (!this.#shut) return;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextTrialMs) {
      const message = `The database ${this.#name} does not answer. Check the server and the network to it.`;
      throw new StoreError('no_answer', message);
    }
    // Until this trial has ended, well or not, nobody else makes one; and should its end be lost, some time later.
    this.#nextTrialMs = nowMs + 10 * trialEveryMs;
  }

  /** An answer came, or a refusal, or word that nobody is there: nothing that one would wait for. */
  answered(): void {
    this.#shut = false;
  }

  failed({ reason }: StoreError): void {
    this.#shut = reason === 'no_answer';
    this.#nextTrialMs = this.#clock.monotonicMs() + trialEveryMs;
  }
}
