import type { Clock, EpochMs } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { Store } from '../store/store.ts';

/** The name under which they are saved. */
export const bansSnapshotName = 'source-bans';

/** Until when exchanges want no request from this address, over a restart: one after it would make the ban longer. */
export class SourceBans {
  readonly #store: Pick<Store, 'snapshots'>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #untils = new Map<string, EpochMs>();
  readonly #saving = new SerialQueue();

  constructor(store: Pick<Store, 'snapshots'>, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads what was saved. What cannot be read is left out: the exchange says it again. */
  async restore(): Promise<void> {
    const saved = await this.#store.snapshots.load(bansSnapshotName);
    for (const [source, until] of bansIn(saved?.payload ?? '')) {
      if (until > this.#clock.now()) this.#untils.set(source, until);
    }
  }

  /** Until when a source's exchange wants no request; `undefined` where none is known. */
  until(source: string): EpochMs | undefined {
    return this.#untils.get(source);
  }

  /** Notes and saves it; a failure to save is logged. */
  note(source: string, until: EpochMs): void {
    this.#untils.set(source, until);
    void this.#saving.run(() => this.#save());
  }

  async #save(): Promise<void> {
    const now = this.#clock.now();
    const lasting = [...this.#untils].filter(([, until]) => until > now);
    try {
      await this.#store.snapshots.save(bansSnapshotName, JSON.stringify(Object.fromEntries(lasting)));
    } catch (error) {
      this.#log.warn({ err: error }, 'the ban by an exchange could not be saved: a restart would not know it');
    }
  }
}

/** Reads what was saved: sources, and until when. What cannot be read is none. */
export function bansIn(payload: string): [source: string, until: EpochMs][] {
  try {
    const entries = Object.entries(JSON.parse(payload));
    return entries.filter((entry): entry is [string, EpochMs] => Number.isSafeInteger(entry[1]));
  } catch {
    return [];
  }
}
