import { type Clock, sleep } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';

/** A stop that did not end by its deadline. The message names the parts. */
export class StopOverdue extends Error {
  override readonly name = 'StopOverdue';

  constructor(parts: readonly string[]) {
    super(`not stopped in time: ${parts.join(', ')}`);
  }
}

/** After the deadline: others still save what they have, without the one that used up the time. */
const restMs = 1_000;

/** The parts of a process that run, in the order of their start. */
export class RunningParts {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #parts: { readonly name: string; readonly stop: () => unknown }[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** @param name for the log, when it does not stop */
  defer(name: string, stop: () => unknown): void {
    this.#parts.push({ name, stop });
  }

  /**
   * Stops one after the other, the last first, each whatever became of those before. Rejects with `StopOverdue` when
   * some had not ended after `withinMs`, a second later at most; else with the first error.
   */
  async stop(withinMs: number): Promise<void> {
    const overdue: string[] = [];
    const errors: unknown[] = [];
    let endMs = this.#clock.monotonicMs() + withinMs;
    for (const { name: part, stop } of this.#parts.splice(0).reverse()) {
      try {
        if (await this.#endsBy(endMs, stop)) continue;
        this.#log.error({ part, withinMs }, 'the stop is over its deadline, and this part was waited for');
        if (overdue.length === 0) endMs = this.#clock.monotonicMs() + restMs;
        overdue.push(part);
      } catch (err) {
        this.#log.error({ part, err }, 'a part failed to stop');
        errors.push(err);
      }
    }
    if (overdue.length > 0) throw new StopOverdue(overdue);
    if (errors.length > 0) throw errors[0];
  }

  async #endsBy(endMs: number, stop: () => unknown): Promise<boolean> {
    const ended = new AbortController();
    const stopped = (async () => stop())().then(() => true);
    const late = sleep(this.#clock, Math.max(0, endMs - this.#clock.monotonicMs()), ended.signal).then(() => false);
    return Promise.race([stopped, late]).finally(() => ended.abort());
  }
}
