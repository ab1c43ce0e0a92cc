import type { Clock, EpochMs, Timer } from '../../src/ground/clock.ts';

interface Event {
  readonly atMs: number;
  /** Events of one instant happen in the order in which they were made. */
  readonly order: number;
  readonly lane: Lane;
  run: (() => void) | undefined;
}

/** What has gone wrong in code that nobody awaits. */
export type Failure = (error: unknown, lane: Lane) => void;

/** When each world begins. */
export const epochMs = Date.parse('2026-11-24T10:00:00.000Z');
/** Events between two turns of the real event loop, so that a signal can end the run. */
const eventsInTurnMax = 20_000;
/**
 * What looks more often looks so often, except for what hurries: that is within every time that the contract states.
 */
const busyEveryMs = 200;
/** The shortest period of repeated work in a quiet stretch, at whose end all of it is done. */
const quietEveryMs = 60_000;
/**
 * That of what looks whether something is silent, below every silence that is reported: one of 4.5 s is a process that
 * stood still.
 */
const quietWatchEveryMs = 4_000;
const watching = /\/(?:live-link|push-session|recorder)\.ts/;
/** That of what others hear: exchanges, and the board's publisher, which looks every `publishEveryMs`. */
const quietHeardEveryMs = 3_000;
const publishEveryMs = 50;
/**
 * Waits from the first on take as long as the longest does for the lease to be renewed in time; one of a second is a
 * pause between two looks.
 */
const pauseMs = [400, 1_000] as const;
const quietPauseMs = 1_500;
const nativeImmediate = setImmediate;

/** Runs what was put off to the next tick and every promise that can go on, at once. */
const runPromises = (process as unknown as { _tickCallback(): void })._tickCallback;

/** Virtual time: a heap of events. Nothing waits; time is that of the event that happens. */
export class Scheduler {
  /** Since the beginning of the run. */
  nowMs = 0;
  events = 0;
  current: Lane;
  /** Nothing begins or ends in them: [from, to], in their order. */
  readonly #quiet: readonly (readonly [number, number])[];
  #quietAt = 0;
  readonly #heap: Event[] = [];
  readonly #failed: Failure;
  readonly #immediates: { readonly run: () => void; readonly lane: Lane }[] = [];
  #order = 0;
  #held: Promise<unknown> | undefined;

  constructor(failed: Failure, quiet: readonly (readonly [number, number])[] = []) {
    this.#failed = failed;
    this.#quiet = quiet;
    this.current = new Lane(this, 'world', undefined);
  }

  lane(name: string, parent?: Lane): Lane {
    return new Lane(this, name, parent);
  }

  get isQuiet(): boolean {
    while (this.nowMs >= (this.#quiet[this.#quietAt]?.[1] ?? Number.POSITIVE_INFINITY)) this.#quietAt++;
    return this.nowMs >= (this.#quiet[this.#quietAt]?.[0] ?? Number.POSITIVE_INFINITY);
  }

  /** Until the quiet stretch ends; 0 where there is none. */
  get quietForMs(): number {
    return this.isQuiet ? this.#quiet[this.#quietAt]![1] - this.nowMs : 0;
  }

  /** How long ago the last quiet stretch ended; 0 in one. */
  get sinceQuietMs(): number {
    return this.isQuiet ? 0 : this.nowMs - (this.#quiet[this.#quietAt - 1]?.[1] ?? Number.NEGATIVE_INFINITY);
  }

  /** @param delayMs by the time of the world, whatever the clocks say */
  after(lane: Lane, delayMs: number, run: () => void): Timer {
    const event: Event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order++, lane, run };
    this.#push(event);
    return {
      cancel() {
        event.run = undefined;
      },
    };
  }

  /** Once the code that runs has come to its end, before time goes on. */
  immediately(run: () => void): void {
    this.#immediates.push({ run, lane: this.current });
  }

  /** Time waits for something of the platform, such as the loading of a module. */
  hold(promise: Promise<unknown>): void {
    this.#held = promise;
  }

  /** Has everything happen up to an instant. */
  async runTo(endMs: number): Promise<void> {
    while (!(await this.#turn(endMs)));
    this.nowMs = endMs;
  }

  #turn(endMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      nativeImmediate(() => {
        for (let count = 0; count < eventsInTurnMax; count++) {
          if (!this.#step(endMs)) return resolve(true);
          const held = this.#held;
          this.#held = undefined;
          if (held === undefined) continue;
          const goOn = () => nativeImmediate(() => resolve(false));
          held.then(goOn, goOn);
          return;
        }
        resolve(false);
      });
    });
  }

  /** False where nothing is left until that instant. */
  #step(endMs: number): boolean {
    const event = this.#heap[0];
    if (event === undefined || event.atMs > endMs) return false;
    this.#pop();
    const { lane, run } = event;
    if (run === undefined || lane.isDead) return true;
    if (lane.isFrozen) {
      lane.keep(event);
      return true;
    }
    this.nowMs = Math.max(this.nowMs, event.atMs);
    this.events++;
    this.#run(lane, run);
    for (let next = this.#immediates.shift(); next !== undefined; next = this.#immediates.shift())
      if (!next.lane.isDead) this.#run(next.lane, next.run);
    return true;
  }

  #run(lane: Lane, run: () => void): void {
    this.current = lane;
    try {
      run();
    } catch (error) {
      this.#failed(error, lane);
    }
    runPromises();
  }

  /** Puts events of a lane that stood still back, in their order. */
  resume(events: readonly Event[]): void {
    for (const { lane, run } of events) if (run !== undefined) this.after(lane, 0, run);
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Something with a fate of its own: a process, a thread of it, a server. It has clocks, and can stand still or die. */
export class Lane {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #parent: Lane | undefined;
  readonly #resources = new Set<() => void>();
  /** Its short waits may take longer in a quiet stretch. */
  isPatient = false;
  #isDead = false;
  #isFrozen = false;
  #kept: Event[] = [];
  #wallMs = epochMs;
  #monotonicMs = 0;
  #readAtMs = 0;
  #rate = 1;

  constructor(scheduler: Scheduler, name: string, parent: Lane | undefined) {
    this.#scheduler = scheduler;
    this.name = name;
    this.#parent = parent;
    this.#readAtMs = scheduler.nowMs;
    this.#wallMs += scheduler.nowMs;
  }

  get isDead(): boolean {
    return this.#isDead || this.#parent?.isDead === true;
  }

  get isFrozen(): boolean {
    return this.#isFrozen || this.#parent?.isFrozen === true;
  }

  /** The process that it is, or is a part of. */
  get root(): Lane {
    return this.#parent?.root ?? this;
  }

  /** How far its wall clock is off. */
  get offMs(): number {
    return this.clock.now() - Math.floor(epochMs + this.#scheduler.nowMs);
  }

  readonly clock: Clock = {
    now: () => Math.floor(this.root.#wallMs + this.root.#elapsedMs) as EpochMs,
    monotonicMs: () => this.root.#monotonicMs + this.root.#elapsedMs,
    after: (delayMs, run) => {
      const isPause = this.isPatient && delayMs >= pauseMs[0] && delayMs <= pauseMs[1] && this.#scheduler.isQuiet;
      const longMs = delayMs === pauseMs[1] ? this.#quietly(quietEveryMs, delayMs) : quietPauseMs;
      const waitMs = isPause ? longMs : Math.max(1, Math.ceil(delayMs));
      return this.#scheduler.after(this, waitMs / this.root.#rate, run);
    },
    every: (periodMs, run) => {
      const busyMs = periodMs < publishEveryMs ? periodMs : Math.max(periodMs, busyEveryMs);
      const isHeard = periodMs <= publishEveryMs || !this.root.isPatient;
      // Asked once for each timer.
      const isWatch = watching.test(new Error().stack!);
      const longMs = isWatch ? quietWatchEveryMs : quietEveryMs;
      const quietMs = Math.max(periodMs, isHeard ? quietHeardEveryMs : longMs);
      const fire = () => {
        timer = this.clock.after(this.#quietly(quietMs, busyMs), fire);
        run();
      };
      let timer = this.clock.after(periodMs, fire);
      return { cancel: () => timer.cancel() };
    },
  };

  /** The longer time in a quiet stretch, up to its end. */
  #quietly(longMs: number, shortMs: number): number {
    return Math.max(shortMs, Math.min(longMs, this.#scheduler.quietForMs));
  }

  /** Has it run `run` after `delayMs` of the world, which nobody cancels. */
  later(delayMs: number, run: () => void): void {
    this.#scheduler.after(this, delayMs, run);
  }

  stepClock(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** @param rate seconds of its clocks in one of the world */
  drift(rate: number): void {
    const elapsedMs = this.#elapsedMs;
    this.#wallMs += elapsedMs;
    this.#monotonicMs += elapsedMs;
    this.#readAtMs = this.#scheduler.nowMs;
    this.#rate = rate;
  }

  get #elapsedMs(): number {
    return (this.#scheduler.nowMs - this.#readAtMs) * this.#rate;
  }

  /** Released when it dies. @returns takes it back */
  own(release: () => void): () => void {
    this.#resources.add(release);
    return () => this.#resources.delete(release);
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#scheduler.resume(this.#kept.splice(0));
  }

  keep(event: Event): void {
    this.root.#kept.push(event);
  }

  /** Nothing of it runs any more, and what it held is released as the system does. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    for (const release of [...this.#resources].reverse()) release();
    this.#resources.clear();
  }
}
