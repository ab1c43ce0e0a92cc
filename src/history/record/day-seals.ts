import type { EpochMs } from '../../clock.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { DaySeal } from '../segment/ledger.ts';
import type { ChainHead } from '../segment/segment.ts';
import type { SegmentStore } from '../segment/segment-store.ts';
import { lastOf } from './open-writer.ts';

const dayMs = 86_400_000;

/** Seals each day of a chain once it is over, also one over whose end no process ran. */
export class DaySeals {
  readonly #store: SegmentStore;
  readonly #chain: number;
  /** The first day that is not sealed. */
  #open: string;

  private constructor(store: SegmentStore, chain: number, open: string) {
    this.#store = store;
    this.#chain = chain;
    this.#open = open;
  }

  /** Goes on where the process before ended. */
  static async of(store: SegmentStore, chain: number, now: EpochMs): Promise<DaySeals> {
    const last = await lastOf(store, chain);
    const seals = (await store.ledger()).filter(({ kind }) => kind === 'seal').map(({ text }) => JSON.parse(text));
    const isSealed = (day: string) => (seals as DaySeal[]).some((seal) => seal.chain === chain && seal.day >= day);
    const isOpen = last !== undefined && last < now && !isSealed(dayOf(last));
    return new DaySeals(store, chain, dayOf(isOpen ? last : now));
  }

  /**
   * Seals a day that is over.
   *
   * @param head the end of the chain, with all of what was published before `now` on earlier days
   * @returns the seal of a day that was not sealed before
   */
  async seal(now: EpochMs, { number, hash }: ChainHead): Promise<DaySeal | undefined> {
    const day = this.#open;
    if (dayOf(now) <= day || number === 0) return undefined;
    const others: string[] = [];
    for (const chain of await this.#store.chains()) {
      const end = chain === this.#chain ? undefined : await this.#store.head(chain);
      if (end !== undefined) others.push(`${chain} ${end.number} ${end.hash.toString('hex')}`);
    }
    const seal = { day, chain: this.#chain, segment: number, head: hash.toString('hex'), others };
    await this.#store.addEntry('seal', seal);
    this.#open = dayOf(now);
    return seal;
  }
}

/** The day in UTC, as `2026-11-22`: later days sort after it. */
function dayOf(at: EpochMs): string {
  return isoInstant((Math.floor(at / dayMs) * dayMs) as EpochMs).slice(0, 10);
}
