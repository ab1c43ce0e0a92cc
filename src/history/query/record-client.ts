import type { Clock } from '../../ground/clock.ts';
import type { RecordLocation, SegmentStore } from '../segment/segment-store.ts';
import { QuestionThread } from './question-thread.ts';
import type { RecordQuestions } from './questions.ts';

/** Operations that can be asked for, and those of the store. */
type RecordOperations = Pick<
  RecordQuestions,
  'summary' | 'priceAt' | 'middlesAt' | 'quotes' | 'candles' | 'served' | 'answer' | 'prove' | 'verify'
> &
  Pick<SegmentStore, 'addHold' | 'releaseHold' | 'addEntry' | 'ledger'>;

/** A verification under way. */
interface SharedRun {
  readonly answer: Promise<unknown>;
  readonly allLeft: AbortController;
  askers: number;
}

/**
 * Asks the record in threads of its own, begun with the first question, so that no answer to a client waits for it. A
 * verification has one for itself, because it reads everything.
 */
export class RecordClient {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #looking: QuestionThread;
  readonly #verifying: QuestionThread;
  #verification: SharedRun | undefined;

  constructor(location: RecordLocation, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#looking = new QuestionThread(location);
    this.#verifying = new QuestionThread(location);
  }

  /**
   * Rejects with the error of the thread, and with `RecordBusy` where too many questions wait. Verifications that are
   * asked for at one time share one run.
   *
   * @param signal the asker has left: the question is dropped, and ends where it has begun
   */
  ask<Name extends keyof RecordOperations>(
    name: Name,
    args: Parameters<RecordOperations[Name]>,
    signal?: AbortSignal,
  ): ReturnType<RecordOperations[Name]> {
    const ask = { name, args, at: this.#clock.now() };
    const answer = name === 'verify' ? this.#verify(ask, signal) : this.#looking.ask(ask, signal);
    return answer as ReturnType<RecordOperations[Name]>;
  }

  /** Pending questions stay unanswered: their callers stop as well. */
  async stop(): Promise<void> {
    await Promise.all([this.#looking.stop(), this.#verifying.stop()]);
  }

  #verify(question: Parameters<QuestionThread['ask']>[0], signal: AbortSignal | undefined): Promise<unknown> {
    this.#verification ??= this.#beginRun(question);
    const run = this.#verification;
    run.askers++;
    signal?.addEventListener('abort', () => {
      if (--run.askers === 0) run.allLeft.abort();
    });
    return run.answer;
  }

  #beginRun(question: Parameters<QuestionThread['ask']>[0]): SharedRun {
    const allLeft = new AbortController();
    const forget = () => {
      if (this.#verification?.allLeft === allLeft) this.#verification = undefined;
    };
    allLeft.signal.addEventListener('abort', forget);
    return { answer: this.#verifying.ask(question, allLeft.signal).finally(forget), allLeft, askers: 0 };
  }
}
