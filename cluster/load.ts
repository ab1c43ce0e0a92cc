import type { Clock, Timer } from '../src/clock.ts';
import type { MadeKey } from './secrets.ts';

const patientEveryMs = 1_200;
/** Twice what its key may. */
const greedyEveryMs = 500;
const patienceMs = 5_000;

/** Some clients that poll all prices through nginx, each with its own key, and one that asks for more than it may. */
export class Load {
  readonly #clock: Clock;
  readonly #url: string;
  readonly #keys: readonly MadeKey[];
  #timers: readonly Timer[] = [];
  /** Answers by status since the start; 0 for none at all. */
  readonly statuses = new Map<number, number>();

  constructor(clock: Clock, baseUrl: string, keys: readonly MadeKey[]) {
    this.#clock = clock;
    this.#url = `${baseUrl}/v1/tickers`;
    this.#keys = keys;
  }

  get isOn(): boolean {
    return this.#timers.length > 0;
  }

  toggle(): void {
    if (this.isOn) this.stop();
    else {
      this.#timers = this.#keys.map(({ key }, index) =>
        this.#clock.every(index === 0 ? greedyEveryMs : patientEveryMs, () => void this.#ask(key)),
      );
    }
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }

  async #ask(key: string): Promise<void> {
    let status = 0;
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const answer = await fetch(this.#url, { headers: { 'X-EXCHANGE-APIKEY': key }, signal });
      await answer.arrayBuffer();
      status = answer.status;
    } catch {
      // No answer is what is to be seen: it is counted as such.
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}
