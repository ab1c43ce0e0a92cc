import type { Follower } from './poller.ts';
import { finalState, isSameState, type WatchState } from './watch-state.ts';

export interface WatchOptions {
  /** Ends the watch; the loop over it ends as if there were no more data. */
  readonly signal?: AbortSignal;
  /**
   * Called on each change of state, before the data that comes with it. If it throws, the watch ends with that error.
   * With it a watch outlives a refused key, in the state `unauthorized`, until `exchangeKey` or the operator makes it
   * good again.
   */
  readonly onState?: (state: WatchState) => void;
  /** `true` yields data even while it is not reliable (`outage`, `unrecognized`), for example for a display. */
  readonly includeStale?: boolean;
}

/** Data that is polled while a loop reads it. Ends with `break`, the signal, or a permanent failure. */
export interface Watch<T> extends AsyncIterableIterator<T> {
  /** What is known about the service now. */
  readonly state: WatchState;
  /** The last answer, whether or not the loop has yielded it; undefined before the first. */
  readonly latest: T | undefined;
  next(): Promise<IteratorResult<T, undefined>>;
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): Watch<T>;
}

/** What a watch reads. */
export interface WatchSource<T> {
  /** Starts polling; returns the function that stops it. */
  follow(follower: Follower): () => void;
  latest(): T | undefined;
  state(): WatchState;
  /** Whether the watch yields `latest` in this state. */
  isOffered(state: WatchState): boolean;
  isSame(one: T, other: T): boolean;
}

interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (failure: unknown) => void;
}

const done = { done: true, value: undefined } as const;

/**
 * Turns a polled source into an iterator. A slow reader skips values that were replaced, and always gets the current
 * one.
 */
export class PolledWatch<T> implements Watch<T> {
  readonly #source: WatchSource<T>;
  readonly #options: WatchOptions;
  readonly #waiting: Waiting<T>[] = [];
  #unfollow: (() => void) | undefined;
  #state: WatchState = { kind: 'starting' };
  #delivered: T | undefined;
  #isEnded = false;
  /** Thrown once, by the first `next` that finds it. */
  #failure: { readonly thrown: unknown } | undefined;
  readonly #abort = () => this.#end(undefined);

  constructor(source: WatchSource<T>, options: WatchOptions) {
    this.#source = source;
    this.#options = options;
  }

  get state(): WatchState {
    return this.#state;
  }

  get latest(): T | undefined {
    return this.#source.latest();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#isEnded && this.#unfollow === undefined) this.#start();
    if (this.#failure !== undefined) {
      const { thrown } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(thrown);
    }
    if (this.#isEnded) return Promise.resolve(done);
    const result = new Promise<IteratorResult<T, undefined>>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    this.#deliver();
    return result;
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#end(undefined);
    return Promise.resolve(done);
  }

  #start(): void {
    const { signal } = this.#options;
    if (signal?.aborted) {
      this.#end(undefined);
      return;
    }
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#unfollow = this.#source.follow({
      changed: () => this.#changed(),
      ended: (failure) => {
        const state = finalState(failure);
        if (state !== undefined) this.#enter(state);
        this.#end({ thrown: failure });
      },
    });
    this.#changed();
  }

  #changed(): void {
    if (this.#isEnded) return;
    const state = this.#source.state();
    this.#enter(state);
    // Without a listener nobody would learn why nothing comes any more.
    const isUnheard = state.kind === 'unauthorized' && this.#options.onState === undefined;
    if (isUnheard) this.#end({ thrown: state.failure });
    this.#deliver();
  }

  #enter(state: WatchState): void {
    const isNews = !isSameState(state, this.#state);
    this.#state = state;
    if (!isNews) return;
    try {
      this.#options.onState?.(state);
    } catch (thrown) {
      this.#end({ thrown });
    }
  }

  #deliver(): void {
    const latest = this.#source.latest();
    if (this.#isEnded || this.#waiting.length === 0 || latest === undefined) return;
    if (!this.#source.isOffered(this.#state)) return;
    if (this.#delivered !== undefined && this.#source.isSame(latest, this.#delivered)) return;
    this.#delivered = latest;
    this.#waiting.shift()?.resolve({ done: false, value: latest });
  }

  #end(failure: { readonly thrown: unknown } | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#unfollow?.();
    const [first, ...others] = this.#waiting.splice(0);
    if (failure === undefined) first?.resolve(done);
    else if (first === undefined) this.#failure = failure;
    else first.reject(failure.thrown);
    for (const { resolve } of others) resolve(done);
  }
}
