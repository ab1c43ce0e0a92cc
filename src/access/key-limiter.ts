import type { EpochMs } from '../clock.ts';
import { decide, type LimitDecision } from './limit-decision.ts';
import type { MinuteWindow } from './minute-window.ts';
import { freeLockOf, mainThread, sharedWords, ThreadLock } from './thread-lock.ts';

/** A counter is one word: the low 12 bits of the window's number above 20 bits of count. */
const countBits = 20;
const countMask = (1 << countBits) - 1;
const windowMask = (1 << (32 - countBits)) - 1;
const segmentBits = 16;
const segmentMask = (1 << segmentBits) - 1;
const slotsPerSegment = 1 << segmentBits;
/** All words are cleared this often, either way in time, so that no two windows on them share their 12 bits. */
const sweepEveryWindows = 2_048;
const inControl = { sweptAtWindow: 0, sweepLock: 1 } as const;
/** The window went on while a request was to be counted in it. */
const windowIsOver = -1;

/** The highest limit a counter can hold. */
export const countMax = 1_000_000;

/** The counters of 65,536 slots. */
export type CounterSegment = Uint32Array<SharedArrayBuffer>;

/** All that a key limiter knows. Threads that are given the same memory count together. */
export interface KeyCounterMemory {
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly segments: readonly CounterSegment[];
}

export function newKeyCounterMemory(): KeyCounterMemory {
  return { control: sharedWords(2), segments: [] };
}

/**
 * Requests a minute per key. A key's counter is a 32-bit word at the key's slot in shared memory, changed by
 * compare-and-swap, so that several threads counting on the same words stay exact. Memory: 4 bytes per key.
 */
export class KeyLimiter {
  readonly #window: MinuteWindow;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #segments: CounterSegment[];
  readonly #sweepLock: ThreadLock;

  /** @param owner the number of this thread */
  constructor(window: MinuteWindow, memory = newKeyCounterMemory(), owner: number = mainThread) {
    this.#window = window;
    this.#control = memory.control;
    this.#segments = [...memory.segments];
    this.#sweepLock = new ThreadLock(memory.control, inControl.sweepLock, owner);
  }

  get memory(): KeyCounterMemory {
    return { control: this.#control, segments: [...this.#segments] };
  }

  /**
   * Counts one request of the key at `slot`, unless its minute is used up.
   *
   * @param limit requests a minute, 1 to 1,000,000
   */
  take(slot: number, limit: number, now: EpochMs): LimitDecision {
    for (;;) {
      const windowNumber = this.#window.at(now);
      if (this.#isSweepDue(windowNumber)) this.#sweep();
      const used = this.#count(slot, limit, windowNumber, now);
      if (used !== windowIsOver) return decide(used, limit, windowNumber, now);
    }
  }

  /** Requests of the key at `slot` counted in the current minute. Counts nothing itself. */
  used(slot: number, now: EpochMs): number {
    const windowNumber = this.#window.at(now);
    const words = this.#segments[slot >>> segmentBits];
    if (words === undefined || this.#isSweepDue(windowNumber)) return 0;
    return usedIn(Atomics.load(words, slot & segmentMask), windowNumber & windowMask);
  }

  /** The slots that counted most in the current minute, most first, at most `count`. Looks at every slot there is. */
  busiest(now: EpochMs, count: number): readonly { readonly slot: number; readonly used: number }[] {
    const windowNumber = this.#window.at(now);
    if (this.#isSweepDue(windowNumber)) return [];
    let found: { slot: number; used: number }[] = [];
    let least = 0;
    for (const [segment, words] of this.#segments.entries()) {
      for (let index = 0; index < slotsPerSegment; index++) {
        const used = usedIn(words[index]!, windowNumber & windowMask);
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
    // Of a slot that never counted not even the memory's page is there yet.
    if (words !== undefined && Atomics.load(words, slot & segmentMask) !== 0) {
      Atomics.store(words, slot & segmentMask, 0);
    }
  }

  /** The counters of a segment of slots, made if there are none yet. Only one thread may make any. */
  segment(index: number): CounterSegment {
    while (this.#segments.length <= index) {
      this.#segments.push(new Uint32Array(new SharedArrayBuffer(slotsPerSegment * Uint32Array.BYTES_PER_ELEMENT)));
    }
    return this.#segments[index]!;
  }

  /** Takes over a segment that another thread made. */
  adopt(index: number, segment: CounterSegment): void {
    this.#segments[index] = segment;
  }

  /** Raises the count by one unless it has reached the limit. Returns what it was. */
  #count(slot: number, limit: number, windowNumber: number, now: EpochMs): number {
    const words = this.#segments[slot >>> segmentBits] ?? this.segment(slot >>> segmentBits);
    const index = slot & segmentMask;
    const tag = windowNumber & windowMask;
    for (;;) {
      const word = Atomics.load(words, index);
      const isCurrent = word >>> countBits === tag;
      // Another thread may have counted in the next window already. That count must not be written over.
      if (!isCurrent && this.#window.at(now) !== windowNumber) return windowIsOver;
      const used = isCurrent ? word & countMask : 0;
      if (used >= limit) return used;
      const raised = ((tag << countBits) | (used + 1)) >>> 0;
      if (Atomics.compareExchange(words, index, word, raised) === word) return used;
    }
  }

  #isSweepDue(windowNumber: number): boolean {
    return Math.abs(windowNumber - this.#control[inControl.sweptAtWindow]!) >= sweepEveryWindows;
  }

  /**
   * Due from the first request of its window on, so that no word counts for the current one yet; the other threads'
   * requests wait until it is done.
   */
  #sweep(): void {
    this.#sweepLock.acquire();
    try {
      const windowNumber = this.#window.newest;
      if (!this.#isSweepDue(windowNumber)) return;
      for (const words of this.#segments) words.fill(0);
      Atomics.store(this.#control, inControl.sweptAtWindow, windowNumber);
    } finally {
      this.#sweepLock.release();
    }
  }
}

/** Frees what a thread held that is gone. */
export function freeSweepLockOf(owner: number, { control }: KeyCounterMemory): void {
  freeLockOf(owner, control, inControl.sweepLock);
}

function usedIn(word: number, tag: number): number {
  return word >>> countBits === tag ? word & countMask : 0;
}

function mostUsed(found: readonly { slot: number; used: number }[], count: number) {
  return found.toSorted((a, b) => b.used - a.used).slice(0, count);
}
