import { at, type Clock } from './clock.ts';
import type { MarketDataFailure } from './failures.ts';
import { isFinal } from './requester.ts';

/** How the last poll went. Instants are of the monotonic clock. */
export type Condition =
  | { readonly kind: 'starting' }
  | { readonly kind: 'fine' }
  | { readonly kind: 'limited'; readonly untilMs: number }
  | { readonly kind: 'failing'; readonly failure: MarketDataFailure; readonly retryAtMs: number };

/** Someone who follows a resource. */
export interface Follower {
  /** A poll ended or began to wait: look at `latest` and `condition`. */
  changed(): void;
  /** Polling has stopped for good. */
  ended(failure: unknown): void;
}

export interface PollerOptions<T> {
  readonly clock: Clock;
  readonly random: () => number;
  /** One request, without retries. */
  readonly ask: (signal: AbortSignal, onWait: (waitMs: number) => void) => Promise<T>;
  /** Time from the start of one good poll to the start of the next. */
  readonly intervalMs: (latest: T) => number;
  /** Time from a first failure to the next poll; doubles with each further one. */
  readonly afterFailureMs: number;
}

const starting: Condition = { kind: 'starting' };
const fine: Condition = { kind: 'fine' };

/** Longest time between polls while they fail, unless the server asks for more. */
const failureWaitMaxMs = 60_000;
/** Part of every wait by which it can be longer, so that clients spread out. Never shorter. */
const jitter = 0.1;
const failureJitter = 0.25;
/** A wait for the limit below this is not worth telling. */
const tellWaitMs = 1_000;

/**
 * Polls one resource for all who follow it, while anybody does: however many follow, it costs the
 * same requests. What was due when the last one left is still due no sooner when the next one comes.
 */
export class Poller<T> {
  readonly #options: PollerOptions<T>;
  readonly #followers = new Set<Follower>();
  #stop: AbortController | undefined;
  #latest: T | undefined;
  #condition: Condition = starting;
  #failures = 0;
  #startedMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;
  #rearm: (() => void) | undefined;

  constructor(options: PollerOptions<T>) {
    this.#options = options;
  }

  /** The last good answer; it stays while polls fail. */
  get latest(): T | undefined {
    return this.#latest;
  }

  get condition(): Condition {
    return this.#condition;
  }

  /** Starts polling with the first follower; gives the function that ends following. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    if (this.#stop === undefined) this.#start();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#halt();
    };
  }

  /** Polls sooner than planned, but no sooner than `gapMs` after the start of the last poll, and never later than planned. */
  hasten(gapMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, Math.max(this.#options.clock.monotonicMs(), this.#startedMs + gapMs));
    this.#rearm?.();
  }

  #start(): void {
    this.#stop = new AbortController();
    // What was known when the last follower left may be long past.
    if (this.#options.clock.monotonicMs() >= this.#dueMs) {
      this.#latest = undefined;
      this.#condition = starting;
    }
    void this.#run(this.#stop.signal);
  }

  #halt(): void {
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#untilDue(signal);
      if (signal.aborted) return;
      try {
        await this.#poll(signal);
      } catch (failure) {
        if (signal.aborted) return;
        if (isFinal(failure)) return this.#end(failure);
        this.#failed(failure as MarketDataFailure);
      }
      this.#tell();
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { clock, ask, intervalMs, random } = this.#options;
    this.#startedMs = clock.monotonicMs();
    // Left by the last follower while it runs, it is still a poll made.
    this.#dueMs = this.#startedMs + this.#options.afterFailureMs;
    const latest = await ask(signal, (waitMs) => this.#heldBack(waitMs));
    if (signal.aborted) return;
    this.#latest = latest;
    this.#condition = fine;
    this.#failures = 0;
    this.#dueMs = this.#startedMs + intervalMs(latest) * (1 + random() * jitter);
  }

  #heldBack(waitMs: number): void {
    if (waitMs < tellWaitMs) return;
    const sendsAtMs = this.#options.clock.monotonicMs() + waitMs;
    this.#condition = { kind: 'limited', untilMs: sendsAtMs };
    this.#startedMs = sendsAtMs;
    this.#tell();
  }

  #failed(failure: MarketDataFailure): void {
    const { clock, afterFailureMs, random } = this.#options;
    const backOffMs = Math.min(Math.max(failureWaitMaxMs, afterFailureMs), afterFailureMs * 2 ** this.#failures);
    this.#failures++;
    const waitMs = Math.max(backOffMs, failure.retryAfterMs ?? 0) + backOffMs * random() * failureJitter;
    this.#dueMs = clock.monotonicMs() + waitMs;
    this.#condition = { kind: 'failing', failure, retryAtMs: this.#dueMs };
  }

  #end(failure: unknown): void {
    const followers = [...this.#followers];
    this.#followers.clear();
    this.#halt();
    for (const follower of followers) follower.ended(failure);
  }

  #tell(): void {
    for (const follower of [...this.#followers]) follower.changed();
  }

  /** Resolves when the next poll is due, however that changes meanwhile, or when the signal aborts. */
  #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const finish = () => {
        timer?.cancel();
        this.#rearm = undefined;
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const arm = () => {
        timer?.cancel();
        if (clock.monotonicMs() >= this.#dueMs) finish();
        else timer = at(clock, this.#dueMs, finish);
      };
      let timer: ReturnType<typeof at> | undefined;
      this.#rearm = arm;
      signal.addEventListener('abort', finish, { once: true });
      arm();
    });
  }
}
