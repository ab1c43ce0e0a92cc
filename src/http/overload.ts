import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { MetricGroup, Sample } from '../ground/metric.ts';

const checkEveryMs = 250;
/** Each measure ends shedding below where it begins it, so that shedding does not flicker at the bound. */
const endsAtPartOfBound = 0.5;
const endsAtPartOfShareBound = 0.9;
/** Longer than the load of before a step is seen in the figures of the last seconds (`EventLoopDelay`). */
const nextStepAfterMs = 4_000;
const busyShareMax = 0.9;

/** Signs that a process cannot keep up, or their bounds. */
export interface Pressure {
  /** The part of the time in which the serving thread works, 0 to 1 (`EventLoopDelay`). */
  readonly busyShare: number;
  /**
   * How late the event loop runs. Late without being busy is a machine that gives no time, which shedding cannot help.
   */
  readonly eventLoopDelayMs: number;
  /** The part of the heap that the runtime may use and that is in use, 0 to 1 (`heapShare`). */
  readonly heapShare: number;
  /** Bytes of answers that clients have not taken. */
  readonly unsentBytes: number;
}

export const overloadSignals = ['load', 'heap', 'unsent'] as const;
export type OverloadSignal = (typeof overloadSignals)[number];

/**
 * The steps of refusing: 0 nobody; 1 requests that need no key; 2 those with a key too, unless their connection was
 * being served before; 3 all with a key. `/v1/time` and `/v1/status` never are.
 */
export type ShedStep = 0 | 1 | 2 | 3;

/** Why requests are shed, in whole units. */
export interface OverloadCause {
  readonly signal: OverloadSignal;
  readonly step: Exclude<ShedStep, 0>;
  /** Percent of the thread's time or of the heap, or MiB of answers that wait. */
  readonly value: number;
  readonly bound: number;
  /** How late the event loop runs, in milliseconds; `undefined` but for the signal `load`. */
  readonly late: { readonly value: number; readonly bound: number } | undefined;
}

const refused: Readonly<Record<OverloadCause['step'], string>> = {
  1: 'requests without a key',
  2: 'requests without a key, and with one on new connections',
  3: 'all requests but /v1/time and /v1/status',
};

/** The present shedding, since when, and why: the signal is `undefined` while nothing is. */
export interface Shedding {
  readonly step: ShedStep;
  readonly sinceMs: number;
  readonly signal: OverloadSignal | undefined;
  readonly pressure: Pressure;
}

/** Which requests of a connection are refused. */
export type Shed = 'none' | 'keyless' | 'all';

/** The measures of an overload, and where it is reported. */
export interface OverloadOptions {
  readonly pressure: () => Pressure;
  readonly bounds: Omit<Pressure, 'busyShare'>;
  readonly log: Pick<Log, 'warn'>;
  /** Called when keys on new connections begin to be refused: who is served now is not new. */
  readonly markEstablished: () => void;
}

/**
 * Whether the service is overloaded: by its own load, by a heap that is nearly used up, or by answers that nobody
 * takes. Looked at a few times a second, so that a request only reads a field; it ends by itself.
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #bounds: Pressure;
  readonly #check: Timer;
  #shedding: Shedding;

  constructor(clock: Pick<Clock, 'every' | 'monotonicMs'>, options: OverloadOptions) {
    this.#options = options;
    this.#bounds = { ...options.bounds, busyShare: busyShareMax };
    this.#shedding = { step: 0, signal: undefined, sinceMs: clock.monotonicMs(), pressure: options.pressure() };
    this.#check = clock.every(checkEveryMs, () => this.#look(clock.monotonicMs()));
  }

  get step(): ShedStep {
    return this.#shedding.step;
  }

  get signal(): OverloadSignal | undefined {
    return this.#shedding.signal;
  }

  /** Why and what is refused; `undefined` while nothing is. */
  get cause(): OverloadCause | undefined {
    const { step, signal, pressure } = this.#shedding;
    if (signal === undefined || step === 0) return undefined;
    const measured = (measure: keyof Pressure, unit: number) => {
      const [value = 0, bound = 0] = [pressure, this.#bounds].map((each) => Math.round(each[measure] / unit));
      return { value, bound };
    };
    const { measure, unit } = measureOf[signal];
    const late = signal === 'load' ? measured('eventLoopDelayMs', 1) : undefined;
    return { signal, step, ...measured(measure, unit), late };
  }

  /** The cause in words, for an operator. */
  get note(): string | undefined {
    const { cause } = this;
    return cause && overloadText(cause);
  }

  /** @param isEstablished the connection was being served before */
  shed(isEstablished: boolean): Shed {
    const { step } = this.#shedding;
    if (step === 0) return 'none';
    return step === 1 || (step === 2 && isEstablished) ? 'keyless' : 'all';
  }

  stop(): void {
    this.#check.cancel();
  }

  #look(nowMs: number): void {
    const was = this.#shedding;
    this.#shedding = nextShedding(was, this.#options.pressure(), this.#bounds, nowMs);
    const { step, signal, pressure } = this.#shedding;
    if (step === was.step) return;
    if (step === 2 && was.step === 1) this.#options.markEstablished();
    const figures = { signal: signal ?? was.signal, step, ...pressure };
    this.#options.log.warn(figures, this.note ?? 'no longer overloaded');
  }
}

/**
 * One step after the other, each only if the one before did not help. Load never refuses clients that are being served:
 * a late answer is better than none. Memory does, before the process ends.
 */
export function nextShedding(was: Shedding, pressure: Pressure, bounds: Pressure, nowMs: number): Shedding {
  const signal = signalOf(pressure, bounds, was.signal);
  if (signal === undefined) return was.step === 0 ? was : { step: 0, signal, sinceMs: nowMs, pressure };
  const isDue = was.step === 0 || nowMs - was.sinceMs >= nextStepAfterMs;
  const step = Math.min(was.step + Number(isDue), signal === 'load' ? 2 : 3) as ShedStep;
  return { step, signal, sinceMs: step === was.step ? was.sinceMs : nowMs, pressure };
}

/** @param was the signal that requests are shed for, which ends below its bound only */
function signalOf(pressure: Pressure, bounds: Pressure, was: OverloadSignal | undefined): OverloadSignal | undefined {
  const isOver = (measure: keyof Pressure, signal: OverloadSignal, endsAt: number) =>
    pressure[measure] > bounds[measure] * (was === signal ? endsAt : 1);
  if (isOver('heapShare', 'heap', endsAtPartOfShareBound)) return 'heap';
  if (isOver('unsentBytes', 'unsent', endsAtPartOfBound)) return 'unsent';
  const isLate = isOver('eventLoopDelayMs', 'load', endsAtPartOfBound);
  return isLate && isOver('busyShare', 'load', endsAtPartOfShareBound) ? 'load' : undefined;
}

/** The measure of each signal, and the unit that it is told in. */
const measureOf: Readonly<Record<OverloadSignal, { readonly measure: keyof Pressure; readonly unit: number }>> = {
  load: { measure: 'busyShare', unit: 0.01 },
  heap: { measure: 'heapShare', unit: 0.01 },
  unsent: { measure: 'unsentBytes', unit: 2 ** 20 },
};

/** Says why requests are shed, and which. */
export function overloadText({ signal, step, value, bound, late }: OverloadCause): string {
  return `overloaded: ${causeText()}; ${refused[step]} are refused`;

  function causeText(): string {
    if (signal === 'heap') return `${value} % (bound ${bound} %) of the heap is in use`;
    if (signal === 'unsent') return `${value} MiB (bound ${bound} MiB) of answers wait for their clients`;
    const delay = `${late?.value} ms (bound ${late?.bound} ms)`;
    return `the serving thread is busy ${value} % (bound ${bound} %) and late by ${delay}`;
  }
}

/**
 * The share of the heap limit that is in use, 0 to 1. It includes garbage, but the closer the runtime comes to its
 * limit the more it collects: what stays near the limit is in use. At the limit the process ends.
 */
export function heapShare(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

/** Gives how much of the machine's memory this process may use. Answers that wait are outside the heap. */
export function memoryBytes(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

export const overloadMetrics: MetricGroup<Pick<Overload, 'signal'>> = {
  title: 'Overload',
  metrics: [
    {
      name: 'overload',
      help: '1 for the signal that requests are shed for, 0 for the others.',
      labels: ['signal'],
      read: ({ signal }) => overloadSignals.map((each): Sample => [each, Number(each === signal)]),
    },
  ],
};
