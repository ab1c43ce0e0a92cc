import { type MarketEvent, supersedingName } from './market-event.ts';

/** Events that wait to be told. Of several that tell of the same thing the last stays, at its place in the order of all. */
export class PendingEvents {
  /** By what supersedes them; those that nothing does by a number. */
  readonly #events = new Map<string | number, MarketEvent>();
  #unsuperseded = 0;

  get size(): number {
    return this.#events.size;
  }

  add(event: MarketEvent): void {
    const name = supersedingName(event) ?? this.#unsuperseded++;
    // Taken out first: a later event never moves before one that it came after.
    this.#events.delete(name);
    this.#events.set(name, event);
  }

  /** All that wait, in their order; none waits afterwards. */
  take(): MarketEvent[] {
    const events = [...this.#events.values()];
    this.#events.clear();
    return events;
  }
}
