import type { Clock } from './clock.ts';
import { limitWindowMs } from './contract.ts';

/** How far two clocks can drift apart: the bounds widen by this as they age. */
const driftPerMs = 100e-6;
/** A measurement at least this exact takes precedence over the local wall clock. */
const preciseWidthMs = 2_000;
/** When wall clock and monotonic clock diverge by more, the clock was set or the machine slept. */
const clockStepMinMs = 1_000;

interface Known {
  /** Bounds of server time minus monotonic time, at `atMs`. */
  readonly earliestMs: number;
  readonly latestMs: number;
  /** Monotonic time of the last answer with a server time. */
  readonly atMs: number;
  /** Wall time minus monotonic time, at `atMs`. */
  readonly wallGapMs: number;
}

/**
 * The server's time, kept as a lower and an upper bound: each answer that states an instant was written
 * between sending and receiving, so it narrows both bounds. The middle of one answer's
 * bounds is the classic "half of the round trip". Built on the monotonic clock: setting the local
 * clock changes nothing.
 */
export class ServerClock {
  readonly #clock: Clock;
  #known: Known | undefined;
  #preciseAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records the server time that an answer stated. The other two instants are of the monotonic clock. */
  record(serverMs: number, sentMs: number, receivedMs: number): void {
    // The server truncates to whole milliseconds: its time was up to one later.
    this.#narrow(serverMs - receivedMs, serverMs + 1 - sentMs);
    if (this.widthMs <= preciseWidthMs) this.#preciseAtMs = this.#clock.monotonicMs();
  }

  /** Records the end of the minute in which an answer was counted. */
  recordWindowEnd(resetMs: number, sentMs: number, receivedMs: number): void {
    this.#narrow(resetMs - limitWindowMs - receivedMs, resetMs - sentMs);
  }

  /** How wide the bounds are; infinite before the first answer. */
  get widthMs(): number {
    const known = this.#widened();
    return known === undefined ? Number.POSITIVE_INFINITY : known.latestMs - known.earliestMs;
  }

  /** How far the true server time can be from `now()`; infinite before the first answer. */
  get uncertaintyMs(): number {
    return this.widthMs <= preciseWidthMs ? this.widthMs / 2 : this.widthMs;
  }

  /** The latest that the server's time can be now; infinite before the first answer. */
  get latestMs(): number {
    const known = this.#widened();
    if (known === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(this.now(), this.#clock.monotonicMs() + known.latestMs);
  }

  /** Time since an answer last stated a precise server time; infinite when none did. */
  get preciseAgeMs(): number {
    return this.#clock.monotonicMs() - this.#preciseAtMs;
  }

  /** Server time minus local wall time; 0 while nothing is known. */
  get offsetMs(): number {
    return this.now() - this.#clock.now();
  }

  /** The server's time, in milliseconds since the Unix epoch. */
  now(): number {
    const known = this.#widened();
    const localMs = this.#clock.now();
    if (known === undefined) return localMs;
    const steadyMs = this.#clock.monotonicMs();
    const middleMs = (known.earliestMs + known.latestMs) / 2;
    const isPrecise = known.latestMs - known.earliestMs <= preciseWidthMs;
    const offsetMs = isPrecise ? middleMs : clamp(localMs - steadyMs, known.earliestMs, known.latestMs);
    // While the machine sleeps the wall clock advances and the monotonic clock may not. When they disagree,
    // the later one counts until the next answer, so that stale data never looks fresh.
    const sleptMs = localMs - steadyMs - known.wallGapMs;
    return Math.floor(steadyMs + offsetMs + (sleptMs > clockStepMinMs ? sleptMs : 0));
  }

  /** The monotonic instant by which the server's clock has certainly reached `serverMs`. */
  certainlyReachedAtMs(serverMs: number): number {
    const known = this.#widened();
    return known === undefined ? Number.POSITIVE_INFINITY : serverMs - known.earliestMs;
  }

  #narrow(earliestMs: number, latestMs: number): void {
    const before = this.#widened();
    const atMs = this.#clock.monotonicMs();
    const wallGapMs = this.#clock.now() - atMs;
    const bounds =
      before === undefined
        ? { earliestMs, latestMs }
        : { earliestMs: Math.max(before.earliestMs, earliestMs), latestMs: Math.min(before.latestMs, latestMs) };
    // Contradictory bounds mean that a clock was set: only the newest hold.
    this.#known = { ...(bounds.earliestMs <= bounds.latestMs ? bounds : { earliestMs, latestMs }), atMs, wallGapMs };
  }

  #widened(): Known | undefined {
    if (this.#known === undefined) return undefined;
    const slackMs = (this.#clock.monotonicMs() - this.#known.atMs) * driftPerMs;
    return {
      ...this.#known,
      earliestMs: this.#known.earliestMs - slackMs,
      latestMs: this.#known.latestMs + slackMs,
    };
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
