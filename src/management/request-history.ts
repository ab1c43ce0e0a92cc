import type { Static } from 'typebox';
import { randomBase62 } from '../ground/base62.ts';
import type { Clock, EpochMs, Randomness, Timer } from '../ground/clock.ts';
import { type Log, tellingOnce } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import { durationBounds, type RequestCounts } from '../http/request-counts.ts';
import { count, counts, figure, instantMs, named, orNull } from '../operator/fields.ts';
import type { RequestMinute, RequestMinutes } from '../store/request-minutes.ts';
import { yieldToEvents } from '../store/store-context.ts';

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

interface RequestHistoryOptions {
  readonly counts: RequestCounts;
  /** How many prices and rates the guard holds back now. */
  readonly held: () => number;
  readonly store: Pick<RequestMinutes, 'add' | 'between'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** Bounds how late a minute is saved, and looked for, after the store did not answer. */
const lateMs = 10 * minuteMs;
/** Then the other processes have saved the same minute. */
const lookAgainMs = 5_000;
const loadHours = 24;

/** Requests over time, of this process to the second and of all on the database by the minute. */
export class RequestHistory {
  readonly #options: RequestHistoryOptions;
  readonly #process: string;
  readonly #seconds: { readonly atMs: number; readonly total: number }[] = [];
  /** By their ends, and then by process. */
  readonly #minutes = new Map<number, Map<string, RequestMinute>>();
  #unsaved: RequestMinute[] = [];
  #timers: readonly Timer[] = [];
  #nextMinute: Timer | undefined;
  #nextLook: Timer | undefined;
  #loadedUntil: EpochMs;
  readonly #saving = new SerialQueue();
  readonly #guarded: ReturnType<typeof tellingOnce>;
  #errors: ReadonlyMap<string, number>;
  #answers: readonly number[];

  constructor(options: RequestHistoryOptions) {
    const { counts, clock, randomness, log } = options;
    this.#options = options;
    this.#guarded = tellingOnce((err) => log.warn({ err }, 'minutes of requests cannot be saved; it is tried again'));
    this.#process = randomBase62(16, randomness);
    this.#errors = new Map(counts.byCode);
    this.#answers = answersByDuration(counts);
    this.#loadedUntil = (clock.now() - loadHours * 60 * minuteMs) as EpochMs;
    this.#sampleSecond();
  }

  /** Begins to count, and to load the last day. */
  start(): void {
    const { clock } = this.#options;
    this.#timers = [clock.every(secondMs, () => this.#sampleSecond())];
    this.#awaitMinute(Math.floor(clock.now() / minuteMs) * minuteMs);
    this.#save();
  }

  /** Requests answered since the start. */
  total(): number {
    return sumOf(answersByDuration(this.#options.counts));
  }

  /** Requests answered a second, over the last ten seconds, to two decimals; 0 in the first second. */
  perSecond(): number {
    const oldest = this.#seconds[0]!;
    const elapsedMs = this.#options.clock.monotonicMs() - oldest.atMs;
    if (elapsedMs < secondMs) return 0;
    return Math.round(((this.total() - oldest.total) * 100_000) / elapsedMs) / 100;
  }

  /** The last 24 hours, oldest first: the minutes that ended after an instant. */
  minutesSince(sinceMs: number): Minute[] {
    const ends = [...this.#minutes.keys()].filter((atMs) => atMs > sinceMs).sort((one, other) => one - other);
    return ends.map((atMs) => minuteOf(atMs, [...this.#minutes.get(atMs)!.values()]));
  }

  /** Saves the minute that has begun, too. */
  async stop(): Promise<void> {
    if (this.#timers.length === 0) return;
    for (const timer of [...this.#timers, this.#nextMinute, this.#nextLook]) timer?.cancel();
    this.#sampleMinute(Math.ceil(this.#options.clock.now() / minuteMs) * minuteMs);
    this.#save();
    await this.#saving.idle();
  }

  #sampleSecond(): void {
    this.#seconds.push({ atMs: this.#options.clock.monotonicMs(), total: this.total() });
    if (this.#seconds.length > secondsMax) this.#seconds.shift();
  }

  /** Whole minutes of the wall clock, also when a timer fires a little early or the clock jumps. */
  #awaitMinute(lastMs: number): void {
    const { clock } = this.#options;
    this.#nextMinute = clock.after(lastMs + minuteMs - clock.now(), () => {
      const atMs = Math.round(clock.now() / minuteMs) * minuteMs;
      this.#sampleMinute(atMs);
      this.#awaitMinute(atMs);
      this.#save();
      this.#nextLook = clock.after(lookAgainMs, () => this.#save());
    });
  }

  #sampleMinute(atMs: number): void {
    const { counts, held } = this.#options;
    const [errorsBefore, answersBefore] = [this.#errors, this.#answers];
    this.#errors = new Map(counts.byCode);
    this.#answers = answersByDuration(counts);
    const answers = this.#answers.map((count, index) => [boundNames[index]!, count - answersBefore[index]!] as const);
    const errors = [...this.#errors].map(([code, count]) => [code, count - (errorsBefore.get(code) ?? 0)] as const);
    const minute = {
      process: this.#process,
      at: atMs as EpochMs,
      answers: Object.fromEntries(answers.filter(([, count]) => count > 0)),
      errors: Object.fromEntries(errors.filter(([, count]) => count > 0)),
      held: held(),
    };
    this.#keep(minute);
    for (const each of this.#minutes.keys()) if (each <= atMs - minutesMax * minuteMs) this.#minutes.delete(each);
    this.#unsaved = [...this.#unsaved, minute].slice(-lateMs / minuteMs);
  }

  #keep(minute: RequestMinute): void {
    const processes = this.#minutes.get(minute.at) ?? new Map<string, RequestMinute>();
    processes.set(minute.process, minute);
    this.#minutes.set(minute.at, processes);
  }

  #save(): void {
    void this.#saving.run(() => this.#guarded(() => this.#saveAndLoad()));
  }

  /** Writes what is not saved and reads what is new of all processes, an hour at a time. */
  async #saveAndLoad(): Promise<void> {
    const { store, clock } = this.#options;
    const unsaved = this.#unsaved;
    await store.add(unsaved, (clock.now() - minutesMax * minuteMs) as EpochMs);
    this.#unsaved = this.#unsaved.filter((minute) => !unsaved.includes(minute));
    while (this.#loadedUntil < clock.now()) {
      const until = (this.#loadedUntil + 60 * minuteMs) as EpochMs;
      for (const minute of await store.between(this.#loadedUntil, until)) this.#keep(minute);
      this.#loadedUntil = until;
      await yieldToEvents();
    }
    this.#loadedUntil = (clock.now() - lateMs) as EpochMs;
  }
}

const boundNames = [...durationBounds.map(String), '+Inf'];

/**
 * Sums what all processes did in one minute. A bound that this version does not have counts as the next larger that it
 * has.
 */
function minuteOf(atMs: number, processes: readonly RequestMinute[]): Minute {
  const answers = boundNames.map(() => 0);
  const errors: Record<string, number> = {};
  for (const process of processes) {
    for (const [bound, count] of Object.entries(process.answers)) {
      const index = durationBounds.findIndex((upper) => Number(bound) <= upper);
      answers[bound === '+Inf' || index === -1 ? durationBounds.length : index]! += count;
    }
    for (const [code, count] of Object.entries(process.errors)) errors[code] = (errors[code] ?? 0) + count;
  }
  return {
    atMs,
    requests: sumOf(answers),
    errors,
    p50Ms: quantileMs(answers, 0.5),
    p99Ms: quantileMs(answers, 0.99),
    held: Math.max(...processes.map(({ held }) => held)),
  };
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

/**
 * Estimates a quantile as Prometheus does: evenly spread within a bucket, and the last bound for whatever took longer.
 */
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
