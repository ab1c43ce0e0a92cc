import type { EpochMs } from '../ground/clock.ts';
import type { Doubt, Doubts, PeerDoubts } from './doubts.ts';
import type { Guard, TickerOffer, Verdict } from './guard.ts';
import { type Instant, MarketChoice, type MarketValues } from './market-choice.ts';
import { MarketSource } from './market-source.ts';
import type { AgreedPairs } from './peer-memory.ts';
import type { ServedPath, ServedPrice } from './served-price.ts';
import type { Source } from './source.ts';
import { goneSource, SourceLists, type SourceRules } from './source-lists.ts';
import { pricesOf, type SourceFacts, type SourceReport, type SourceState } from './source-state.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ReferencePrices } from './upstream.ts';

/** Keeps what each source says of each market, and which of them makes the price. Never reads a clock. */
export class MarketSources {
  readonly #lists: SourceLists;
  #rules: SourceRules;
  readonly #guard: Guard | undefined;
  readonly #doubts: Doubts;
  readonly #choices = new Map<MarketSymbol, MarketChoice>();
  /** Also sources that are not in the market's list. */
  readonly #ofMarkets = new Map<MarketSymbol, Map<Source, MarketSource>>();
  /** Reports of the process that runs the feed, where that is another. */
  readonly #reports = new Map<MarketSymbol, readonly SourceState[]>();
  #switches = 0;

  constructor(rules: SourceRules, doubts: Doubts, guard?: Guard) {
    this.#rules = rules;
    this.#doubts = doubts;
    this.#guard = guard;
    this.#lists = new SourceLists(rules);
  }

  /**
   * Takes other sources, or another order. One that goes while it makes a price stays as a silent one.
   *
   * @param renewed others under the same id
   */
  replace(rules: SourceRules, renewed: ReadonlySet<string>): void {
    this.#rules = rules;
    this.#lists.replace(rules, renewed);
    for (const choice of this.#choices.values()) this.#relist(choice, choice.used?.source);
  }

  /** @param used stays in the list, also where it is none of the market's sources any more */
  #relist(choice: MarketChoice, used: Source | undefined): void {
    const { symbol } = choice;
    this.#lists.keep(symbol, used);
    const list = this.listOf(symbol);
    choice.relist(
      this.#rules,
      list.map((source) => this.of(symbol, source)),
    );
    const known = this.#ofMarkets.get(symbol)!;
    for (const [source, { doubts }] of known) {
      if (list.includes(source) || this.all.includes(source)) continue;
      known.delete(source);
      this.#doubts.forget(symbol, doubts);
    }
  }

  /** In order of preference; not empty. */
  get all(): readonly Source[] {
    return this.#lists.all;
  }

  get first(): Source {
    return this.all[0]!;
  }

  /** How often a review chose another source for a market. */
  get switches(): number {
    return this.#switches;
  }

  find(id: string): Source | undefined {
    return this.all.find((source) => source.id === id);
  }

  /** The sources of a market, in order of preference. */
  listOf(symbol: MarketSymbol): readonly Source[] {
    return this.#lists.of(symbol);
  }

  /** Gives what is known of a source of a market. */
  of(symbol: MarketSymbol, source: Source): MarketSource {
    const known = this.#ofMarkets.get(symbol)?.get(source);
    if (known !== undefined) return known;
    const begun = new MarketSource(source, this.#doubts.ofSource(symbol, source.id));
    this.#ofMarkets.getOrInsertComputed(symbol, () => new Map()).set(source, begun);
    return begun;
  }

  /** The source that the market's price is made of. Before the first review that is the first that sent a price. */
  used(symbol: MarketSymbol): Source | undefined {
    return this.usedOf(symbol)?.source;
  }

  /** The same, with what is known of it. */
  usedOf(symbol: MarketSymbol): MarketSource | undefined {
    return this.#choices.get(symbol)?.used;
  }

  /**
   * Takes over what made the price before a restart, or in another process, also a source that is none here: a silent
   * one, as one that goes.
   */
  restore(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    const list = this.listOf(symbol);
    const source = list.find(({ id }) => id === ticker.source) ?? goneSource(ticker.source, list);
    if (source === undefined) return;
    const choice = this.#choiceOf(symbol);
    this.#relist(choice, source);
    choice.restore(this.of(symbol, source), ticker);
  }

  /** Takes over all that was doubted before a restart, or is by another process. */
  restoreDoubts(doubts: Iterable<readonly [MarketSymbol, PeerDoubts]>): void {
    const known = new Map(doubts);
    const before = [...this.#doubts.byPeers()].map(([symbol]) => symbol);
    for (const symbol of new Set([...known.keys(), ...before])) {
      const ofSources = new Map(known.get(symbol));
      const choice = this.#choiceOf(symbol);
      for (const each of choice.sources) choice.restoreDoubt(each, ofSources.get(each.id));
    }
  }

  /** Gives the pairs of sources of each market that agreed, for a restart. */
  agreed(): (readonly [MarketSymbol, AgreedPairs])[] {
    return [...this.#choices].flatMap(([symbol, { agreed }]) =>
      agreed.length === 0 ? [] : [[symbol, agreed] as const],
    );
  }

  /** Takes over pairs that agreed before a restart, or in another process. */
  restoreAgreed(agreed: Iterable<readonly [MarketSymbol, AgreedPairs]>): void {
    for (const [symbol, pairs] of agreed) this.#choiceOf(symbol).restoreAgreed(pairs);
  }

  /** The operator says that a doubted source is right; without its id where only one is doubted. */
  accept(symbol: MarketSymbol, id?: string): void {
    for (const each of this.#ofMarkets.get(symbol)?.values() ?? [])
      if (id === undefined || id === each.id) each.evidence.accept();
    this.#choices.get(symbol)?.accept(id);
  }

  /** Compares a source's ticker with what its peers quote, asks the guard, and keeps what is held of it. */
  judge(symbol: MarketSymbol, source: MarketSource, offer: TickerOffer, market: MarketValues): Verdict {
    return this.#choiceOf(symbol).judge(source, offer, market);
  }

  /**
   * Gives what the market's price is now made from, once `source` sent a good ticker; `undefined` when that changes
   * nothing.
   */
  received(symbol: MarketSymbol, source: MarketSource): AcceptedTicker | undefined {
    return this.#choiceOf(symbol).received(source);
  }

  /**
   * Gives what the market's price is made from, by the last review; `undefined` while there is nothing to make it
   * from.
   */
  made(symbol: MarketSymbol): AcceptedTicker | undefined {
    return this.#choices.get(symbol)?.made();
  }

  /** Gives the reference prices of the source in use. */
  references(symbol: MarketSymbol): ReferencePrices | undefined {
    return this.usedOf(symbol)?.references;
  }

  /** Gives the doubt of the source that makes a market's price, of the guard or because its peers contradict it. */
  doubtOf(symbol: MarketSymbol): Doubt | undefined {
    return this.usedOf(symbol)?.doubts.ofPrice;
  }

  /** The ticker, dated no earlier than that of another source before it: its price still stood then. */
  notBefore(symbol: MarketSymbol, made: AcceptedTicker, before: AcceptedTicker | undefined): AcceptedTicker {
    if (before === undefined || before.capturedAt <= made.capturedAt) return made;
    return this.dated(symbol, made, before.capturedAt);
  }

  /** The ticker with another time, as its source has it from now on too. */
  dated(symbol: MarketSymbol, ticker: AcceptedTicker, capturedAt: EpochMs): AcceptedTicker {
    const dated = { ...ticker, capturedAt };
    const used = this.usedOf(symbol);
    if (used?.id === ticker.source) used.ticker = dated;
    return dated;
  }

  /**
   * Chooses again for a market. Returns whether its price is to be made again.
   *
   * @param price the market's
   */
  review(symbol: MarketSymbol, facts: SourceFacts, at: Instant, price: AcceptedTicker | undefined): boolean {
    const choice = this.#choiceOf(symbol);
    const { used } = choice;
    this.#reports.delete(symbol);
    const isMadeAgain = choice.review(facts, at, price);
    if (choice.used === used) return isMadeAgain;
    this.#switches++;
    this.#relist(choice, choice.used?.source);
    return true;
  }

  /** Whether the price of a market is made from what this source says. */
  isMaking(symbol: MarketSymbol, source: Source): boolean {
    const choice = this.#choices.get(symbol);
    return choice?.isMaking(source) === true;
  }

  /** Notes how the price of a market comes, see `MarketChoice.served`. */
  served(symbol: MarketSymbol, facts: SourceFacts, makers: Set<string>): ServedPath {
    return this.#choiceOf(symbol).served(facts, makers);
  }

  /**
   * Every source of a market, in order of preference, as it was last reviewed, here or by the process with the feed;
   * before that the one in use.
   */
  states(symbol: MarketSymbol): readonly SourceState[] {
    const reported = this.#reports.get(symbol);
    if (reported !== undefined) return reported.map((state) => this.#asKnownHere(symbol, state));
    return this.#choices.get(symbol)?.states() ?? [];
  }

  /** How the price of a market is served, by the last review, here or in the process with the feed. */
  servedPrice(symbol: MarketSymbol): ServedPrice | undefined {
    const used = this.states(symbol).find(({ over }) => over !== undefined);
    if (used?.over === undefined || used.provedAt === undefined) return undefined;
    const { id, over, reach, provedAt, provedBy = reach === 'live' ? 'live' : 'fallback' } = used;
    return { id, over, reach, provedAt, provedBy };
  }

  /** Whether another process makes the price: it runs the feed. */
  isMadeElsewhere(symbol: MarketSymbol): boolean {
    return this.#reports.has(symbol);
  }

  /** Takes what the process that runs the feed says. */
  takeReport({ at: reportedAt, markets }: SourceReport): void {
    for (const [symbol, states] of markets) {
      const reported = states.map((state) => ({ ...state, reportedAt }));
      this.#reports.set(symbol, reported);
    }
  }

  #asKnownHere(symbol: MarketSymbol, state: SourceState): SourceState {
    const used = this.used(symbol);
    const source = this.find(state.id);
    const own = source && pricesOf(this.#ofMarkets.get(symbol)?.get(source)?.ticker);
    const isNewer = own !== undefined && own.capturedAt >= (state.prices?.capturedAt ?? 0);
    // Which source makes the price comes with the price, before the next report.
    const isUsed = used === undefined ? state.isUsed : used.id === state.id;
    const provedAt = isNewer ? (Math.max(own.capturedAt, state.provedAt ?? 0) as EpochMs) : state.provedAt;
    return { ...state, isUsed, provedAt, prices: isNewer ? own : state.prices };
  }

  #choiceOf(symbol: MarketSymbol): MarketChoice {
    const known = this.#choices.get(symbol);
    if (known !== undefined) return known;
    const sources = this.listOf(symbol).map((source) => this.of(symbol, source));
    const choice = new MarketChoice(symbol, this.#rules, this.#guard, sources);
    this.#choices.set(symbol, choice);
    return choice;
  }
}
