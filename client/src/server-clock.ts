import type { Clock } from './clock.ts';
import { limitWindowMs } from './contract.ts';

/** How far apart two crystals may run: widens what is known as it gets older. */
const driftPerMs = 100e-6;
/** A measurement as exact as this is believed over the local wall clock. */
const preciseWidthMs = 2_000;
/** Local clocks that part by more than this were set, or the machine slept. */
const steppedByMs = 1_000;

interface Known {
  /** Bounds of server time less monotonic time, at `atMs`. */
  readonly earliestMs: number;
  readonly latestMs: number;
  /** Monotonic time of the last answer that told something. */
  readonly atMs: number;
  /** Wall time less monotonic time then. */
  readonly wallGapMs: number;
}

/**
 * The server's time, kept as what it can be at least and at most: each answer that names an instant
 * was written between sending and receiving, so it narrows both bounds. The middle of one answer's
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

  /** An answer named the server's instant. Both others are of the monotonic clock. */
  told(serverMs: number, sentMs: number, receivedMs: number): void {
    // The instant is cut to whole milliseconds: it was up to one later.
    this.#narrow(serverMs - receivedMs, serverMs + 1 - sentMs);
    if (this.widthMs <= preciseWidthMs) this.#preciseAtMs = this.#clock.monotonicMs();
  }

  /** An answer named the end of the minute it was counted in. */
  toldWindowEnd(resetMs: number, sentMs: number, receivedMs: number): void {
    this.#narrow(resetMs - limitWindowMs - receivedMs, resetMs - sentMs);
  }

  /** How wide the bounds are; infinite before the first answer. */
  get widthMs(): number {
    const known = this.#widened();
    return known === undefined ? Number.POSITIVE_INFINITY : known.latestMs - known.earliestMs;
  }

  /** Time since an answer last told the instant; infinite when none did. */
  get preciseAgeMs(): number {
    return this.#clock.monotonicMs() - this.#preciseAtMs;
  }

  /** Server time less local wall time; 0 while nothing is known. */
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
    // After a sleep of the machine the wall clock has moved on and the monotonic one has not. Of two
    // that disagree the later is believed until the next answer, so that stale data never looks fresh.
    const sleptMs = localMs - steadyMs - known.wallGapMs;
    return Math.floor(steadyMs + offsetMs + (sleptMs > steppedByMs ? sleptMs : 0));
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
    // Bounds that exclude each other mean that a clock was set: only the newest still holds.
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
