import type { LimitDecision } from '../access/limit-decision.ts';
import type { Clock } from '../ground/clock.ts';
import type { Position } from './board-position.ts';
import { type CountAnswer, type CountedTakes, takesPerCallMax } from './count-script.ts';
import { reasonOf } from './redis-connection.ts';

/** A request that waits to be counted. */
export interface Take {
  readonly counter: string;
  /** 0 where nothing is to be counted, and only the position to be kept. */
  readonly limit: number;
  /** The counter is a key's. */
  readonly isKeys: boolean;
  /** Counts it in this process's memory, where no counter of its own can be kept. */
  readonly countInMemory: () => LimitDecision;
  /**
   * @param newest position that was served to the key, with this process's own; `undefined` where the server could not
   * be asked
   */
  readonly resolve: (decision: LimitDecision, newest?: Position) => void;
}

export interface SentCall extends CountedTakes {
  /** By the monotonic clock. */
  readonly sentMs: number;
}

/** Takes that were sent together, what went with them, and whether their requests were answered without it. */
export interface Call {
  readonly takes: readonly Take[];
  readonly sent: SentCall;
  isAbandoned: boolean;
}

export interface CallParts {
  readonly clock: Clock;
  /** How long a request may wait for its answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Makes the call for some takes, when they are sent. */
  readonly prepare: (takes: readonly Take[]) => SentCall;
  readonly send: (sent: SentCall) => Promise<CountAnswer>;
  readonly answered: (call: Call, answer: CountAnswer) => void;
  /** No answer in time, or none at all. One may still come: `answered` is called then. */
  readonly failed: (call: Call, reason: string) => void;
}

/** Sends all takes of one turn of the event loop in one call, or in few, and waits no longer than the timeout. */
export class CountCalls {
  readonly #parts: CallParts;
  readonly #gathering: Take[][] = [];

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  add(take: Take): void {
    const takes = this.#gathering.at(-1);
    if (takes === undefined) setImmediate(() => this.#sendAll());
    if (takes === undefined || takes.length === takesPerCallMax) this.#gathering.push([take]);
    else takes.push(take);
  }

  #sendAll(): void {
    for (const takes of this.#gathering.splice(0)) this.#send(takes);
  }

  #send(takes: readonly Take[]): void {
    const { clock, timeoutMs, prepare, send, answered, failed } = this.#parts;
    const call: Call = { takes, sent: prepare(takes), isAbandoned: false };
    const abandon = (reason: string) => {
      timer.cancel();
      if (call.isAbandoned) return;
      call.isAbandoned = true;
      failed(call, reason);
    };
    // Not from the first take on: a turn that takes long is this process's delay, and no fault of the server's.
    const timer = clock.after(timeoutMs, () => abandon(`no answer within ${timeoutMs} ms`));
    send(call.sent).then(
      (answer) => {
        timer.cancel();
        answered(call, answer);
      },
      (error: unknown) => abandon(reasonOf(error)),
    );
  }
}
