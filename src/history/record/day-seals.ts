import { isoInstant } from '../../contract/instant.ts';
import type { EpochMs } from '../../ground/clock.ts';
import type { ChainHead } from '../segment/segment.ts';
import { type DaySeal, lastOf, type SegmentStore } from '../segment/segment-store.ts';

/**
 * Seals each day of a chain once it is over, also one over whose end no process ran. Goes on where the process before
 * ended.
 */
export async function daySealer(store: SegmentStore, ofChain: number, startedAt: EpochMs) {
  const last = await lastOf(store, ofChain);
  const seals = (await store.ledger()).filter(({ kind }) => kind === 'seal').map(({ text }) => JSON.parse(text));
  const isSealed = (day: string) => (seals as DaySeal[]).some((seal) => seal.chain === ofChain && seal.day >= day);
  const isOpen = last !== undefined && last < startedAt && !isSealed(dayOf(last));
  /** The first day that is not sealed. */
  let day = dayOf(isOpen ? last : startedAt);

  /**
   * Seals a day that is over.
   *
   * @param head the end of the chain, with all of what was published before `now` on earlier days
   * @returns the seal of a day that was not sealed before
   */
  return async (now: EpochMs, { number, hash }: ChainHead): Promise<DaySeal | undefined> => {
    if (dayOf(now) <= day || number === 0) return undefined;
    const others: string[] = [];
    for (const chain of await store.chains()) {
      const end = chain === ofChain ? undefined : await store.head(chain);
      if (end !== undefined) others.push(`${chain} ${end.number} ${end.hash.toString('hex')}`);
    }
    const seal = { day, chain: ofChain, segment: number, head: hash.toString('hex'), others };
    await store.addEntry('seal', seal);
    day = dayOf(now);
    return seal;
  };
}

/** The day in UTC, as `2026-11-22`: later days sort after it. */
function dayOf(at: EpochMs): string {
  return isoInstant(Math.floor(at)).slice(0, 10);
}
