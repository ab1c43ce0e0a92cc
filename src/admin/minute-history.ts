import type { Clock, EpochMs, Timer } from '../clock.ts';
import { durationBounds, type RequestCounts } from '../http/request-counts.ts';

/** What happened in one minute. */
export interface Minute {
  /** When it ended. */
  readonly atMs: EpochMs;
  readonly requests: number;
  readonly errors: Readonly<Record<string, number>>;
  /** Half of the answers took no longer; `null` where there were none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Prices and rates that the guard held back when the minute ended. */
  readonly held: number;
}

interface MinuteSources {
  readonly counts: Pick<RequestCounts, 'byCode' | 'durationsByRoute'>;
  readonly held: () => number;
}

interface Totals {
  readonly errors: ReadonlyMap<string, number>;
  /** Answers by how long they took; those over the last bound come last. */
  readonly answers: readonly number[];
}

const sampleEveryMs = 60_000;
export const minutesMax = 1_440;

/** The last 24 hours, a minute each, from the counters that are there. Gone with the process. */
export class MinuteHistory {
  readonly #sources: MinuteSources;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #timer: Timer;
  #minutes: Minute[] = [];
  #before: Totals;

  constructor(sources: MinuteSources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
    this.#before = totalsOf(sources);
    this.#timer = clock.every(sampleEveryMs, () => this.#sample());
  }

  /** Oldest first, those that ended after an instant. */
  since(sinceMs: number): Minute[] {
    return this.#minutes.filter(({ atMs }) => atMs > sinceMs);
  }

  stop(): void {
    this.#timer.cancel();
  }

  #sample(): void {
    const before = this.#before;
    const now = totalsOf(this.#sources);
    this.#before = now;
    const answers = now.answers.map((count, index) => count - before.answers[index]!);
    const errors = [...now.errors].map(([code, count]) => [code, count - (before.errors.get(code) ?? 0)] as const);
    this.#minutes.push({
      atMs: this.#clock.now(),
      requests: answers.reduce((sum, count) => sum + count, 0),
      errors: Object.fromEntries(errors.filter(([, count]) => count > 0)),
      p50Ms: quantileMs(answers, 0.5),
      p99Ms: quantileMs(answers, 0.99),
      held: this.#sources.held(),
    });
    if (this.#minutes.length > minutesMax) this.#minutes.shift();
  }
}

function totalsOf({ counts }: MinuteSources): Totals {
  const answers = new Array<number>(durationBounds.length + 1).fill(0);
  for (const durations of counts.durationsByRoute.values()) {
    let over = durations.count;
    for (const [index, count] of durations.counts.entries()) {
      answers[index]! += count;
      over -= count;
    }
    answers[durationBounds.length]! += over;
  }
  return { errors: new Map(counts.byCode), answers };
}

/** As Prometheus estimates it: evenly spread within a bucket, and the last bound for whatever took longer. */
function quantileMs(answers: readonly number[], share: number): number | null {
  let rank = share * answers.reduce((sum, count) => sum + count, 0);
  if (rank === 0) return null;
  for (const [index, upper] of durationBounds.entries()) {
    const count = answers[index]!;
    const lower = durationBounds[index - 1] ?? 0;
    if (rank <= count) return Math.round((lower + ((upper - lower) * rank) / count) * 1e6) / 1e3;
    rank -= count;
  }
  return durationBounds.at(-1)! * 1_000;
}
