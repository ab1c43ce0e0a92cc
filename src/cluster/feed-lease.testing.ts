import type { FakeClock } from '../../test/support/fake-clock.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import { FeedLease } from './feed-lease.ts';
import type { LeaseStore } from './redis-lease.ts';

/** The rules of the server's scripts, with the server's own clock. */
export class ModelServer {
  readonly #clock: Clock;
  #holder: string | undefined;
  #endsMs = 0;
  #fence = 0;
  isReachable = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get #held(): string | undefined {
    return this.#clock.monotonicMs() < this.#endsMs ? this.#holder : undefined;
  }

  acquire(holder: string, forMs: number): number | undefined {
    if (this.#held !== undefined) return undefined;
    this.#fence++;
    this.#hold(`${holder}:${this.#fence}`, forMs);
    return this.#fence;
  }

  renew(holder: string, fence: number, forMs: number): boolean {
    if (this.#held !== `${holder}:${fence}`) return false;
    this.#hold(`${holder}:${fence}`, forMs);
    return true;
  }

  release(holder: string, fence: number): void {
    if (this.#held === `${holder}:${fence}`) this.#endsMs = 0;
  }

  /** Decides as the script that publishes does. */
  accepts(fence: number): boolean {
    return fence === this.#fence;
  }

  #hold(holder: string, forMs: number): void {
    this.#holder = holder;
    this.#endsMs = this.#clock.monotonicMs() + forMs;
  }
}

/**
 * A process's clock: time goes on while it is frozen, but its timers run only once it wakes. Its wall clock is off, and
 * its monotonic one runs at a speed of its own.
 */
class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  readonly #skewMs: number;
  readonly #speed: number;
  readonly #due: (() => void)[] = [];
  isFrozen = false;

  constructor(clock: FakeClock, skewMs: number, speed: number) {
    this.#clock = clock;
    this.#skewMs = skewMs;
    this.#speed = speed;
  }

  now(): EpochMs {
    return (this.#clock.now() + this.#skewMs) as EpochMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() * this.#speed;
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#clock.after(delayMs / this.#speed, () => this.runOnceAwake(run));
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#clock.every(periodMs / this.#speed, () => this.runOnceAwake(run));
  }

  runOnceAwake(run: () => void): void {
    if (this.isFrozen) this.#due.push(run);
    else run();
  }

  wake(): void {
    this.isFrozen = false;
    for (const run of this.#due.splice(0)) run();
  }
}

export class ModelNode {
  readonly clock: ProcessClock;
  readonly lease: FeedLease;
  readonly fences: number[] = [];
  /** Questions to the server, in order. */
  readonly asked: (keyof LeaseStore)[] = [];
  /** Changes that it learnt, in order. */
  readonly told: string[] = [];
  isAlive = true;
  /** It alone cannot reach the server. */
  isCutOff = false;

  constructor(
    clock: FakeClock,
    server: ModelServer,
    name: string,
    { skewMs, speed }: Readonly<Record<'skewMs' | 'speed', number>>,
    delays: () => number,
  ) {
    this.clock = new ProcessClock(clock, skewMs, speed);
    const reach = <Answer>(what: keyof LeaseStore, ask: () => Answer): Promise<Answer> => {
      this.asked.push(what);
      return new Promise((resolve, reject) => {
        clock.after(delays(), () => {
          if (!server.isReachable || !this.isAlive || this.isCutOff) return reject(new Error('lost'));
          const answer = ask();
          clock.after(delays(), () => this.clock.runOnceAwake(() => resolve(answer)));
        });
      });
    };
    const store: LeaseStore = {
      acquire: (holder, forMs) => reach('acquire', () => server.acquire(holder, forMs)),
      renew: (holder, fence, forMs) => reach('renew', () => server.renew(holder, fence, forMs)),
      release: (holder, fence) => reach('release', () => server.release(holder, fence)),
    };
    this.lease = new FeedLease(store, this.clock, name, {
      gained: (fence) => {
        this.fences.push(fence);
        this.told.push(`gained ${fence}`);
      },
      elsewhere: () => this.told.push('elsewhere'),
      unreachable: (reason) => this.told.push(`unreachable: ${reason}`),
      failed: (reason) => this.told.push(`failed: ${reason}`),
    });
    this.lease.start();
  }

  /** The fencing number it would act with. A frozen or dead process does nothing. */
  get acts(): number | undefined {
    return this.isAlive && !this.clock.isFrozen ? this.lease.fence : undefined;
  }
}
