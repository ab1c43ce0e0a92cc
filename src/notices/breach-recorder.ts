import type { EpochMs } from '../clock.ts';
import type { Breaches, BreachRecord } from '../store/breaches.ts';

/** Where refusals are gathered on the request path. */
export interface BreachSource {
  /** What was refused since the last call. */
  drain(now: EpochMs): readonly BreachRecord[];
}

/** Kept at most while the database cannot be written, about 10 MB; what comes after is dropped. */
const unsavedMax = 100_000;

/** Carries refusals into the database. What could not be written is written with the next that can. */
export class BreachRecorder {
  readonly #source: BreachSource;
  readonly #breaches: Pick<Breaches, 'add'>;
  readonly #unsavedMax: number;
  #unsaved = new Map<string, BreachRecord>();
  #dropped = 0;

  constructor(source: BreachSource, breaches: Pick<Breaches, 'add'>, limit: number = unsavedMax) {
    this.#source = source;
    this.#breaches = breaches;
    this.#unsavedMax = limit;
  }

  /** Breached minutes that were lost because the database could not be written for too long. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Rejects with the store's error, and loses nothing by it. Calls must not overlap. */
  async flush(now: EpochMs): Promise<void> {
    for (const count of this.#source.drain(now)) this.#keep(count);
    if (this.#unsaved.size === 0) return;
    await this.#breaches.add([...this.#unsaved.values()]);
    this.#unsaved = new Map();
  }

  #keep(count: BreachRecord): void {
    const name = `${count.minuteStart} ${count.keyId}`;
    const known = this.#unsaved.get(name);
    if (known !== undefined) this.#unsaved.set(name, { ...count, refused: known.refused + count.refused });
    else if (this.#unsaved.size < this.#unsavedMax) this.#unsaved.set(name, count);
    else this.#dropped++;
  }
}
