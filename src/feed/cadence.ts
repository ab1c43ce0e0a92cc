const windowMs = 30_000;

/**
 * How steadily live prices come, whatever market they are of. A source that never paused for long and then falls
 * silent, with its connection alive, is distinguished by this from one that is merely quiet. All instants are
 * monotonic.
 */
export class Cadence {
  #lastAtMs: number | undefined;
  #windowStartMs = 0;
  #longestMs = 0;
  /** The longest pause of the window before; `undefined`: nothing was heard for so long yet. */
  #longestBeforeMs: number | undefined;

  /** When the last price came on this connection. */
  get lastAtMs(): number | undefined {
    return this.#lastAtMs;
  }

  /**
   * Prices came without a longer pause than `pauseMaxMs` for at least half a minute, until the last one; with 0 never.
   */
  wasSteady(pauseMaxMs: number): boolean {
    return this.#longestBeforeMs !== undefined && Math.max(this.#longestBeforeMs, this.#longestMs) <= pauseMaxMs;
  }

  /** A price came. */
  note(nowMs: number): void {
    if (this.#lastAtMs === undefined) this.#windowStartMs = nowMs;
    else this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastAtMs);
    this.#lastAtMs = nowMs;
    if (nowMs - this.#windowStartMs < windowMs) return;
    this.#longestBeforeMs = this.#longestMs;
    this.#longestMs = 0;
    this.#windowStartMs = nowMs;
  }

  /** The connection ended: the next one is judged on its own prices. */
  reset(): void {
    this.#lastAtMs = undefined;
    this.#longestMs = 0;
    this.#longestBeforeMs = undefined;
  }
}
