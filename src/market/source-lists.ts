import { Source } from './source.ts';
import { medianMark } from './source-choice.ts';
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
  #all: readonly Source[] = [];
  #own: ReadonlyMap<MarketSymbol, readonly Source[]> = new Map();
  /** Sources that are none any more, whose last price is still that of a market. */
  readonly #kept = new Map<MarketSymbol, Source>();

  constructor(rules: SourceRules) {
    this.replace(rules, new Set());
  }

  get all(): readonly Source[] {
    return this.#all;
  }

  of(symbol: MarketSymbol): readonly Source[] {
    const list = this.#own.get(symbol) ?? this.#all;
    const kept = this.#kept.get(symbol);
    return kept === undefined ? list : [...list, kept];
  }

  /** @param renewed the ids whose source is another one now */
  replace({ ids, lists, paused }: SourceRules, renewed: ReadonlySet<string>): void {
    const before = this.#all;
    const known = (id: string) => before.find((source) => source.id === id && !renewed.has(id));
    this.#all = ids.map((id) => known(id) ?? new Source(id));
    for (const source of [...before, ...this.#all])
      source.isPaused = !this.#all.includes(source) || paused?.has(source.id) === true;
    this.#own = new Map([...lists].map(([symbol, own]) => [symbol, own.map((id) => this.#all[ids.indexOf(id)]!)]));
  }

  /** Leaves the source in use behind the others of its market where it is none of them any more. */
  keep(symbol: MarketSymbol, used: Source | undefined): void {
    this.#kept.delete(symbol);
    if (used !== undefined && !this.of(symbol).includes(used)) this.#kept.set(symbol, used);
  }
}

/**
 * Stands for a source that is no longer configured and sends nothing; for a median only where a single source is
 * left, to be compared with it.
 */
export function goneSource(id: string, left: readonly Source[]): Source | undefined {
  if (left.length > 1 && id.startsWith(medianMark)) return undefined;
  return Object.assign(new Source(id), { isPaused: true });
}
