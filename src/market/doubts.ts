import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from './decimal.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { PeerDoubtReason } from './peer-judgement.ts';
import type { Quote } from './quote.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';

export const doubtReasons = ['jump', 'range', 'spread', 'rate', 'contradicted', 'withdrawn'] as const;

/** Why the guard withholds a value. The names are metric labels. */
export type DoubtReason = (typeof doubtReasons)[number];

/** An exchange market, or the quote currency of a rate. */
export type DoubtSubject = MarketSymbol | CurrencyCode;

/** A value that is possible in form and not taken all the same. Plain data. */
export interface Doubt {
  readonly reason: DoubtReason;
  readonly since: EpochMs;
  /** Bid and ask, or the rate, as they last arrived. */
  readonly values: readonly DecimalString[];
  /** When the last good price is too old to be served; `undefined` for a rate, which has its own validity. */
  readonly unpricedFrom: EpochMs | undefined;
}

/** A doubt of a source by what its peers quote. Plain data; the same object as long as it says the same. */
export interface PeerDoubt extends Quote {
  readonly reason: PeerDoubtReason;
  readonly since: EpochMs;
  /** Several others contradict it: silence of theirs does not clear it. */
  readonly isOutvoted: boolean;
}

/** Doubts of the sources of one market by their peers, by the ids of the sources. */
export type PeerDoubts = readonly (readonly [string, PeerDoubt])[];

/** Why a source's values make no price though it sends them, by the guard alone or by what its peers quote. */
export interface ShownDoubt extends Quote {
  readonly reason: DoubtReason | PeerDoubtReason;
  readonly since: EpochMs;
}

/** Told when a doubt of a source begins, gets another reason or ends. */
export type SourceDoubtListener = (market: MarketSymbol, source: string, now?: ShownDoubt, was?: ShownDoubt) => void;

/** The operator's hold on what makes the prices of a market, and the last time the operator took what was doubted. */
export interface MarketHold {
  readonly symbol: MarketSymbol;
  readonly heldAt: EpochMs | undefined;
  readonly acceptedAt: EpochMs | undefined;
  /** The one source that was accepted; `undefined`: whichever was doubted. */
  readonly acceptedSource?: string | undefined;
}

/** The operator's hold on a rate, and the last time the operator took one that was doubted. */
export interface RateControl {
  readonly quote: CurrencyCode;
  readonly heldAt: EpochMs | undefined;
  readonly acceptedAt: EpochMs | undefined;
  /** The rate that the operator saw and took. */
  readonly acceptedMid: DecimalString | undefined;
}

/** A value that the prices of a market are made from and that is withheld, by the operator or by the guard. */
export interface WithheldInput extends Omit<Doubt, 'reason' | 'unpricedFrom'> {
  readonly subject: DoubtSubject;
  readonly reason: Doubt['reason'] | 'operator';
}

/** A market whose price is withheld for longer has none. */
export const doubtedForMsMax = 300_000;

/** Shows a doubt of the guard; `undefined` for one that is not of a price. */
function shownDoubtOf(doubt: Doubt | undefined): ShownDoubt | undefined {
  const [bid, ask] = doubt?.values ?? [];
  return doubt === undefined || bid === undefined || ask === undefined
    ? undefined
    : { reason: doubt.reason, since: doubt.since, bid, ask };
}

/** One object as long as the doubt is one. */
const priceDoubts = new WeakMap<PeerDoubt, Doubt>();

/** The doubt of a market's price whose source its peers contradict. */
function priceDoubtOf(doubt: PeerDoubt): Doubt {
  return priceDoubts.getOrInsertComputed(doubt, ({ since, bid, ask }) => {
    const unpricedFrom = (since + doubtedForMsMax) as EpochMs;
    return { reason: 'contradicted', since, values: [bid, ask], unpricedFrom };
  });
}

/** Keeps what is doubted of one source of a market: by the guard, which knows this source alone, and by its peers. */
export class SourceDoubts {
  readonly #told: (now: ShownDoubt | undefined, was: ShownDoubt | undefined) => void;
  #byGuard: Doubt | undefined;
  #byPeers: PeerDoubt | undefined;

  constructor(told: (now: ShownDoubt | undefined, was: ShownDoubt | undefined) => void = () => {}) {
    this.#told = told;
  }

  get byGuard(): Doubt | undefined {
    return this.#byGuard;
  }

  get byPeers(): PeerDoubt | undefined {
    return this.#byPeers;
  }

  /** Its peers contradict it: it makes no price, even where it is the only one in use. */
  get isContradicted(): boolean {
    return this.#byPeers?.reason === 'contradicted';
  }

  /** The one that keeps it from making prices; that of its peers comes first. */
  get shown(): ShownDoubt | undefined {
    return this.#byPeers ?? shownDoubtOf(this.#byGuard);
  }

  /** The same, as a doubt of the market that it makes the price of. */
  get ofPrice(): Doubt | undefined {
    return this.#byPeers === undefined ? this.#byGuard : priceDoubtOf(this.#byPeers);
  }

  /** Takes what the guard found now. */
  judged(doubt: Doubt | undefined): void {
    const before = this.#byGuard;
    this.#byGuard = doubt;
    if (doubt?.reason !== before?.reason) this.#told(shownDoubtOf(doubt), shownDoubtOf(before));
  }

  /** The same, where it is told otherwise: a price that is withdrawn, or one of which peers judge from now on. */
  replaced(doubt: Doubt | undefined): void {
    this.#byGuard = doubt;
  }

  /** Takes what its peers say of it now. */
  compared(doubt: PeerDoubt | undefined): void {
    const before = this.#byPeers;
    this.#byPeers = doubt;
    if (doubt?.reason !== before?.reason) this.#told(doubt, before);
  }

  /** Takes over what its peers said before a restart, or say in another process. */
  restored(doubt: PeerDoubt | undefined): void {
    this.#byPeers = doubt;
  }

  /** The source is none of the market's any more. What the guard saw of it stays. */
  ended(): void {
    const before = this.shown;
    this.#byPeers = undefined;
    if (before !== undefined) this.#told(undefined, before);
  }
}

/**
 * The register of all that is not believed: of each source of a market, by the guard and by its peers; of each market's
 * price and each rate; and what the operator holds. Whoever asks what is doubted, since when, why and by whom asks
 * here.
 */
export class Doubts {
  readonly #ofSources = new Map<MarketSymbol, Map<SourceDoubts, string>>();
  /** Doubts of what makes a market’s price, and of rates. */
  readonly #ofSubjects = new Map<DoubtSubject, Doubt>();
  /** Since when the operator holds what makes the prices of a market. */
  readonly #heldSince = new Map<MarketSymbol, EpochMs>();
  /** Since when the operator holds rates themselves. */
  #rateHolds: ReadonlyMap<CurrencyCode, EpochMs> = new Map();
  /** The same of those of converted markets on hold. */
  readonly #ratesHeldSince = new Map<CurrencyCode, EpochMs>();
  readonly #acceptances = new Map<MarketSymbol, EpochMs>();
  onSourceDoubt: SourceDoubtListener | undefined;

  /** Begins to keep what is doubted of a source of a market. */
  ofSource(symbol: MarketSymbol, id: string): SourceDoubts {
    const doubts = new SourceDoubts((now, was) => this.onSourceDoubt?.(symbol, id, now, was));
    this.#ofSources.getOrInsertComputed(symbol, () => new Map()).set(doubts, id);
    return doubts;
  }

  /** The source is gone, or another one has its id. */
  forget(symbol: MarketSymbol, doubts: SourceDoubts): void {
    this.#ofSources.get(symbol)?.delete(doubts);
  }

  /** Gives what is doubted of sources by their peers. */
  *byPeers(): Generator<readonly [MarketSymbol, PeerDoubts]> {
    for (const [symbol, sources] of this.#ofSources) {
      const doubted: [string, PeerDoubt][] = [];
      for (const [{ byPeers }, id] of sources) if (byPeers !== undefined) doubted.push([id, byPeers]);
      if (doubted.length > 0) yield [symbol, doubted];
    }
  }

  /** Everything that is doubted of prices and rates. */
  get ofSubjects(): ReadonlyMap<DoubtSubject, Doubt> {
    return this.#ofSubjects;
  }

  /** Takes what is doubted of a market's price or of a rate now. Returns what was before. */
  set(subject: DoubtSubject, doubt: Doubt | undefined): Doubt | undefined {
    const before = this.#ofSubjects.get(subject);
    if (doubt === undefined) this.#ofSubjects.delete(subject);
    else this.#ofSubjects.set(subject, doubt);
    return before;
  }

  /** Takes the operator's holds. Returns those in which the operator newly takes what is doubted. */
  hold(
    holds: readonly MarketHold[],
    marketOf: (symbol: MarketSymbol) => OfferedMarket | undefined,
  ): readonly MarketHold[] {
    const accepted: MarketHold[] = [];
    for (const hold of holds) {
      const { symbol, heldAt, acceptedAt } = hold;
      if (heldAt === undefined) this.#heldSince.delete(symbol);
      else this.#heldSince.set(symbol, heldAt);
      if (acceptedAt === undefined || acceptedAt === this.#acceptances.get(symbol)) continue;
      this.#acceptances.set(symbol, acceptedAt);
      accepted.push(hold);
    }
    this.#ratesHeldSince.clear();
    for (const [symbol, heldAt] of this.#heldSince) {
      const { isConverted = false, quote } = marketOf(symbol) ?? {};
      if (!isConverted || quote === undefined) continue;
      this.#ratesHeldSince.set(quote, earliest([this.#ratesHeldSince.get(quote), heldAt])!);
    }
    return accepted;
  }

  /** Takes the operator's holds on rates themselves. */
  holdRates(controls: readonly RateControl[]): void {
    this.#rateHolds = new Map(controls.flatMap(({ quote, heldAt }) => (heldAt === undefined ? [] : [[quote, heldAt]])));
  }

  get isAnyHeldByOperator(): boolean {
    return this.#heldSince.size > 0 || this.#rateHolds.size > 0;
  }

  /** Since when the operator holds what makes the prices of this very market. */
  heldSince(symbol: MarketSymbol): EpochMs | undefined {
    return this.#heldSince.get(symbol);
  }

  /** Since when the operator holds one of these markets. */
  anyHeldSince(symbols: () => readonly MarketSymbol[]): EpochMs | undefined {
    if (this.#heldSince.size === 0) return undefined;
    return earliest(symbols().map((symbol) => this.#heldSince.get(symbol)));
  }

  isRateHeldByOperator(quote: CurrencyCode): boolean {
    return this.rateHeldSince(quote) !== undefined;
  }

  /** Since when the operator holds a rate, or a market that is converted with it. */
  rateHeldSince(quote: CurrencyCode): EpochMs | undefined {
    return earliest([this.#rateHolds.get(quote), this.#ratesHeldSince.get(quote)]);
  }

  /** Lists what is withheld of what makes the prices of a market. @param heldSince by the operator */
  withheldOf(
    { exchangeSymbol, isConverted, quote }: OfferedMarket,
    heldSince: EpochMs | undefined,
  ): readonly WithheldInput[] {
    const inputs: [DoubtSubject, EpochMs | undefined][] = [[exchangeSymbol, heldSince]];
    if (isConverted) inputs.push([quote, this.rateHeldSince(quote)]);
    return inputs.flatMap(([subject, since]): WithheldInput[] => {
      if (since !== undefined) return [{ subject, reason: 'operator', since, values: [] }];
      const doubt = this.#ofSubjects.get(subject);
      return doubt === undefined ? [] : [{ subject, ...doubt }];
    });
  }

  /**
   * The first instant at which the last good price of an exchange market is no longer served.
   *
   * @param heldSince by the operator
   */
  unpricedFrom(exchangeSymbol: MarketSymbol, heldSince: EpochMs | undefined): number {
    if (heldSince !== undefined) return heldSince + doubtedForMsMax;
    return this.#ofSubjects.get(exchangeSymbol)?.unpricedFrom ?? Number.POSITIVE_INFINITY;
  }

  /** The instants at which markets lose their price. */
  *ends(): Generator<number | undefined> {
    for (const { unpricedFrom } of this.#ofSubjects.values()) yield unpricedFrom;
    for (const heldAt of this.#heldSince.values()) yield heldAt + doubtedForMsMax;
  }
}

function earliest(instants: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  return instants.reduce(
    (first, at) => (first === undefined || (at !== undefined && at < first) ? at : first),
    undefined,
  );
}
