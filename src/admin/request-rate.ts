import type { Clock, Timer } from '../clock.ts';
import type { RequestCounts } from '../http/request-counts.ts';

const sampleEveryMs = 1_000;
const spanSamples = 10;

/** Requests answered a second, over the last ten seconds. */
export class RequestRate {
  readonly #counts: Pick<RequestCounts, 'byRouteAndStatus'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #timer: Timer;
  #samples: { readonly atMs: number; readonly total: number }[] = [];

  constructor(counts: Pick<RequestCounts, 'byRouteAndStatus'>, clock: Clock) {
    this.#counts = counts;
    this.#clock = clock;
    this.#timer = clock.every(sampleEveryMs, () => this.#sample());
    this.#sample();
  }

  /** Requests answered since the start. */
  total(): number {
    let total = 0;
    for (const statuses of this.#counts.byRouteAndStatus.values())
      for (const count of statuses.values()) total += count;
    return total;
  }

  /** To two decimals; 0 in the first second. */
  perSecond(): number {
    const oldest = this.#samples[0]!;
    const elapsedMs = this.#clock.monotonicMs() - oldest.atMs;
    if (elapsedMs < sampleEveryMs) return 0;
    return Math.round(((this.total() - oldest.total) * 100_000) / elapsedMs) / 100;
  }

  stop(): void {
    this.#timer.cancel();
  }

  #sample(): void {
    this.#samples.push({ atMs: this.#clock.monotonicMs(), total: this.total() });
    if (this.#samples.length > spanSamples) this.#samples = this.#samples.slice(-spanSamples);
  }
}
