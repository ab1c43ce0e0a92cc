import { getHeapStatistics } from 'node:v8';
import type { Clock, Timer } from '../clock.ts';

const checkEveryMs = 250;
/** Each measure ends shedding well below where it begins it, so that shedding does not flicker at the bound. */
const endsAtPartOfBound = 0.5;
const endsAtPartOfHeapBound = 0.9;

/** A sign that a process cannot keep up. */
export interface Pressure {
  /** How late the event loop runs now (`EventLoopDelay`). */
  readonly eventLoopDelayMs: number;
  /** Which part of the heap that the runtime may use is in use, 0 to 1 (`heapShare`). */
  readonly heapShare: number;
  /** Bytes of answers that clients have not taken. */
  readonly unsentBytes: number;
}

/** What an overload is measured by, and where it is reported. */
export interface OverloadOptions {
  readonly pressure: () => Pressure;
  /** Above any of these requests are shed; well below all of them they are taken again. */
  readonly bounds: Pressure;
  /** Called on every change, with the pressure that led to it. */
  readonly changed: (isShedding: boolean, pressure: Pressure) => void;
}

/**
 * Whether the service is overloaded: its event loop runs so late that everybody waits, or its memory is nearly used
 * up and the next burst would end it. Looked at a few times a second, so that a request only reads a flag; it ends
 * by itself.
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #check: Timer;
  #isShedding = false;

  constructor(clock: Pick<Clock, 'every'>, options: OverloadOptions) {
    this.#options = options;
    this.#check = clock.every(checkEveryMs, () => this.#look());
  }

  /** While true, requests of clients that were not served before are to be refused. */
  get isShedding(): boolean {
    return this.#isShedding;
  }

  stop(): void {
    this.#check.cancel();
  }

  #look(): void {
    const pressure = this.#options.pressure();
    const isShedding = this.#isTooMuch(pressure);
    if (isShedding === this.#isShedding) return;
    this.#isShedding = isShedding;
    this.#options.changed(isShedding, pressure);
  }

  #isTooMuch({ eventLoopDelayMs, heapShare, unsentBytes }: Pressure): boolean {
    const { bounds } = this.#options;
    const part = this.#isShedding ? endsAtPartOfBound : 1;
    const heapPart = this.#isShedding ? endsAtPartOfHeapBound : 1;
    return (
      eventLoopDelayMs > bounds.eventLoopDelayMs * part ||
      heapShare > bounds.heapShare * heapPart ||
      unsentBytes > bounds.unsentBytes * part
    );
  }
}

/**
 * The share of the heap limit that is in use, 0 to 1. It includes garbage, but the closer the runtime comes to its limit the
 * more it collects: what stays near the limit is in use. At the limit the process ends.
 */
export function heapShare(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}
