import type { Static } from 'typebox';
import type { Clock, Timer } from '../clock.ts';
import { durationBounds, type RequestCounts } from '../http/request-counts.ts';
import { count, counts, figure, instantMs, named, orNull } from '../operator/fields.ts';

const secondMs = 1_000;
const secondsMax = 10;
const minuteMs = 60_000;
export const minutesMax = 1_440;

export const MinuteSchema = named('Minute', 'One minute of the service.', {
  atMs: instantMs('When it ended.'),
  requests: count('Requests answered.', 120),
  errors: counts('Of these, error answers by code.', { UNKNOWN_SYMBOL: 2 }),
  p50Ms: orNull(figure('Milliseconds in which half of them were answered; null when there were none.', 0.4)),
  p99Ms: orNull(figure('The same for 99 of 100.', 0.4)),
  held: count('Prices and rates that the guard held back at its end.', 0),
});

type Minute = Static<typeof MinuteSchema>;

/** Requests over time, from the counters of the public listener. Lost when the process ends. */
export class RequestHistory {
  readonly #counts: RequestCounts;
  readonly #held: () => number;
  readonly #clock: Clock;
  readonly #timers: readonly Timer[];
  readonly #seconds: { readonly atMs: number; readonly total: number }[] = [];
  readonly #minutes: Minute[] = [];
  #errors: ReadonlyMap<string, number>;
  #answers: readonly number[];

  /** @param held how many prices and rates the guard holds back now */
  constructor(counts: RequestCounts, held: () => number, clock: Clock) {
    this.#counts = counts;
    this.#held = held;
    this.#clock = clock;
    this.#errors = new Map(counts.byCode);
    this.#answers = answersByDuration(counts);
    this.#sampleSecond();
    this.#timers = [
      clock.every(secondMs, () => this.#sampleSecond()),
      clock.every(minuteMs, () => this.#sampleMinute()),
    ];
  }

  /** Requests answered since the start. */
  total(): number {
    return sumOf(answersByDuration(this.#counts));
  }

  /** Requests answered a second, over the last ten seconds, to two decimals; 0 in the first second. */
  perSecond(): number {
    const oldest = this.#seconds[0]!;
    const elapsedMs = this.#clock.monotonicMs() - oldest.atMs;
    if (elapsedMs < secondMs) return 0;
    return Math.round(((this.total() - oldest.total) * 100_000) / elapsedMs) / 100;
  }

  /** The last 24 hours, oldest first: the minutes that ended after an instant. */
  minutesSince(sinceMs: number): Minute[] {
    return this.#minutes.filter(({ atMs }) => atMs > sinceMs);
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  #sampleSecond(): void {
    this.#seconds.push({ atMs: this.#clock.monotonicMs(), total: this.total() });
    if (this.#seconds.length > secondsMax) this.#seconds.shift();
  }

  #sampleMinute(): void {
    const [errorsBefore, answersBefore] = [this.#errors, this.#answers];
    this.#errors = new Map(this.#counts.byCode);
    this.#answers = answersByDuration(this.#counts);
    const answers = this.#answers.map((count, index) => count - answersBefore[index]!);
    const errors = [...this.#errors].map(([code, count]) => [code, count - (errorsBefore.get(code) ?? 0)] as const);
    this.#minutes.push({
      atMs: this.#clock.now(),
      requests: sumOf(answers),
      errors: Object.fromEntries(errors.filter(([, count]) => count > 0)),
      p50Ms: quantileMs(answers, 0.5),
      p99Ms: quantileMs(answers, 0.99),
      held: this.#held(),
    });
    if (this.#minutes.length > minutesMax) this.#minutes.shift();
  }
}

/** Answers by how long they took; those over the last bound come last. */
function answersByDuration({ durationsByRoute }: RequestCounts): number[] {
  const routes = [...durationsByRoute.values()];
  const within = durationBounds.map((_, index) => sumOf(routes.map(({ counts }) => counts[index]!)));
  return [...within, sumOf(routes.map(({ count }) => count)) - sumOf(within)];
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Estimates a quantile as Prometheus does: evenly spread within a bucket, and the last bound for whatever took longer. */
function quantileMs(answers: readonly number[], share: number): number | null {
  let rank = share * sumOf(answers);
  if (rank === 0) return null;
  for (const [index, upper] of durationBounds.entries()) {
    const count = answers[index]!;
    const lower = durationBounds[index - 1] ?? 0;
    if (rank <= count) return Math.round((lower + ((upper - lower) * rank) / count) * 1e6) / 1e3;
    rank -= count;
  }
  return durationBounds.at(-1)! * 1_000;
}
