import type { Clock, Timer } from '../clock.ts';
import type { LeaseStore } from './redis-lease.ts';

export interface LeaseObserver {
  /** From now on this node is the one that acts, with this fencing number. */
  gained(fence: number): void;
  /** It is no longer. */
  lost(reason: string): void;
}

/** How long a lease lasts on the server unless renewed. The second takes over within five seconds of the first's death. */
const leaseMs = 3_000;
/** How much sooner its holder takes it for ended: clocks do not run at quite the same speed. */
const marginMs = 300;
const renewEveryMs = 750;
const tryEveryMs = 500;

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
  #fence: number | undefined;
  #endsMs = 0;
  #isAsking = false;
  #isStopped = false;
  #askTimer: Timer | undefined;
  #endTimer: Timer | undefined;

  /** @param holder names this process, and no other that was or will be */
  constructor(store: LeaseStore, clock: Clock, holder: string, observer: LeaseObserver) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = holder;
    this.#observer = observer;
  }

  /** The fencing number while this node may act, checked against the clock; `undefined` otherwise. Ask before every act. */
  get fence(): number | undefined {
    return this.#clock.monotonicMs() < this.#endsMs ? this.#fence : undefined;
  }

  start(): void {
    this.#ask();
  }

  /** Something was refused: another holds the lease, whatever this node assumes. */
  refused(): void {
    this.#lose('another node holds the lease');
  }

  /** Gives the lease back, so that another node need not wait for its end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#askTimer?.cancel();
    const fence = this.fence;
    this.#lose('this node stops');
    if (fence !== undefined) await this.#store.release(this.#holder, fence).catch(() => {});
  }

  #ask(): void {
    this.#schedule();
    // One request at a time: no further ones queue behind an answer that never comes.
    if (this.#isAsking) return;
    this.#isAsking = true;
    const askedMs = this.#clock.monotonicMs();
    const asking = this.#fence === undefined ? this.#acquire(askedMs) : this.#renew(this.#fence, askedMs);
    asking
      .catch(() => {})
      .then(() => {
        this.#isAsking = false;
      });
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#askTimer?.cancel();
    this.#askTimer = this.#clock.after(this.#fence === undefined ? tryEveryMs : renewEveryMs, () => this.#ask());
  }

  async #acquire(askedMs: number): Promise<void> {
    const fence = await this.#store.acquire(this.#holder, leaseMs);
    if (fence === undefined) return;
    const isUsable = !this.#isStopped && this.#clock.monotonicMs() < this.#endOf(askedMs);
    if (!isUsable) {
      await this.#store.release(this.#holder, fence);
      return;
    }
    this.#fence = fence;
    this.#holdUntil(this.#endOf(askedMs));
    this.#schedule();
    this.#observer.gained(fence);
  }

  async #renew(fence: number, askedMs: number): Promise<void> {
    const isHeld = await this.#store.renew(this.#holder, fence, leaseMs);
    if (this.#fence !== fence) return;
    if (!isHeld) this.#lose('the lease was lost');
    else if (this.fence === undefined) this.#lose('the lease was renewed too late');
    else this.#holdUntil(this.#endOf(askedMs));
  }

  #endOf(askedMs: number): number {
    return askedMs + leaseMs - marginMs;
  }

  #holdUntil(endsMs: number): void {
    this.#endsMs = endsMs;
    this.#endTimer?.cancel();
    this.#endTimer = this.#clock.after(endsMs - this.#clock.monotonicMs(), () => this.#lose('the lease ran out'));
  }

  #lose(reason: string): void {
    if (this.#fence === undefined) return;
    this.#fence = undefined;
    this.#endTimer?.cancel();
    this.#schedule();
    this.#observer.lost(reason);
  }
}
