import { randomBase62 } from '../ground/base62.ts';
import type { Clock, EpochMs, Randomness, Timer } from '../ground/clock.ts';
import { type Log, tellingOnce } from '../ground/log.ts';
import type { ProcessLife } from '../store/process-lives.ts';
import type { Store } from '../store/store.ts';
import { incidentAfterMs } from './spans.ts';

const signEveryMs = 10_000;
const idLength = 16;

export interface SignsOptions {
  readonly store: Pick<Store, 'processLives'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** The one thing that this process does; `undefined`: everything. */
  readonly only?: 'api' | 'feed' | undefined;
}

/**
 * Tells the store every ten seconds that this process runs, and since when: a time without a store is made up for by
 * the next sign, so only that in which no process ran is missing.
 */
export class SignsOfLife {
  readonly #options: SignsOptions;
  readonly #guarded: ReturnType<typeof tellingOnce>;
  #life: Pick<ProcessLife, 'id' | 'since'>;
  #beganMs: number;
  #tickedMs: number;
  #signing: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(options: SignsOptions) {
    this.#options = options;
    this.#guarded = tellingOnce((err) => options.log.error({ err }, 'the signs of life could not be kept'));
    this.#beganMs = this.#tickedMs = options.clock.monotonicMs();
    this.#life = this.#newLife();
  }

  async start(): Promise<void> {
    this.#beganMs = this.#tickedMs = this.#options.clock.monotonicMs();
    this.#life = this.#newLife();
    this.#timer = this.#options.clock.every(signEveryMs, () => this.#tick());
    this.#tick();
    await this.#signing;
  }

  /** Signs one last time. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    await this.#signing;
    this.#tick();
    await this.#signing;
  }

  #tick(): void {
    const { clock, store, only = 'all' } = this.#options;
    const [now, nowMs] = [clock.now(), clock.monotonicMs()];
    // It stood still, and nobody was answered.
    if (nowMs - this.#tickedMs >= incidentAfterMs) {
      this.#life = this.#newLife();
      this.#beganMs = nowMs;
    }
    this.#tickedMs = nowMs;
    // A wall clock that is set moves neither begin nor end of what went on without a pause.
    const since = Math.min(this.#life.since, now - Math.round(nowMs - this.#beganMs)) as EpochMs;
    this.#life = { id: this.#life.id, since };
    const sign: ProcessLife = { ...this.#life, role: only, seen: now };
    this.#signing ??= this.#guarded(() => store.processLives.sign(sign)).finally(() => {
      this.#signing = undefined;
    });
  }

  #newLife() {
    const { clock, randomness } = this.#options;
    return { id: randomBase62(idLength, randomness), since: clock.now() };
  }
}
