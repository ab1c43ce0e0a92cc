import type { Clock, Timer } from '../ground/clock.ts';

const probeAfterMsMin = 100;
const probeAfterMsMax = 1_000;
/** After this many failed probes in a row the connection counts as dead: under three seconds. */
const probesMax = 5;

export interface CircuitParts {
  readonly clock: Clock;
  /** How long a probe may take, in milliseconds: as long as a request may wait. */
  readonly timeoutMs: number;
  /** Tries whether the server works. Resolves when it does. */
  readonly probe: () => Promise<void>;
  /** Called on every change. `reason` says why it broke. */
  readonly changed: (isUp: boolean, reason: string) => void;
  /** Probes have failed for seconds: the connection should be made again. */
  readonly seemsDead: () => void;
}

/**
 * Decides whether the server is used at all. One failure breaks the circuit, so that no other request waits for a
 * server that does not answer; from then on only probes are sent, and the first that is answered in time closes it. It
 * is broken until a first probe has been answered.
 */
export class Circuit {
  readonly #parts: CircuitParts;
  #isUp = false;
  #trips = 0;
  #reason = 'not connected yet';
  #probesFailed = 0;
  #probe = 0;
  #timer: Timer | undefined;
  #isStopped = false;
  #isToldDown = false;

  constructor(parts: CircuitParts) {
    this.#parts = parts;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** How often it broke. */
  get trips(): number {
    return this.#trips;
  }

  /** Why it is or was last broken. */
  get reason(): string {
    return this.#reason;
  }

  /** A call failed. Ignored once the circuit is broken. */
  trip(reason: string): void {
    if (!this.#isUp || this.#isStopped) return;
    this.#isUp = false;
    this.#trips++;
    this.#probesFailed = 0;
    this.#schedule();
    this.#isDown(reason);
  }

  /** The connection is gone: there is nothing to probe until there is another. */
  disconnected(reason: string): void {
    this.trip(reason);
    this.#isDown(reason);
    this.#probe++;
    this.#timer?.cancel();
  }

  /** There is a fresh connection: probes at once. */
  connected(): void {
    this.#probesFailed = 0;
    if (!this.#isUp && !this.#isStopped) this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    const delayMs = Math.min(probeAfterMsMax, probeAfterMsMin * 2 ** this.#probesFailed);
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(delayMs, () => this.#ask());
  }

  #ask(): void {
    const probe = ++this.#probe;
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(this.#parts.timeoutMs, () => this.#failed(probe, 'no answer in time'));
    this.#parts.probe().then(
      () => this.#succeeded(probe),
      (error: unknown) => this.#failed(probe, error instanceof Error ? error.message : 'failed'),
    );
  }

  #succeeded(probe: number): void {
    if (probe !== this.#probe || this.#isUp || this.#isStopped) return;
    this.#timer?.cancel();
    this.#isUp = true;
    this.#isToldDown = false;
    this.#parts.changed(true, this.#reason);
  }

  #failed(probe: number, reason: string): void {
    if (probe !== this.#probe || this.#isUp || this.#isStopped) return;
    this.#probe++;
    this.#probesFailed++;
    this.#schedule();
    this.#isDown(reason);
    if (this.#probesFailed === probesMax) this.#parts.seemsDead();
  }

  /** Each outage is reported once, also the one before the first answer. */
  #isDown(reason: string): void {
    this.#reason = reason;
    if (this.#isToldDown || this.#isStopped) return;
    this.#isToldDown = true;
    this.#parts.changed(false, reason);
  }
}
