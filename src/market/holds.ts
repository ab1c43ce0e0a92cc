import type { EpochMs } from '../ground/clock.ts';
import { type Doubt, type DoubtSubject, doubtedForMsMax } from './guard.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';

/** The operator's hold on what makes the prices of a market, and the last time the operator took what the guard held. */
export interface MarketHold {
  readonly symbol: MarketSymbol;
  readonly heldAt: EpochMs | undefined;
  readonly acceptedAt: EpochMs | undefined;
  /** The one source that was accepted; `undefined`: whichever was doubted. */
  readonly acceptedSource?: string | undefined;
}

/** A value that the prices of a market are made from and that is withheld, by the operator or by the guard. */
export interface WithheldInput extends Omit<Doubt, 'reason' | 'unpricedFrom'> {
  readonly subject: DoubtSubject;
  readonly reason: Doubt['reason'] | 'operator';
}

/** The operator's holds and the guard's doubts. */
export class Holds {
  readonly #guard = new Map<DoubtSubject, Doubt>();
  /** Since when the operator holds what makes the prices of a market. */
  readonly #operator = new Map<MarketSymbol, EpochMs>();
  /** The same of rates: those of converted markets on hold. */
  readonly #rates = new Map<CurrencyCode, EpochMs>();
  readonly #acceptances = new Map<MarketSymbol, EpochMs>();

  /** Everything that the guard holds. */
  get doubts(): ReadonlyMap<DoubtSubject, Doubt> {
    return this.#guard;
  }

  /** Returns what was held before. */
  setDoubt(subject: DoubtSubject, doubt: Doubt | undefined): Doubt | undefined {
    const before = this.#guard.get(subject);
    if (doubt === undefined) this.#guard.delete(subject);
    else this.#guard.set(subject, doubt);
    return before;
  }

  /** The operator's holds. Returns those in which the operator newly takes what is doubted. */
  apply(
    holds: readonly MarketHold[],
    marketOf: (symbol: MarketSymbol) => OfferedMarket | undefined,
  ): readonly MarketHold[] {
    const accepted: MarketHold[] = [];
    for (const hold of holds) {
      const { symbol, heldAt, acceptedAt } = hold;
      if (heldAt === undefined) this.#operator.delete(symbol);
      else this.#operator.set(symbol, heldAt);
      if (acceptedAt === undefined || acceptedAt === this.#acceptances.get(symbol)) continue;
      this.#acceptances.set(symbol, acceptedAt);
      accepted.push(hold);
    }
    this.#rates.clear();
    for (const [symbol, heldAt] of this.#operator) {
      const { isConverted = false, quote } = marketOf(symbol) ?? {};
      if (isConverted && quote !== undefined) this.#rates.set(quote, earliest([this.#rates.get(quote), heldAt])!);
    }
    return accepted;
  }

  /** Since when the operator holds what makes the prices of this very market. */
  since(symbol: MarketSymbol): EpochMs | undefined {
    return this.#operator.get(symbol);
  }

  get isAnyByOperator(): boolean {
    return this.#operator.size > 0;
  }

  isRateOnHold(quote: CurrencyCode): boolean {
    return this.#rates.has(quote);
  }

  /** Since when the operator holds one of these markets. */
  sinceAny(symbols: () => readonly MarketSymbol[]): EpochMs | undefined {
    return this.#operator.size === 0 ? undefined : earliest(symbols().map((symbol) => this.#operator.get(symbol)));
  }

  /** Lists what is withheld of what makes the prices of a market. */
  inputsOf(
    { exchangeSymbol, isConverted, quote }: OfferedMarket,
    onHoldSince: EpochMs | undefined,
  ): readonly WithheldInput[] {
    const inputs: [DoubtSubject, EpochMs | undefined][] = [[exchangeSymbol, onHoldSince]];
    if (isConverted) inputs.push([quote, this.#rates.get(quote)]);
    return inputs.flatMap(([subject, since]): WithheldInput[] => {
      if (since !== undefined) return [{ subject, reason: 'operator', since, values: [] }];
      const doubt = this.#guard.get(subject);
      return doubt === undefined ? [] : [{ subject, ...doubt }];
    });
  }

  /** The first instant at which the last good price of an exchange market is no longer served. */
  unpricedFrom(exchangeSymbol: MarketSymbol, onHoldSince: EpochMs | undefined): number {
    const held = this.#guard.get(exchangeSymbol)?.unpricedFrom ?? Number.POSITIVE_INFINITY;
    return onHoldSince === undefined ? held : onHoldSince + doubtedForMsMax;
  }

  /** The instants at which markets lose their price. */
  *ends(): Generator<number | undefined> {
    for (const { unpricedFrom } of this.#guard.values()) yield unpricedFrom;
    for (const heldAt of this.#operator.values()) yield heldAt + doubtedForMsMax;
  }
}

function earliest(instants: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  return instants.reduce(
    (first, at) => (first === undefined || (at !== undefined && at < first) ? at : first),
    undefined,
  );
}
