import type { EpochMs } from '../clock.ts';
import { decide, type LimitDecision } from './limit-decision.ts';
import type { MinuteWindow } from './minute-window.ts';

/** A counter is one word: the low 12 bits of the window's number above 20 bits of count. */
const countBits = 20;
const countMask = (1 << countBits) - 1;
const windowMask = (1 << (32 - countBits)) - 1;
const segmentBits = 16;
const segmentMask = (1 << segmentBits) - 1;
const slotsPerSegment = 1 << segmentBits;
/** All words are cleared this often, either way in time, so that no two windows on them share their 12 bits. */
const sweepEveryWindows = 2_048;

/** The highest limit a counter can hold. */
export const countMax = 1_000_000;

/**
 * Requests a minute per key. A key's counter is a 32-bit word at the key's slot in shared memory, changed by
 * compare-and-swap, so that several threads counting on the same words stay exact. Memory: 4 bytes per key.
 */
export class KeyLimiter {
  readonly #window: MinuteWindow;
  readonly #segments: Uint32Array<SharedArrayBuffer>[] = [];
  #sweptAtWindow = 0;

  constructor(window: MinuteWindow) {
    this.#window = window;
  }

  /**
   * Counts one request of the key at `slot`, unless its minute is used up.
   *
   * @param limit requests a minute, 1 to 1,000,000
   */
  take(slot: number, limit: number, now: EpochMs): LimitDecision {
    const windowNumber = this.#window.at(now);
    if (Math.abs(windowNumber - this.#sweptAtWindow) >= sweepEveryWindows) this.#sweep(windowNumber);
    const words = this.#segments[slot >>> segmentBits] ?? this.#addSegments(slot);
    return decide(countIn(words, slot & segmentMask, windowNumber, limit), limit, windowNumber, now);
  }

  /** Requests of the key at `slot` counted in the current minute. Counts nothing itself. */
  used(slot: number, now: EpochMs): number {
    const tag = this.#tagAt(now);
    const words = this.#segments[slot >>> segmentBits];
    return words === undefined ? 0 : usedIn(Atomics.load(words, slot & segmentMask), tag);
  }

  /** The slots that counted most in the current minute, most first, at most `count`. Looks at every slot there is. */
  busiest(now: EpochMs, count: number): readonly { readonly slot: number; readonly used: number }[] {
    const tag = this.#tagAt(now);
    let found: { slot: number; used: number }[] = [];
    let least = 0;
    for (const [segment, words] of this.#segments.entries()) {
      for (let index = 0; index < slotsPerSegment; index++) {
        const used = usedIn(words[index]!, tag);
        if (used <= least) continue;
        found.push({ slot: segment * slotsPerSegment + index, used });
        if (found.length < 2 * count) continue;
        found = mostUsed(found, count);
        least = found.at(-1)!.used;
      }
    }
    return mostUsed(found, count);
  }

  /** Forgets what the slot counted. For a slot that passes to another key. */
  reset(slot: number): void {
    const words = this.#segments[slot >>> segmentBits];
    if (words !== undefined) Atomics.store(words, slot & segmentMask, 0);
  }

  #addSegments(slot: number): Uint32Array<SharedArrayBuffer> {
    let words: Uint32Array<SharedArrayBuffer>;
    do {
      words = new Uint32Array(new SharedArrayBuffer(slotsPerSegment * Uint32Array.BYTES_PER_ELEMENT));
      this.#segments.push(words);
    } while (this.#segments.length <= slot >>> segmentBits);
    return words;
  }

  #tagAt(now: EpochMs): number {
    const windowNumber = this.#window.at(now);
    if (Math.abs(windowNumber - this.#sweptAtWindow) >= sweepEveryWindows) this.#sweep(windowNumber);
    return windowNumber & windowMask;
  }

  /** Reached by the first request of its window, so that no word counts for the current one yet. */
  #sweep(windowNumber: number): void {
    for (const words of this.#segments) words.fill(0);
    this.#sweptAtWindow = windowNumber;
  }
}

function usedIn(word: number, tag: number): number {
  return word >>> countBits === tag ? word & countMask : 0;
}

function mostUsed(found: readonly { slot: number; used: number }[], count: number) {
  return found.toSorted((a, b) => b.used - a.used).slice(0, count);
}

/** Raises the count by one unless it has reached the limit. Returns what it was. */
function countIn(words: Uint32Array<SharedArrayBuffer>, index: number, windowNumber: number, limit: number): number {
  const tag = windowNumber & windowMask;
  for (;;) {
    const word = Atomics.load(words, index);
    const used = word >>> countBits === tag ? word & countMask : 0;
    if (used >= limit) return used;
    const raised = ((tag << countBits) | (used + 1)) >>> 0;
    if (Atomics.compareExchange(words, index, word, raised) === word) return used;
  }
}
