import type { Clock, Timer } from '../clock.ts';
import type { StoreConfiguration } from '../configuration/configuration.ts';
import type { Log } from '../log.ts';
import { quickCheck } from '../store/sqlite/quick-check.ts';

const everyMs = 86_400_000;

/** Has SQLite look through its file, at the start and once a day. PostgreSQL looks after itself. */
export class StoreCheck {
  readonly #path: string | undefined;
  readonly #clock: Pick<Clock, 'every'>;
  readonly #log: Log;
  #timer: Timer | undefined;
  #result: { readonly finding: string | undefined } | undefined;

  constructor(store: StoreConfiguration, clock: Pick<Clock, 'every'>, log: Log) {
    this.#path = store.kind === 'sqlite' && store.path !== ':memory:' ? store.path : undefined;
    this.#clock = clock;
    this.#log = log;
  }

  /** Of the latest look; `undefined` before the first, and where none is made. */
  result(): { readonly finding: string | undefined } | undefined {
    return this.#result;
  }

  start(): void {
    if (this.#path === undefined) return;
    this.#timer = this.#clock.every(everyMs, () => void this.look());
    void this.look();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks now. Never rejects. */
  async look(): Promise<void> {
    if (this.#path === undefined) return;
    const finding = await quickCheck(this.#path).catch((error: Error) => error.message);
    this.#result = { finding };
    if (finding === undefined) this.#log.info({}, 'the database file is whole');
    else this.#log.error({ finding }, 'the database file is damaged: restore a backup');
  }
}
