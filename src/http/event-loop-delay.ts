import { type ELDHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Clock } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { Pressure } from './overload.ts';

const sampleEveryMs = 10;
const turnEveryMs = 2000;

/** Since any instant: how long the event loop of a thread did not wait, and how long it had a processor. */
export interface ThreadTimes {
  readonly activeMs: number;
  readonly processorMs: number;
}

interface Recording extends ThreadTimes {
  readonly histogram: ELDHistogram;
  readonly startedMs: number;
}

/** The times of the thread that asks. */
export function thisThread(): ThreadTimes {
  const { user, system } = process.threadCpuUsage();
  return { activeMs: performance.eventLoopUtilization().active, processorMs: (user + system) / 1_000 };
}

/**
 * How late the event loop runs and how much of it is work of its own, over the last two to four seconds. Two recordings
 * take turns in starting again; the older one is read, so that a reading never rests on a handful of samples.
 */
export class EventLoopDelay {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #thread: () => ThreadTimes;
  #older: Recording;
  #newer: Recording;

  /** @param thread of the thread that this is made in, when left out */
  constructor(clock: Pick<Clock, 'monotonicMs'>, thread = thisThread) {
    this.#clock = clock;
    this.#thread = thread;
    this.#older = this.#begin(monitorEventLoopDelay({ resolution: sampleEveryMs }));
    this.#newer = this.#begin(monitorEventLoopDelay({ resolution: sampleEveryMs }));
  }

  /** The 99th percentile in milliseconds; 0 during the first two seconds. Read it several times a second. */
  p99Ms(): number {
    return this.read().eventLoopDelayMs;
  }

  /**
   * The same, and the part of the time in which the loop was active and had a processor: a thread that is stopped, or
   * waits for a processor that others use, is not busy.
   */
  read(): Pick<Pressure, 'busyShare' | 'eventLoopDelayMs'> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#newer.startedMs >= turnEveryMs)
      [this.#older, this.#newer] = [this.#newer, this.#begin(this.#older.histogram)];
    const { histogram, startedMs, activeMs, processorMs } = this.#older;
    const spanMs = nowMs - startedMs;
    if (spanMs < turnEveryMs) return { busyShare: 0, eventLoopDelayMs: 0 };
    const now = this.#thread();
    const workedMs = Math.min(now.activeMs - activeMs, now.processorMs - processorMs);
    // A sample is the time between two looks, which on an idle loop is the interval itself.
    const delayMs = histogram.count === 0 ? 0 : histogram.percentile(99) / 1e6 - sampleEveryMs;
    return { busyShare: workedMs / spanMs, eventLoopDelayMs: Math.max(0, delayMs) };
  }

  /** Forgets what was: a start keeps the loop busy with what no client waits for. */
  restart(): void {
    this.#older = this.#begin(this.#older.histogram);
    this.#newer = this.#begin(this.#newer.histogram);
  }

  stop(): void {
    this.#older.histogram.disable();
    this.#newer.histogram.disable();
  }

  #begin(histogram: ELDHistogram): Recording {
    histogram.enable();
    histogram.reset();
    return { ...this.#thread(), histogram, startedMs: this.#clock.monotonicMs() };
  }
}

export const servingThreadMetrics: MetricGroup<Pick<EventLoopDelay, 'read'>> = {
  title: 'Overload',
  metrics: [
    {
      name: 'serving_thread_busy_ratio',
      help: 'Share of the last seconds in which the serving thread had work and a processor.',
      read: (delay) => delay.read().busyShare,
    },
  ],
};
