import type { Answered } from './call.ts';
import { at, type Clock } from './clock.ts';
import { headerNames, type ServiceState } from './contract.ts';
import type { MarketDataFailure } from './failures.ts';
import { isFinal, isKeyRefused } from './requester.ts';

/** How the last poll went. Instants are of the monotonic clock. */
export type Condition =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ok' }
  | { readonly kind: 'limited'; readonly untilMs: number }
  | { readonly kind: 'failing'; readonly failure: MarketDataFailure; readonly retryAtMs: number };

/** Receives the results of polling. */
export interface Follower {
  /** A poll ended or began to wait: `latest` and `condition` are up to date. */
  changed(): void;
  /** Polling has stopped for good. */
  ended(failure: unknown): void;
}

export interface PollerOptions<T> {
  readonly clock: Clock;
  readonly random: () => number;
  /** One request, without retries. */
  readonly ask: (signal: AbortSignal, onWait: (waitMs: number) => void) => Promise<Answered<T>>;
  /** Time from the start of a successful poll to the start of the next. */
  readonly intervalMs: (latest: T) => number;
  /** Time from a first failure to the next poll; doubles with each further one. */
  readonly afterFailureMs: number;
}

const starting: Condition = { kind: 'starting' };
const ok: Condition = { kind: 'ok' };

/** Longest time between polls while they fail, unless the server asks for more. */
const failureWaitMaxMs = 60_000;
/** A refused key is not tried more often: failed authentication has a limit of its own. */
const refusedWaitMs = 60_000;
/** The share by which a wait can be longer, never shorter, so that clients spread out. */
const jitter = 0.1;
const failureJitter = 0.25;
/** A shorter wait for the limit is not reported. */
const reportedWaitMinMs = 1_000;

/**
 * Polls one resource while it has followers: the number of followers does not change the number of
 * requests. When the last follower leaves and another comes, the next poll is not due any sooner.
 */
export class Poller<T> {
  readonly #options: PollerOptions<T>;
  readonly #followers = new Set<Follower>();
  #stop: AbortController | undefined;
  #latest: T | undefined;
  #feedStatus: ServiceState | undefined;
  #condition: Condition = starting;
  #failures = 0;
  #startedMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;
  #rearm: (() => void) | undefined;

  constructor(options: PollerOptions<T>) {
    this.#options = options;
  }

  /** The last successful answer; it stays while polls fail. */
  get latest(): T | undefined {
    return this.#latest;
  }

  /** The state of the feed that came with the last successful answer; undefined where answers have none. */
  get feedStatus(): ServiceState | undefined {
    return this.#feedStatus;
  }

  get condition(): Condition {
    return this.#condition;
  }

  /** Starts polling with the first follower; returns the function that ends following. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    if (this.#stop === undefined) this.#start();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#halt();
    };
  }

  /**
   * Polls sooner than planned, but no sooner than `gapMs` after the start of the last poll, and never later than
   * planned.
   */
  pollSooner(gapMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, Math.max(this.#options.clock.monotonicMs(), this.#startedMs + gapMs));
    this.#rearm?.();
  }

  /** Polls at once with a key that has been exchanged; what is under way is of the old one. */
  restart(): void {
    this.#dueMs = Number.NEGATIVE_INFINITY;
    if (this.#stop === undefined) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  #start(): void {
    this.#stop = new AbortController();
    if (this.#condition.kind === 'failing' && isKeyRefused(this.#condition.failure)) {
      this.#dueMs = this.#options.clock.monotonicMs();
    }
    // What was known when the last follower left is out of date.
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
        if (isFinal(failure) && !isKeyRefused(failure)) return this.#end(failure);
        this.#failed(failure as MarketDataFailure);
      }
      this.#notify();
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { clock, ask, intervalMs, random } = this.#options;
    this.#startedMs = clock.monotonicMs();
    // The poll counts even when the last follower leaves while it runs.
    this.#dueMs = this.#startedMs + this.#options.afterFailureMs;
    const { data: latest, response } = await ask(signal, (waitMs) => this.#limited(waitMs));
    if (signal.aborted) return;
    this.#latest = latest;
    this.#feedStatus = response.headers.get(headerNames.feedStatus) ?? undefined;
    this.#condition = ok;
    this.#failures = 0;
    this.#dueMs = this.#startedMs + intervalMs(latest) * (1 + random() * jitter);
  }

  #limited(waitMs: number): void {
    if (waitMs < reportedWaitMinMs) return;
    const sendsAtMs = this.#options.clock.monotonicMs() + waitMs;
    this.#condition = { kind: 'limited', untilMs: sendsAtMs };
    this.#startedMs = sendsAtMs;
    this.#notify();
  }

  #failed(failure: MarketDataFailure): void {
    const { clock, afterFailureMs, random } = this.#options;
    const doubledMs = Math.min(Math.max(failureWaitMaxMs, afterFailureMs), afterFailureMs * 2 ** this.#failures);
    const backOffMs = isKeyRefused(failure) ? refusedWaitMs : doubledMs;
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

  #notify(): void {
    for (const follower of [...this.#followers]) follower.changed();
  }

  /** Resolves when the next poll is due, even if that changes meanwhile, or when the signal aborts. */
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
