import type { LimitDecision } from '../access/limit-decision.ts';
import type { Clock, Timer } from '../clock.ts';
import { type CountAnswer, type CountedTake, takesPerCallMax } from './count-script.ts';
import { reasonOf } from './redis-connection.ts';

/** A request that waits to be counted. */
export interface Take {
  readonly counter: string;
  readonly limit: number;
  /** Counts it in this process's memory, where no counter of its own can be kept. */
  readonly countInMemory: () => LimitDecision;
  readonly resolve: (decision: LimitDecision) => void;
}

/** Takes that were sent together, what went with them, and their outcome. */
export interface Call {
  readonly takes: readonly Take[];
  /** As sent. `undefined` before. */
  readonly sent: SentCall | undefined;
  /** Its requests were answered without it. */
  readonly isAbandoned: boolean;
}

export interface SentCall {
  readonly windowNumber: number;
  readonly takes: readonly CountedTake[];
  /** By the monotonic clock. */
  readonly sentMs: number;
}

/** What is done with calls. */
export interface CallParts {
  readonly clock: Clock;
  /** How long a request may wait for its answer, in milliseconds. */
  readonly timeoutMs: number;
  /** What goes with takes, asked when they are sent. */
  readonly prepare: (takes: readonly Take[]) => SentCall;
  readonly send: (sent: SentCall) => Promise<CountAnswer>;
  readonly answered: (call: Call, sent: SentCall, answer: CountAnswer) => void;
  /** No answer in time, or none at all. One may still come: `answered` is called then. */
  readonly failed: (call: Call, reason: string) => void;
}

interface OpenCall {
  readonly takes: Take[];
  sent: SentCall | undefined;
  isAbandoned: boolean;
  timer: Timer | undefined;
}

/** Sends all takes of one turn of the event loop in one call, or in few, and waits no longer than the timeout. */
export class CountCalls {
  readonly #parts: CallParts;
  #gathering: OpenCall[] = [];

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  add(take: Take): void {
    let call = this.#gathering.at(-1);
    if (call === undefined) setImmediate(() => this.#sendAll());
    if (call === undefined || call.takes.length === takesPerCallMax) {
      call = { takes: [], sent: undefined, isAbandoned: false, timer: undefined };
      this.#gathering.push(call);
    }
    call.takes.push(take);
  }

  #sendAll(): void {
    const calls = this.#gathering;
    this.#gathering = [];
    for (const call of calls) this.#send(call);
  }

  #send(call: OpenCall): void {
    const { clock, timeoutMs } = this.#parts;
    const sent = this.#parts.prepare(call.takes);
    call.sent = sent;
    // Not from the first take on: a turn that takes long is this process's delay, and no fault of the server's.
    call.timer = clock.after(timeoutMs, () => this.#abandon(call, `no answer within ${timeoutMs} ms`));
    this.#parts.send(sent).then(
      (answer) => {
        call.timer?.cancel();
        this.#parts.answered(call, sent, answer);
      },
      (error: unknown) => this.#abandon(call, reasonOf(error)),
    );
  }

  #abandon(call: OpenCall, reason: string): void {
    if (call.isAbandoned) return;
    call.timer?.cancel();
    call.isAbandoned = true;
    this.#parts.failed(call, reason);
  }
}
