import { at, type Clock, type Timer } from './clock.ts';
import { limitWindowMs } from './contract.ts';
import { TimeoutFailure } from './failures.ts';
import { ServerClock } from './server-clock.ts';

/** The limit of the key in one minute. */
export interface LimitFigures {
  readonly limit: number;
  readonly remaining: number;
  /** End of the window, milliseconds since the Unix epoch by the server's clock. */
  readonly resetMs: number;
}

/** Permission to send one request. The caller calls exactly one of the two methods, once. */
export interface Permit {
  /** `figures` is undefined when the answer has no limit headers or those of another counter. */
  answered(figures: LimitFigures | undefined): void;
  /** No answer: it is unknown whether the server counted the request. */
  lost(): void;
}

interface Waiter {
  readonly admit: () => void;
  readonly onWait: ((waitMs: number) => void) | undefined;
}

export interface TakeOptions {
  readonly path: string;
  readonly signal: AbortSignal | undefined;
  /** Monotonic instant at which the caller stops waiting. */
  readonly deadlineMs: number;
  /** Called with the length of the wait, once that is known. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
}

/** Spreads the callers that waited for the same window over its first half second. */
const spreadMaxMs = 500;

/**
 * One API key's requests of the current minute, shared by everyone in this process who uses the key.
 * Counts a request as spent from the moment it is sent, so that parallel callers cannot pass the
 * limit together. Until the first answer reports the limit, requests go one at a time.
 */
export class Budget {
  readonly serverClock: ServerClock;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #waiters = new Set<Waiter>();
  #figures: LimitFigures | undefined;
  /** The server answers without limit headers, so there is nothing to count against. */
  #isUnmetered = false;
  #inFlight = 0;
  #blockedUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  /** Drawn once for each wait, so that the length reported to callers stays true. */
  #spreadMs: number | undefined;

  constructor(clock: Clock, random: () => number, serverClock = new ServerClock(clock)) {
    this.serverClock = serverClock;
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether few requests are left in the window: its exact end matters soon, and can still be measured. */
  get isScarce(): boolean {
    if (this.#figures === undefined) return false;
    const left = this.#figures.remaining - this.#inFlight;
    return left > 0 && left <= this.#figures.limit / 4;
  }

  /** What is left of the current minute, requests under way taken off; undefined before an answer has said it. */
  get left(): LimitFigures | undefined {
    if (this.#figures === undefined) return undefined;
    const { limit, remaining, resetMs } = this.#figures;
    const pastMs = this.serverClock.now() - resetMs;
    if (pastMs < 0) return { limit, remaining: Math.max(0, remaining - this.#inFlight), resetMs };
    const minutesPast = Math.floor(pastMs / limitWindowMs) + 1;
    return { limit, remaining: Math.max(0, limit - this.#inFlight), resetMs: resetMs + limitWindowMs * minutesPast };
  }

  /** The server refused a request: no request is sent for this long. */
  block(forMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#clock.monotonicMs() + forMs);
  }

  /** A permit at once, whatever is left: for clients that do not wait. */
  takeNow(): Permit {
    this.#inFlight++;
    return { answered: (figures) => this.#settle(figures, true), lost: () => this.#settle(undefined, false) };
  }

  /**
   * A permit as soon as the limit allows, first come, first served. Rejects with the signal's reason, or
   * with `TimeoutFailure` as soon as it is clear that the deadline comes first.
   */
  async take({ path, signal, deadlineMs, onWait }: TakeOptions): Promise<Permit> {
    signal?.throwIfAborted();
    if (this.#waiters.size === 0 && this.#waitMs() === 0) return this.takeNow();
    const waitMs = this.#waitMs();
    const nowMs = this.#clock.monotonicMs();
    if (Number.isFinite(waitMs) && nowMs + waitMs > deadlineMs) throw limitReached(path, waitMs);
    await this.#queue(path, signal, deadlineMs, onWait);
    return { answered: (figures) => this.#settle(figures, true), lost: () => this.#settle(undefined, false) };
  }

  #queue(path: string, signal: AbortSignal | undefined, deadlineMs: number, onWait: TakeOptions['onWait']) {
    return new Promise<void>((resolve, reject) => {
      const cleanUp = () => {
        this.#waiters.delete(waiter);
        deadline?.cancel();
        signal?.removeEventListener('abort', stop);
      };
      const stop = () => {
        cleanUp();
        reject(signal?.reason);
        this.#pump();
      };
      const admit = () => {
        cleanUp();
        resolve();
      };
      const giveUp = () => {
        cleanUp();
        reject(limitReached(path, this.#waitMs()));
      };
      const waiter: Waiter = { admit, onWait };
      const deadline = Number.isFinite(deadlineMs) ? at(this.#clock, deadlineMs, giveUp) : undefined;
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', stop, { once: true });
      this.#pump();
    });
  }

  #settle(figures: LimitFigures | undefined, wasAnswered: boolean): void {
    this.#inFlight--;
    if (figures !== undefined) this.#learn(figures);
    else if (wasAnswered) this.#isUnmetered = this.#figures === undefined;
    // The server may have counted it; the next window corrects this.
    else if (this.#figures !== undefined) this.#spend(this.#figures);
    this.#pump();
  }

  #learn(figures: LimitFigures): void {
    this.#isUnmetered = false;
    const known = this.#figures;
    if (known === undefined || figures.resetMs > known.resetMs) this.#figures = figures;
    // Answers can arrive out of order: within a window the smallest is the newest, unless the limit itself changed.
    const isOfWindow = figures.resetMs === known?.resetMs;
    if (isOfWindow && (figures.remaining < known.remaining || figures.limit !== known.limit)) this.#figures = figures;
  }

  #spend({ limit, remaining, resetMs }: LimitFigures): void {
    this.#figures = { limit, remaining: remaining - 1, resetMs };
  }

  #pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const waiter of this.#waiters) {
      const waitMs = this.#waitMs();
      if (waitMs > 0) {
        this.#wakeAfter(waitMs);
        return;
      }
      this.#inFlight++;
      waiter.admit();
    }
  }

  #wakeAfter(waitMs: number): void {
    if (!Number.isFinite(waitMs)) return;
    this.#spreadMs ??= this.#random() * spreadMaxMs;
    const totalMs = waitMs + this.#spreadMs;
    this.#timer = at(this.#clock, this.#clock.monotonicMs() + totalMs, () => {
      this.#spreadMs = undefined;
      this.#pump();
    });
    for (const { onWait } of this.#waiters) onWait?.(totalMs);
  }

  /** 0: send now. Infinite: a pending answer decides. Else the time to the next window, or to the end of a block. */
  #waitMs(): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#blockedUntilMs) return this.#blockedUntilMs - nowMs;
    if (this.#figures === undefined) return this.#isUnmetered || this.#inFlight === 0 ? 0 : Number.POSITIVE_INFINITY;
    const endsAtMs = this.serverClock.certainlyReachedAtMs(this.#figures.resetMs);
    if (nowMs >= endsAtMs) this.#openNextWindow(this.#figures);
    else if (this.#figures.remaining - this.#inFlight <= 0) return endsAtMs - nowMs;
    return this.#figures.remaining - this.#inFlight > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Pending requests may be counted in the new window, so they stay counted here. */
  #openNextWindow({ limit, resetMs }: LimitFigures): void {
    const minutesPast = Math.floor((this.serverClock.now() - resetMs) / limitWindowMs);
    this.#figures = { limit, remaining: limit, resetMs: resetMs + limitWindowMs * (Math.max(0, minutesPast) + 1) };
  }
}

function limitReached(path: string, waitMs: number): TimeoutFailure {
  const retryAfterMs = Number.isFinite(waitMs) ? Math.ceil(waitMs) : limitWindowMs;
  const message = `the rate limit of the key is used up for another ${retryAfterMs} ms, which is past the deadline of the call to ${path}`;
  return new TimeoutFailure(path, 'deadline', message, retryAfterMs);
}

/** Budgets by clock, service and key: two clients with one key share one, unless they have different clocks. */
const shared = new WeakMap<Clock, Map<string, Budget>>();

/** The budget of a key at a service. */
export function sharedBudget(
  clock: Clock,
  random: () => number,
  baseUrl: string,
  apiKey: string,
  serverClock?: ServerClock,
): Budget {
  const budgets = shared.get(clock) ?? new Map<string, Budget>();
  shared.set(clock, budgets);
  const id = `${baseUrl} ${apiKey}`;
  const budget = budgets.get(id) ?? new Budget(clock, random, serverClock);
  budgets.set(id, budget);
  return budget;
}
