import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import { type Circumstances, levelIn } from './circumstances.ts';
import type { MarketSource } from './market-source.ts';
import { areClose, bandAround, isWithin, type PriceBand } from './quote.ts';

/** Notes since when sources are beyond the ceiling from the market's price while the one in use did not move along. */
export class Ceiling {
  readonly #reach: Big;
  readonly #agreementReach: Big;
  /** No two prices of it are beyond the ceiling from one another: nothing is to be noted within. */
  #band: PriceBand | undefined;

  /**
   * @param reach how far a source is from the market's price at most, see `reachOf`
   * @param agreementReach how far sources that agree are apart at most
   */
  constructor(reach: Big, agreementReach: Big) {
    this.#reach = reach;
    this.#agreementReach = agreementReach;
  }

  note(sources: readonly MarketSource[], { price, used, now }: Circumstances): void {
    if (price !== undefined && this.#areWithin(sources, price)) return;
    this.#band = undefined;
    const reference = levelIn(price, used);
    for (const { quote, comparison } of sources) {
      const level = quote?.level;
      const isBeyond = level !== undefined && reference !== undefined && !areClose(level, reference, this.#reach);
      const isWithUsed =
        isBeyond && used?.quote !== undefined && areClose(level, used.quote.level, this.#agreementReach);
      // A clock that was set back would make the wait endless.
      const since = Math.min(comparison.awaySince ?? now, now) as EpochMs;
      comparison.awaySince = isBeyond && !isWithUsed ? since : undefined;
    }
  }

  /** Makes the next notes cheaper, as long as the market stays where it is. */
  settle(sources: readonly MarketSource[], { price, used }: Circumstances): void {
    if (this.#band !== undefined || sources.some(({ comparison }) => comparison.awaySince !== undefined)) return;
    const level = levelIn(price, used);
    this.#band = level && bandAround(level, this.#reach);
  }

  #areWithin(sources: readonly MarketSource[], price: NonNullable<Circumstances['price']>): boolean {
    const band = this.#band;
    if (band === undefined || !isWithin(band, price)) return false;
    return sources.every(({ quote }) => quote === undefined || isWithin(band, quote));
  }
}
