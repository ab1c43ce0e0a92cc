/** The server gives whole milliseconds, cut off: its clock may be so much further. */
const serverResolutionMs = 1;
/** By how much two clocks part in a millisecond at most, each slewed by half a thousandth as time services do. */
const driftMax = 0.001;

/**
 * This process's knowledge of the clock of the Redis server, which decides the windows of all nodes. It goes on by
 * this process's monotonic clock: how the node's own wall clock is set plays no part.
 */
export class ServerTime {
  /** Server instant minus monotonic instant: at least, and at most. */
  #offsetMsMin: number | undefined;
  #offsetMsMax = 0;
  #learntMs = 0;
  #newestWindow = 0;

  get isKnown(): boolean {
    return this.#offsetMsMin !== undefined;
  }

  /** The window the server named last; 0 before it named any. */
  get newestWindow(): number {
    return this.#newestWindow;
  }

  /**
   * An answer came. The server read its clock between the two monotonic instants.
   *
   * @param serverMs epoch milliseconds by the server's clock
   * @param windowNumber what the server takes for the current window
   */
  learn(serverMs: number, windowNumber: number, sentMs: number, receivedMs: number): void {
    this.#offsetMsMin = serverMs - receivedMs;
    this.#offsetMsMax = serverMs + serverResolutionMs - sentMs;
    this.#learntMs = receivedMs;
    this.#newestWindow = windowNumber;
  }

  /**
   * The earliest instant it can be on the server by its latest answer, in epoch milliseconds. `undefined` while nothing
   * is known.
   */
  earliest(monotonicMs: number): number | undefined {
    return this.#offsetMsMin === undefined ? undefined : monotonicMs + this.#offsetMsMin;
  }

  /** The latest instant it can be there, however the clocks have parted since that answer. */
  latest(monotonicMs: number): number | undefined {
    if (this.#offsetMsMin === undefined) return undefined;
    return monotonicMs + this.#offsetMsMax + (monotonicMs - this.#learntMs) * driftMax;
  }
}
