import type { Witnessed } from './clients.ts';
import type { Witnessing } from './witnessing.ts';

/** Within it every process has found the others again, and what is counted twice is counted once. */
export const calmMs = 20_000;
/** For so long after a clock was set, times may go back by as much as it was off. */
const resetWithinMs = 600_000;

/** Looks whether what a key was told of goes back. */
export class NeverBack {
  readonly #witnessing: Witnessing;
  readonly #last = new Map<string, { readonly value: number; readonly by: string; readonly atMs: number }>();

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing;
  }

  /** Over all processes while they share what they served; on one process as long as it runs. */
  saw(name: string, value: number, { by, askedAtMs, answeredAtMs }: Witnessed): void {
    const { truth, findings } = this.#witnessing;
    const { oneBoardSinceMs, clocksSetAtMs, offMsMax, processes } = truth;
    const last = this.#last.get(name);
    if (last === undefined || last.atMs <= askedAtMs) this.#last.set(name, { value, by, atMs: answeredAtMs });
    if (last === undefined || last.atMs > askedAtMs) return;
    const isShared = askedAtMs - oneBoardSinceMs > calmMs;
    // One that was started again knows what the store and Redis have kept, as another would.
    const isStarted = truth.undisturbedSinceMs(by) >= last.atMs;
    const isSame = by === last.by && !isStarted;
    if (!isSame && !isShared) return;
    // Nobody else knows it then.
    if (processes === 1 && isStarted && truth.wasUnsaved(last.atMs)) return;
    // One clock may be ahead and another one behind.
    const backMs = askedAtMs - clocksSetAtMs < resetWithinMs ? 2 * offMsMax : 0;
    findings.check(
      'never back',
      value >= last.value - backMs,
      () => `${name.slice(-12)}: ${value} by ${by} after ${last.value} by ${last.by}`,
    );
  }
}
