import type { Guard } from './guard.ts';
import { Source } from './source.ts';
import type { MarketSymbol } from './symbol.ts';

/** The sources there are, and how they make prices together. */
export interface SourceRules {
  /** In order of preference; not empty. */
  readonly ids: readonly string[];
  /** The ids of those that are to be silent. */
  readonly paused?: ReadonlySet<string>;
  /** The markets that have a list of their own. */
  readonly lists: ReadonlyMap<MarketSymbol, readonly string[]>;
  readonly mode: 'primary' | 'median';
  /** How long a better source must be live without a break before it takes a market back. */
  readonly returnAfterMs: number;
}

/** For a market room with a single source, which needs no name. */
export const oneSource: SourceRules = { ids: ['exchange'], lists: new Map(), mode: 'primary', returnAfterMs: 0 };

/** The sources, and the order in which each market has them. */
export class SourceLists {
  readonly #guard: Guard | undefined;
  readonly #own = new Map<MarketSymbol, readonly Source[]>();
  #all: readonly Source[] = [];

  constructor(rules: SourceRules, guard: Guard | undefined) {
    this.#guard = guard;
    this.#set(rules, () => undefined, false);
  }

  get all(): readonly Source[] {
    return this.#all;
  }

  of(symbol: MarketSymbol): readonly Source[] {
    return this.#own.get(symbol) ?? this.#all;
  }

  /** @param renewed the ids whose source is another one now */
  replace(rules: SourceRules, renewed: ReadonlySet<string>): void {
    const before = this.#all;
    this.#set(rules, (id) => (renewed.has(id) ? undefined : before.find((source) => source.id === id)), true);
    for (const source of before) source.isRemoved = !this.#all.includes(source);
  }

  /** Leaves a source behind the others of a market, until the next replacement. */
  keep(symbol: MarketSymbol, source: Source): void {
    if (!this.of(symbol).includes(source)) this.#own.set(symbol, [...this.of(symbol), source]);
  }

  #set({ ids, lists, paused }: SourceRules, known: (id: string) => Source | undefined, isLater: boolean): void {
    this.#all = ids.map((id) => known(id) ?? new Source(id, this.#guard?.forSource(), isLater));
    for (const source of this.#all) source.isPaused = paused?.has(source.id) === true;
    this.#own.clear();
    for (const [symbol, own] of lists)
      this.#own.set(
        symbol,
        own.map((id) => this.#all.find((source) => source.id === id)!),
      );
  }
}
