import type { EpochMs } from '../ground/clock.ts';

/** Times of the exchange are compared within slots of ten seconds, over the last three minutes. */
const slotMs = 10_000;
const slotsMax = 18;
/** Fewer tell nothing. */
const slotsMin = 3;
/** A time ahead of those that follow was wrong, when none has passed it for a minute. */
const aheadSlotsMax = 6;

/**
 * How far the wall clock is from that of an exchange, by the times in its live data. Such data arrives later than its
 * time says, by the way and by the age of what it reports: the least of many shows the clocks. Kept by the monotonic
 * clock, so that a wall clock that is set shows at once.
 */
export class ClockOffset {
  /** The least arrival minus time of each slot that had data, the newest last. */
  readonly #least: { readonly slot: number; ms: number }[] = [];
  #newest = { time: Number.NEGATIVE_INFINITY, slot: 0 };

  /** @param atMs when it arrived, by the monotonic clock */
  note(upstreamTime: EpochMs, atMs: number): void {
    const slot = Math.floor(atMs / slotMs);
    const { time, slot: newestSlot } = this.#newest;
    // What a quiet market sends once more says nothing of the clock: only a time that moves on does.
    if (upstreamTime === time) return;
    if (upstreamTime < time && slot - newestSlot <= aheadSlotsMax) return;
    this.#newest = { time: upstreamTime, slot };
    const ms = atMs - upstreamTime;
    const last = this.#least.at(-1);
    if (last?.slot === slot) last.ms = Math.min(last.ms, ms);
    else this.#least.push({ slot, ms });
  }

  /**
   * The wall clock minus that of the exchange, at most: positive when ours is ahead, or all its data late. `undefined`
   * while too few came lately.
   */
  offsetMs(now: EpochMs, nowMs: number): number | undefined {
    const firstSlot = Math.floor(nowMs / slotMs) - slotsMax + 1;
    while (this.#least.length > 0 && this.#least[0]!.slot < firstSlot) this.#least.shift();
    if (this.#least.length < slotsMin) return undefined;
    // The second least, because a single odd time is no clock.
    const [, second] = this.#least.map(({ ms }) => ms).toSorted((one, other) => one - other);
    return now - nowMs + second!;
  }
}
