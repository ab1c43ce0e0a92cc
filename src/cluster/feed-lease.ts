import type { Clock, Timer } from '../clock.ts';

/** Where leases are kept, for all nodes. Every method may reject, or take for ever. */
export interface LeaseStore {
  /**
   * Takes the lease when nobody holds it. Gives the fencing number of this holding, higher than any given before;
   * `undefined` when another holds it.
   */
  acquire(holder: string, forMs: number): Promise<number | undefined>;
  /** Makes a held lease last from now on. False when it is not held under this number any more. */
  renew(holder: string, fence: number, forMs: number): Promise<boolean>;
  /** Gives a held lease back; of any other it changes nothing. */
  release(holder: string, fence: number): Promise<void>;
}

export interface LeaseObserver {
  /** From now on this node is the one that acts, with this fencing number. */
  gained(fence: number): void;
  /** It is no longer. */
  lost(reason: string): void;
}

export interface LeaseTiming {
  /** How long a lease lasts on the server unless renewed. */
  readonly leaseMs: number;
  /** How much sooner its holder takes it for ended: clocks do not run at quite the same speed. */
  readonly marginMs: number;
  readonly renewEveryMs: number;
  readonly tryEveryMs: number;
}

/** The second takes over within five seconds of the first's death: the lease, one try and the time they take. */
const leaseTiming: LeaseTiming = { leaseMs: 3_000, marginMs: 300, renewEveryMs: 750, tryEveryMs: 500 };

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
  readonly #timing: LeaseTiming;
  #fence: number | undefined;
  #endsMs = 0;
  #isAsking = false;
  #isStopped = false;
  #askTimer: Timer | undefined;
  #endTimer: Timer | undefined;

  /** @param holder names this process, and no other that was or will be */
  constructor(store: LeaseStore, clock: Clock, holder: string, observer: LeaseObserver, timing = leaseTiming) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = holder;
    this.#observer = observer;
    this.#timing = timing;
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
    const { renewEveryMs, tryEveryMs } = this.#timing;
    this.#askTimer?.cancel();
    this.#askTimer = this.#clock.after(this.#fence === undefined ? tryEveryMs : renewEveryMs, () => this.#ask());
  }

  async #acquire(askedMs: number): Promise<void> {
    const fence = await this.#store.acquire(this.#holder, this.#timing.leaseMs);
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
    const isHeld = await this.#store.renew(this.#holder, fence, this.#timing.leaseMs);
    if (this.#fence !== fence) return;
    if (!isHeld) this.#lose('the lease was lost');
    else if (this.fence === undefined) this.#lose('the lease was renewed too late');
    else this.#holdUntil(this.#endOf(askedMs));
  }

  #endOf(askedMs: number): number {
    return askedMs + this.#timing.leaseMs - this.#timing.marginMs;
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
