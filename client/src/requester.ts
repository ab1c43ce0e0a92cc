import { detailsOf, failureOf, figuresOf, frozenBody, retryAfterMsOf } from './answer.ts';
import type { Budget, Permit } from './budget.ts';
import type { Answered } from './call.ts';
import { type Clock, sleepUntil } from './clock.ts';
import { headerNames } from './contract.ts';
import { ApiProblem, MarketDataFailure, TimeoutFailure } from './failures.ts';
import type { Hooks } from './hooks.ts';
import type { GivenTickers } from './newest.ts';
import type { ServerClock } from './server-clock.ts';
import type { Answer, Wire } from './wire.ts';

/** A resource of the API, and how to read it. */
export interface Resource<T> {
  /** Path and query. */
  readonly path: string;
  /** Throws `ShapeError` when the body violates the contract. */
  readonly read: (body: unknown) => T;
  /** The server's time, where the answer states it. */
  serverTimeMs?(value: T): number;
  /** What the caller gets for an answer, where something newer was given before. The answer when left out. */
  newest?(answered: T, given: GivenTickers): T;
}

export interface CallLimits {
  readonly signal: AbortSignal | undefined;
  /** At least 1. */
  readonly attempts: number;
  /** For all attempts and waits together; can be infinite. */
  readonly deadlineMs: number;
  /** Called with the time that the request waits for the key's limit. */
  readonly onWait?: (waitMs: number) => void;
}

/** A key: what sends it, and what is left of its limit. */
export interface Session {
  readonly wire: Wire;
  readonly budget: Budget;
}

export interface RequesterOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly hooks: Hooks;
  /** `false` sends without waiting for the budget. */
  readonly waitsForBudget: boolean;
  readonly attemptTimeoutMs: number;
}

interface Cached {
  readonly etag: string | undefined;
  readonly text: string;
  readonly value: unknown;
}

/** Back-off after the nth failure: a random share of 0.5 s, 1 s, 2 s … 8 s. */
const backOffBaseMs = 500;
const backOffMaxMs = 8_000;
/** The most that is added to `Retry-After`, so that clients refused together do not return together. */
const retrySpreadMs = 1_000;
/** More than all resources with an entity tag, unless a caller requests thousands of single tickers. */
const cacheEntriesMax = 1_000;

/** Requests resources, with the key's budget, retries, entity tags and one deadline for all of it. */
export class Requester {
  readonly #options: RequesterOptions;
  #session: Session;
  /** The last answer of each path, the least recently used first. */
  readonly #cache = new Map<string, Cached>();

  constructor(options: RequesterOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** Everything that is sent from now on has another key. */
  exchange(session: Session): void {
    this.#session = session;
  }

  /**
   * The resource, frozen; the same object as before while it has not changed.
   * Rejects with a `MarketDataFailure`, with the signal's reason, or with what a hook throws.
   */
  async get<T>(resource: Resource<T>, limits: CallLimits): Promise<Answered<T>> {
    const { clock, random, hooks } = this.#options;
    const deadlineMs = clock.monotonicMs() + limits.deadlineMs;
    for (let attempt = 1; ; attempt++) {
      const session = this.#session;
      try {
        return await this.#attempt(resource, limits, deadlineMs, attempt);
      } catch (failure) {
        // Said of a key that has been exchanged meanwhile.
        if (isKeyRefused(failure) && session !== this.#session) continue;
        if (!(failure instanceof MarketDataFailure) || !failure.retryable || attempt >= limits.attempts) throw failure;
        const waitMs = backOffMs(attempt, failure.retryAfterMs, random);
        const dueMs = clock.monotonicMs() + waitMs;
        // A wait past the deadline is useless: the caller gets the failure at once.
        if (dueMs >= deadlineMs) throw failure;
        hooks.onRetry?.({ path: resource.path, attempt, failure, waitMs });
        await sleepUntil(clock, dueMs, limits.signal);
      }
    }
  }

  async #attempt<T>(resource: Resource<T>, { signal, onWait }: CallLimits, deadlineMs: number, attempt: number) {
    const { clock, hooks, waitsForBudget, attemptTimeoutMs } = this.#options;
    const { path } = resource;
    let session: Session;
    let permit: Permit | undefined;
    do {
      permit?.lost();
      session = this.#session;
      const { budget } = session;
      permit = waitsForBudget ? await budget.take({ path, signal, deadlineMs, onWait }) : budget.takeNow();
    } while (session !== this.#session);
    const leftMs = deadlineMs - clock.monotonicMs();
    const cached = this.#cache.get(path);
    let answer: Answer;
    try {
      if (leftMs <= 0) throw new TimeoutFailure(path, 'deadline', `no time left for the request to ${path}`);
      hooks.onRequest?.({ path, attempt });
      const limit = leftMs < attemptTimeoutMs ? 'deadline' : 'attempt';
      answer = await session.wire.ask(path, cached?.etag, {
        signal,
        timeoutMs: Math.min(leftMs, attemptTimeoutMs),
        limit,
      });
    } catch (failure) {
      permit.lost();
      throw failure;
    }
    const data = this.#interpret(resource, answer, cached, { ...session, permit, attempt });
    return { data, response: detailsOf(answer) };
  }

  #interpret<T>(
    resource: Resource<T>,
    answer: Answer,
    cached: Cached | undefined,
    { budget, wire, permit, attempt }: Session & { readonly permit: Permit; readonly attempt: number },
  ): T {
    const { hooks } = this.#options;
    const { serverClock } = budget;
    const { path } = resource;
    try {
      hooks.onResponse?.({ path, attempt, ...observed(answer) });
      const figures = figuresOf(answer);
      if (figures !== undefined) serverClock.recordWindowEnd(figures.resetMs, answer.sentMs, answer.receivedMs);
      if (answer.status === 304 && cached?.etag !== undefined) return this.#keep(path, cached) as T;
      if (answer.status === 200) return this.#fresh(resource, answer, cached, serverClock);
      const retryAfterMs = retryAfterMsOf(answer, serverClock.now());
      if (answer.status === 429) budget.block(retryAfterMs ?? 0);
      throw failureOf(answer, path, retryAfterMs, (text) => wire.redact(text));
    } finally {
      permit.answered(figuresOf(answer));
    }
  }

  #fresh<T>(resource: Resource<T>, answer: Answer, cached: Cached | undefined, serverClock: ServerClock): T {
    const { path, read } = resource;
    const etag = answer.header('etag');
    // A restarted server has new tags for the same bytes, and a proxy can drop tags: neither is a change.
    const isSame = cached !== undefined && cached.text === answer.text;
    const value = isSame ? (cached.value as T) : frozenBody(answer, path, read);
    this.#keep(path, { etag, text: answer.text, value });
    const serverMs = resource.serverTimeMs?.(value);
    if (serverMs !== undefined) serverClock.record(serverMs, answer.sentMs, answer.receivedMs);
    return value;
  }

  #keep(path: string, cached: Cached): unknown {
    this.#cache.delete(path);
    this.#cache.set(path, cached);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > cacheEntriesMax && oldest !== undefined) this.#cache.delete(oldest);
    return cached.value;
  }
}

function observed({ status, header, sentMs, receivedMs }: Answer) {
  return { status, requestId: header(headerNames.requestId), durationMs: receivedMs - sentMs };
}

function backOffMs(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * retrySpreadMs;
  return random() * Math.min(backOffMaxMs, backOffBaseMs * 2 ** (attempt - 1));
}

/** Whether a failure says that the key is not taken. */
export function isKeyRefused(failure: unknown): failure is ApiProblem {
  return failure instanceof ApiProblem && failure.status === 401;
}

/** Whether a failure persists until the caller changes something, so that polling on is useless. */
export function isFinal(failure: unknown): boolean {
  if (!(failure instanceof MarketDataFailure)) return true;
  return failure instanceof ApiProblem && failure.status < 500 && !failure.retryable;
}
