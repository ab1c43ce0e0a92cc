import { windowsHeldBackMax } from './count-script.ts';

/** This node's knowledge of one counter in the current window. */
export interface KnownCount {
  /** The count the server answered last. */
  seen: number;
  /** Admitted by this node alone, while the server could not be reached; reported to it with the next request. */
  admittedAlone: number;
  /** The part of it that is being reported to the server, and not acknowledged yet. */
  reporting: number;
}

const countersMax = 250_000;

/** Counters of the current window, by name. Their number is bounded: for what is not remembered the server is asked. */
export class KnownCounts {
  #counts = new Map<string, KnownCount>();
  #windowNumber = 0;

  /** The window all counts are of; 0 before the first. */
  get windowNumber(): number {
    return this.#windowNumber;
  }

  /**
   * Sets the current window. An older one is not accepted, unless so old that the newer one was the mistake. Returns
   * whether it is current.
   */
  enter(windowNumber: number): boolean {
    const behind = this.#windowNumber - windowNumber;
    if (behind === 0) return true;
    if (behind > 0 && behind <= windowsHeldBackMax) return false;
    this.#windowNumber = windowNumber;
    this.#counts = new Map();
    return true;
  }

  /** The counts are of this window: which one it is was not known when they were counted. */
  rename(windowNumber: number): void {
    this.#windowNumber = windowNumber;
  }

  /**
   * Finds the known count of a counter, for its caller to read and change. `undefined` when no more can be remembered.
   */
  of(counter: string): KnownCount | undefined {
    let known = this.#counts.get(counter);
    if (known === undefined && this.#counts.size < countersMax) {
      known = { seen: 0, admittedAlone: 0, reporting: 0 };
      this.#counts.set(counter, known);
    }
    return known;
  }
}

/** Gives the requests of a counter that were admitted, as far as this process knows. */
export function usedOf({ seen, admittedAlone, reporting }: KnownCount): number {
  return seen + admittedAlone + reporting;
}
