const minuteMs = 60_000;

/** The connections tried to one exchange within the last minute. */
export class RecentConnects {
  #atMs: number[] = [];

  note(nowMs: number): void {
    this.#atMs.push(nowMs);
  }

  /** How long until one more is within the limit per minute. */
  waitMs(nowMs: number, perMinuteMax: number): number {
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < minuteMs);
    const oldest = this.#atMs.at(-perMinuteMax);
    return oldest === undefined ? 0 : oldest + minuteMs - nowMs;
  }
}
