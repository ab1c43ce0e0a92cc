import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';

const sampleEveryMs = 10;
const turnEveryMs = 2000;

interface Recording {
  readonly histogram: ELDHistogram;
  startedMs: number;
}

/**
 * How late the event loop runs, over the last two to four seconds. Two recordings take turns in
 * starting again; the older one is read, so that a reading never rests on a handful of samples.
 */
export class EventLoopDelay {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #older: Recording;
  #newer: Recording;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    const nowMs = clock.monotonicMs();
    this.#older = record(nowMs);
    this.#newer = record(nowMs);
  }

  /** The 99th percentile in milliseconds; 0 during the first two seconds. Read it several times a second. */
  p99Ms(): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#newer.startedMs >= turnEveryMs) this.#turn(nowMs);
    if (nowMs - this.#older.startedMs < turnEveryMs) return 0;
    const { histogram } = this.#older;
    // A sample is the time between two looks, which on an idle loop is the interval itself.
    return histogram.count === 0 ? 0 : Math.max(0, histogram.percentile(99) / 1e6 - sampleEveryMs);
  }

  /** Forgets what was: a start keeps the loop busy with what no client waits for. */
  restart(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const recording of [this.#older, this.#newer]) {
      recording.histogram.reset();
      recording.startedMs = nowMs;
    }
  }

  stop(): void {
    this.#older.histogram.disable();
    this.#newer.histogram.disable();
  }

  #turn(nowMs: number): void {
    const restarted = this.#older;
    restarted.histogram.reset();
    restarted.startedMs = nowMs;
    this.#older = this.#newer;
    this.#newer = restarted;
  }
}

function record(startedMs: number): Recording {
  const histogram = monitorEventLoopDelay({ resolution: sampleEveryMs });
  histogram.enable();
  return { histogram, startedMs };
}
