import type { Clock, Timer } from '../ground/clock.ts';
import type { LeaseStore } from './redis-lease.ts';

/** Learns who acts, each time that changes. */
export interface LeaseObserver {
  /** From now on this node is the one that acts, with this fencing number. */
  gained(fence: number): void;
  /** Another node acts: the server says so. */
  elsewhere(): void;
  /** The server could not be asked for `unreachableAfterMs`: nobody knows who acts. */
  unreachable(reason: string): void;
  /** The server could not be asked, for the first time after it could. */
  failed(reason: string): void;
}

/**
 * How long a lease lasts on the server unless renewed. The second takes over within five seconds of the first's death.
 */
const leaseMs = 3_000;
/** How much sooner its holder takes it for ended: clocks do not run at quite the same speed. */
const marginMs = 300;
const renewEveryMs = 750;
const tryEveryMs = 500;
/** Leaves three seconds of the five that a price may be old for a feed to start. Longer than four questions. */
const unreachableAfterMs = 2_000;
/** A timer that comes so much too late shows that this process stood still: it has not asked meanwhile. */
const stoodStillMs = 1_000;

type Standing = 'unknown' | 'held' | 'elsewhere' | 'unreachable';

/**
 * Which of several nodes acts. The lease ends by the server's clock; its holder counts from before it asked, by its own
 * monotonic clock, and stops before that: so two nodes never act as the holder at once. A holder that
 * was frozen between reading `fence` and acting is refused by the fencing number (see `leaseScripts`).
 */
export class FeedLease {
  readonly #store: LeaseStore;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #observer: LeaseObserver;
  #standing: Standing = 'unknown';
  #fence: number | undefined;
  #endsMs = 0;
  #lastError: string | undefined;
  #isAsking = false;
  #isStopped = false;
  #askTimer: Timer | undefined;
  #silenceTimer: Timer | undefined;

  /** @param holder names this process, and no other that was or will be: letters, digits, `-` and `_` */
  constructor(store: LeaseStore, clock: Clock, holder: string, observer: LeaseObserver) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = holder;
    this.#observer = observer;
  }

  /**
   * The fencing number while this node may act, checked against the clock; `undefined` otherwise. Ask before every act.
   */
  get fence(): number | undefined {
    return this.#clock.monotonicMs() < this.#endsMs ? this.#fence : undefined;
  }

  /** Why the server cannot be asked; `undefined` while it can. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  start(): void {
    this.#awaitAnswer();
    this.#ask();
  }

  /** Something was refused: asks at once whether another holds the lease. */
  refused(): void {
    if (!this.#isStopped) this.#ask();
  }

  /** Gives the lease back, so that another node need not wait for its end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#askTimer?.cancel();
    this.#silenceTimer?.cancel();
    const { fence } = this;
    this.#fence = undefined;
    if (fence !== undefined) await this.#store.release(this.#holder, fence).catch(() => {});
  }

  #ask(): void {
    this.#askTimer?.cancel();
    this.#askTimer = this.#clock.after(this.fence === undefined ? tryEveryMs : renewEveryMs, () => this.#ask());
    // One request at a time: no further ones queue behind an answer that never comes.
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#askStore().then(
      () => this.#answered(),
      (error: unknown) => this.#failed(error),
    );
  }

  async #askStore(): Promise<void> {
    const { fence } = this;
    if (fence === undefined || !(await this.#renew(fence))) await this.#acquire();
  }

  /** Gives whether there is nothing more to ask. */
  async #renew(fence: number): Promise<boolean> {
    const askedMs = this.#clock.monotonicMs();
    const isHeld = await this.#store.renew(this.#holder, fence, leaseMs);
    // Renewed too late: what it was is over, and is asked for anew.
    if (isHeld && this.fence === fence) this.#hold(fence, askedMs);
    else this.#fence = undefined;
    return this.#isStopped || this.#fence !== undefined;
  }

  async #acquire(): Promise<void> {
    const askedMs = this.#clock.monotonicMs();
    const fence = await this.#store.acquire(this.#holder, leaseMs);
    if (fence === undefined) return this.#stand('elsewhere', () => this.#observer.elsewhere());
    const isUsable = !this.#isStopped && this.#clock.monotonicMs() < askedMs + leaseMs - marginMs;
    if (!isUsable) return this.#store.release(this.#holder, fence);
    this.#standing = 'unknown';
    this.#hold(fence, askedMs);
  }

  #hold(fence: number, askedMs: number): void {
    this.#fence = fence;
    this.#endsMs = askedMs + leaseMs - marginMs;
    this.#stand('held', () => this.#observer.gained(fence));
  }

  #stand(standing: Standing, tell: () => void): void {
    const isNew = standing !== this.#standing;
    this.#standing = standing;
    if (isNew && !this.#isStopped) tell();
  }

  #answered(): void {
    this.#isAsking = false;
    this.#lastError = undefined;
    this.#awaitAnswer();
  }

  #failed(error: unknown): void {
    this.#isAsking = false;
    const reason = error instanceof Error ? error.message : 'failed';
    // Before the first answer the connection is still being made.
    if (this.#lastError === undefined && this.#standing !== 'unknown' && !this.#isStopped)
      this.#observer.failed(reason);
    this.#lastError = reason;
  }

  #awaitAnswer(): void {
    this.#silenceTimer?.cancel();
    if (this.#isStopped) return;
    const dueMs = this.#clock.monotonicMs() + unreachableAfterMs;
    this.#silenceTimer = this.#clock.after(unreachableAfterMs, () => {
      if (this.#clock.monotonicMs() > dueMs + stoodStillMs) return this.#awaitAnswer();
      const reason = this.#lastError ?? `no answer within ${unreachableAfterMs} ms`;
      this.#stand('unreachable', () => this.#observer.unreachable(reason));
    });
  }
}
