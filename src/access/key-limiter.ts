import type { EpochMs } from '../ground/clock.ts';
import { grown } from './digest-table.ts';
import { decide, type LimitDecision } from './limit-decision.ts';
import type { MinuteWindow } from './minute-window.ts';

/** The requests of one key in the current minute. */
interface SlotUsage {
  readonly slot: number;
  readonly used: number;
}

/** Requests a minute per key, under the key's slot in the directory: 8 bytes a key. */
export class KeyLimiter {
  readonly #window: MinuteWindow;
  /** The window a slot last counted in, and how much. */
  #windows = new Int32Array(0);
  #used = new Uint32Array(0);

  constructor(window: MinuteWindow) {
    this.#window = window;
  }

  /**
   * Counts one request of the key at `slot`, unless its minute is used up.
   *
   * @param limit requests a minute, 1 to 1,000,000
   */
  take(slot: number, limit: number, now: EpochMs): LimitDecision {
    const window = this.#window.at(now);
    const used = this.#usedIn(window, slot);
    if (used < limit) {
      this.#windows = grown(this.#windows, slot + 1);
      this.#used = grown(this.#used, slot + 1);
      this.#windows[slot] = window;
      this.#used[slot] = used + 1;
    }
    return decide(used, limit, window, now);
  }

  /** Requests of the key at `slot` counted in the current minute. Counts nothing itself. */
  used(slot: number, now: EpochMs): number {
    return this.#usedIn(this.#window.at(now), slot);
  }

  /** The slots that counted most in the current minute, most first, at most `count`. Reads every slot there is. */
  busiest(now: EpochMs, count: number): readonly SlotUsage[] {
    const window = this.#window.at(now);
    let found: SlotUsage[] = [];
    let least = 0;
    for (const slot of this.#used.keys()) {
      const used = this.#usedIn(window, slot);
      if (used <= least) continue;
      found.push({ slot, used });
      if (found.length < 2 * count) continue;
      found = mostUsed(found, count);
      least = found.at(-1)!.used;
    }
    return mostUsed(found, count);
  }

  /** Forgets what the slot counted. For a slot that passes to another key. */
  reset(slot: number): void {
    if (slot < this.#used.length) this.#used[slot] = 0;
  }

  #usedIn(window: number, slot: number): number {
    return this.#windows[slot] === window ? this.#used[slot]! : 0;
  }
}

function mostUsed(found: readonly SlotUsage[], count: number): SlotUsage[] {
  return found.toSorted((a, b) => b.used - a.used).slice(0, count);
}
