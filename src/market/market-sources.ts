import type { EpochMs } from '../ground/clock.ts';
import { type Choice, relisted } from './choice.ts';
import type { Doubt, Guard, TickerOffer, Verdict } from './guard.ts';
import type { Quote } from './quote.ts';
import {
  exclusionOf,
  marketDoubtOf,
  pricesOf,
  type Source,
  type SourceDoubtListener,
  type SourceFacts,
  type SourceReport,
  type SourceState,
  shownDoubtOf,
} from './source.ts';
import { type Hearing, SourceAgreement, type SourceDoubts } from './source-agreement.ts';
import { type Candidate, chooseSource, isFit, LiveStreak, medianTicker } from './source-choice.ts';
import { goneSource, SourceLists, type SourceRules } from './source-lists.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

/** A doubt that another process or a restart left of a market, and its price. */
interface MarketValues {
  readonly doubt: Doubt | undefined;
  readonly price: AcceptedTicker | undefined;
}

const nothingDoubted: Verdict = { isTaken: true, doubt: undefined };
/** An older price of the market says nothing of where a source may take over. */
const levelForMs = 300_000;

/** Decides which source makes the price of which market, and keeps the choice. Never reads a clock. */
export class MarketSources {
  readonly #lists: SourceLists;
  #rules: SourceRules;
  readonly #choices = new Map<MarketSymbol, Choice>();
  /** Reports of the process that runs the feed, where that is another. */
  readonly #reports = new Map<MarketSymbol, readonly SourceState[]>();
  #switches = 0;
  onDoubt: SourceDoubtListener | undefined;

  constructor(rules: SourceRules, guard?: Guard) {
    this.#rules = rules;
    this.#lists = new SourceLists(rules, guard);
  }

  /** Takes other sources, or another order. One that goes while it makes a price stays as a silent one. @param renewed others under the same id */
  replace(rules: SourceRules, renewed: ReadonlySet<string>): void {
    const before = [...this.#choices.keys()].map((symbol) => [symbol, this.listOf(symbol)] as const);
    this.#rules = rules;
    this.#lists.replace(rules, renewed);
    for (const [symbol, list] of before) this.#relist(symbol, list);
  }

  #relist(symbol: MarketSymbol, before: readonly Source[], used?: Source): void {
    const choice = this.#choiceOf(symbol);
    this.#lists.keep(symbol, used ?? before[choice.current ?? -1]);
    const list = this.listOf(symbol);
    const from = list.map((source) => before.indexOf(source));
    for (const [index, source] of before.entries()) {
      const doubt = choice.agreement?.doubt(index) ?? shownDoubtOf(source.doubts.get(symbol));
      if (doubt !== undefined && !list.includes(source)) this.onDoubt?.(symbol, source.id, undefined, doubt);
    }
    if (from.length === before.length && from.every((old, index) => old === index)) return;
    this.#choices.set(symbol, relisted(choice, from, this.#agreementFor(symbol)));
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

  /** The source whose values are the market's; before the first review that which sent the first. */
  used(symbol: MarketSymbol): Source | undefined {
    const current = this.#choices.get(symbol)?.current;
    return current === undefined ? undefined : this.listOf(symbol)[current];
  }

  /** Takes over what made the price before a restart, or in another process, also a source that is none here: a silent one, as one that goes. */
  restore(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    const before = this.listOf(symbol);
    const source = before.find(({ id }) => id === ticker.source) ?? goneSource(ticker.source, before);
    if (source === undefined) return;
    source.tickers.set(symbol, ticker);
    this.#relist(symbol, before, source);
    const choice = this.#choiceOf(symbol);
    choice.current = this.listOf(symbol).indexOf(source);
    choice.agreement?.restoreLevel(choice.current, ticker);
  }

  /** Gives what is doubted of sources by comparison. */
  *doubts(): Generator<readonly [MarketSymbol, SourceDoubts]> {
    for (const [symbol, { agreement }] of this.#choices) {
      if (agreement?.isAnyDoubted !== true) continue;
      const doubted = this.listOf(symbol).flatMap(({ id }, index): SourceDoubts => {
        const doubt = agreement.doubt(index);
        return doubt === undefined ? [] : [[id, doubt]];
      });
      if (doubted.length > 0) yield [symbol, doubted];
    }
  }

  /** Takes over all that was doubted before a restart, or is by another process. */
  restoreDoubts(doubts: Iterable<readonly [MarketSymbol, SourceDoubts]>): void {
    const known = new Map(doubts);
    const before = [...this.doubts()].map(([symbol]) => symbol);
    for (const symbol of new Set([...known.keys(), ...before])) {
      const ofSources = new Map(known.get(symbol));
      const { agreement } = this.#choiceOf(symbol);
      for (const [index, { id }] of this.listOf(symbol).entries()) agreement?.restoreDoubt(index, ofSources.get(id));
    }
  }

  /** The operator says that a doubted source is right; without its id where only one is doubted. */
  accept(symbol: MarketSymbol, id?: string): void {
    const agreement = this.#choices.get(symbol)?.agreement;
    const list = this.listOf(symbol);
    const doubted = [...list.keys()].filter((index) => agreement?.doubt(index) !== undefined);
    const accepted = id === undefined ? doubted : doubted.filter((index) => list[index]!.id === id);
    if (accepted.length === 1) agreement?.accept(accepted[0]!);
  }

  /** Gives what the market's price is now made from, once `source` sent a good ticker; `undefined` when that changes nothing. */
  received(symbol: MarketSymbol, source: Source): AcceptedTicker | undefined {
    const choice = this.#choiceOf(symbol);
    const { agreement } = choice;
    const list = this.listOf(symbol);
    const index = list.indexOf(source);
    if (index < 0) return undefined;
    agreement?.taken(index);
    if (agreement !== undefined && !choice.isOpen) return this.#opened(symbol, choice, agreement);
    choice.current ??= index;
    if (this.#rules.mode === 'primary') return choice.current === index ? source.tickers.get(symbol) : undefined;
    const isPart = choice.current === index || isFit(choice.candidates[index]);
    return isPart ? this.made(symbol) : undefined;
  }

  /** The first price, once it may be made: of the first source that spoke and that nothing speaks against. */
  #opened(symbol: MarketSymbol, choice: Choice, agreement: SourceAgreement): AcceptedTicker | undefined {
    if (!agreement.isOpen) return undefined;
    choice.isOpen = true;
    if (choice.current === undefined || agreement.doubt(choice.current) !== undefined) {
      const first = this.listOf(symbol).findIndex(
        ({ tickers }, at) =>
          tickers.has(symbol) && agreement.said(at) !== undefined && agreement.doubt(at) === undefined,
      );
      if (first >= 0) choice.current = first;
    }
    return this.made(symbol);
  }

  /** Gives what the market's price is made from, by the last review; `undefined` while there is nothing to make it from. */
  made(symbol: MarketSymbol): AcceptedTicker | undefined {
    const used = this.used(symbol);
    const own = used?.tickers.get(symbol);
    const { candidates, agreement, current = -1 } = this.#choiceOf(symbol);
    if (used === undefined || own === undefined || agreement?.doubt(current)?.reason === 'contradicted')
      return undefined;
    if (this.#rules.mode === 'primary') return own;
    const others = this.listOf(symbol).flatMap((source, index) => {
      const isKeptOut = agreement?.doubt(index) !== undefined || agreement?.isApart(index) === true;
      const isPart = source !== used && isFit(candidates[index]) && !isKeptOut;
      const ticker = isPart ? source.tickers.get(symbol) : undefined;
      return ticker === undefined ? [] : [ticker];
    });
    return medianTicker([own, ...others]);
  }

  /** Compares a source's ticker with what the others say, asks its guard, and keeps what is held of it. */
  judge(symbol: MarketSymbol, source: Source, offer: TickerOffer, market: MarketValues): Verdict {
    const choice = this.#choiceOf(symbol);
    const index = this.listOf(symbol).indexOf(source);
    const hearing = this.#hearing(choice, offer.at, market.price, offer.path === 'live' ? index : undefined);
    const doubt = index < 0 ? undefined : choice.agreement?.heard(index, offer.ticker, offer.path, hearing);
    if (doubt?.reason === 'contradicted') {
      source.contradicted(symbol, offer.ticker);
      return { isTaken: false, doubt: marketDoubtOf(doubt) };
    }
    const inherited = market.doubt?.reason === 'contradicted' ? undefined : market.doubt;
    const known = source.doubts.get(symbol) ?? inherited;
    const elsewhere = () => this.#otherQuotes(symbol, source);
    const verdict =
      source.guard?.judgeTicker(symbol, offer, source.tickers.get(symbol), known, elsewhere) ?? nothingDoubted;
    if (verdict.doubt === undefined && known === undefined) return verdict;
    const before = shownDoubtOf(source.doubts.get(symbol));
    source.judged(symbol, verdict);
    if (verdict.doubt?.reason !== before?.reason)
      this.onDoubt?.(symbol, source.id, shownDoubtOf(verdict.doubt), before);
    return verdict;
  }

  /** Gives the doubt of the source that makes a market's price, of its guard or because others contradict it. */
  doubtOf(symbol: MarketSymbol): Doubt | undefined {
    const choice = this.#choices.get(symbol);
    if (choice?.current === undefined) return undefined;
    const doubt = choice.agreement?.doubt(choice.current);
    return doubt === undefined ? this.listOf(symbol)[choice.current]?.doubts.get(symbol) : marketDoubtOf(doubt);
  }

  /** The ticker, dated no earlier than that of another source before it: its price still stood then. */
  notBefore(symbol: MarketSymbol, made: AcceptedTicker, before: AcceptedTicker | undefined): AcceptedTicker {
    if (before === undefined || before.capturedAt <= made.capturedAt) return made;
    const used = this.used(symbol);
    const dated = { ...made, capturedAt: before.capturedAt };
    if (used?.id === made.source) used.tickers.set(symbol, dated);
    return dated;
  }

  /** Gives what other live sources of a market say, taken or doubted. */
  *#otherQuotes(symbol: MarketSymbol, source: Source): Generator<Quote> {
    const { candidates = [], agreement } = this.#choices.get(symbol) ?? {};
    for (const [index, other] of this.listOf(symbol).entries()) {
      if (other === source || candidates[index]?.reach !== 'live') continue;
      const quote = agreement?.said(index);
      if (quote !== undefined) yield quote;
    }
  }

  /** @param speaker sends live now, whatever the last review found */
  #hearing(choice: Choice, now: EpochMs, price: AcceptedTicker | undefined, speaker?: number): Hearing {
    return {
      now,
      isLive(index) {
        const candidate = choice.candidates[index];
        if (candidate === undefined) return undefined;
        const { reach, exclusion } = candidate;
        const isLive = reach === 'live' || index === speaker;
        return isLive && exclusion !== 'not_listed' && exclusion !== 'not_trading';
      },
      price: price !== undefined && now - price.capturedAt <= levelForMs ? price : undefined,
      used: choice.current,
    };
  }

  /**
   * Chooses again for a market. Returns whether its price is to be made again.
   *
   * @param at the instant, by the wall clock and by the monotonic one
   * @param price the market's
   */
  review(
    symbol: MarketSymbol,
    facts: SourceFacts,
    at: { readonly now: EpochMs; readonly nowMs: number },
    price: AcceptedTicker | undefined,
  ): boolean {
    const choice = this.#choiceOf(symbol);
    const { current, isOpen, candidates: before } = choice;
    this.#reports.delete(symbol);
    // A price that is dated ahead of the clock, which was set back, orders nothing.
    const pricedAt = price !== undefined && price.capturedAt <= at.now ? price.capturedAt : 0;
    choice.candidates = this.#candidates(symbol, choice, facts, at.nowMs, pricedAt);
    const able = this.listOf(symbol).filter(({ isPaused }) => !isPaused);
    const mayList = able.filter(({ id }) => facts.listing(id, symbol) || !facts.isLoaded(id)).length;
    const isContradicted = () => current !== undefined && choice.agreement?.doubt(current)?.reason === 'contradicted';
    const wasContradicted = isContradicted();
    this.#compare(symbol, choice, this.#hearing(choice, at.now, price), mayList, at.nowMs);
    if (choice.agreement?.isOpen === false) return false;
    choice.isOpen = true;
    choice.current = chooseSource(choice.candidates, current);
    if (choice.current !== current) {
      this.#switches++;
      this.#relist(symbol, this.listOf(symbol));
      return true;
    }
    if (!isOpen || (wasContradicted && !isContradicted())) return true;
    return (
      this.#rules.mode === 'median' && choice.candidates.some((each, index) => isFit(each) !== isFit(before[index]))
    );
  }

  /** By what each source says of itself. */
  #candidates(symbol: MarketSymbol, choice: Choice, facts: SourceFacts, nowMs: number, pricedAt: number): Candidate[] {
    return this.listOf(symbol).map((source, index) => {
      const reach = source.isPaused ? 'silent' : facts.reach(source.id, symbol);
      const listing = source.isPaused ? undefined : facts.listing(source.id, symbol);
      // What was asked for before, comes from a cache or is of an earlier connection need not have stood when the price was made.
      const isHeard = reach === 'live' && facts.isHeard(source.id, symbol);
      const mayBeOld = reach !== 'silent' && !isHeard;
      const since = mayBeOld && index !== choice.current ? pricedAt : 0;
      const exclusion = exclusionOf(source, symbol, listing, since);
      const isLive = reach === 'live' && exclusion === undefined;
      const ticker = source.tickers.get(symbol);
      if (reach === 'silent') choice.agreement?.forget(index);
      else if (isHeard && ticker !== undefined) choice.agreement?.recall(index, ticker);
      const isProven = choice.streaks[index]!.note(isLive, nowMs, this.#rules.returnAfterMs);
      if (isLive) choice.wasLive = true;
      return { reach, exclusion, isProven };
    });
  }

  /** And by what the others say of it. */
  #compare(symbol: MarketSymbol, choice: Choice, hearing: Hearing, listed: number, nowMs: number): void {
    const { agreement, candidates } = choice;
    if (agreement === undefined) return;
    agreement.review(hearing, listed, nowMs);
    choice.candidates = candidates.map((candidate, index) => {
      const { exclusion } = candidate;
      const doubt = agreement.doubt(index)?.reason;
      if (exclusion === 'not_listed' || exclusion === 'not_trading') return candidate;
      if (doubt !== undefined) return { ...candidate, exclusion: doubt };
      const own = this.listOf(symbol)[index]?.tickers.get(symbol);
      const isOff = exclusion === undefined && !agreement.isNearMarket(index, hearing, own);
      return isOff ? { ...candidate, exclusion: 'off_level' as const } : candidate;
    });
  }

  /** Whether the market is served by another source than the first that lists it, or over REST; one that never was live counts only where no other is. */
  isDegraded(symbol: MarketSymbol, facts: SourceFacts): boolean {
    const choice = this.#choices.get(symbol);
    const leader =
      choice?.candidates.findIndex(({ exclusion }) => exclusion !== 'not_listed' && exclusion !== 'paused') ?? -1;
    if (choice?.current === undefined || leader < 0) return false;
    if (!facts.isLive(this.listOf(symbol)[leader]!.id)) return true;
    return choice.wasLive && (choice.current !== leader || choice.candidates[leader]?.reach === 'polled');
  }

  /** Every source of a market, in order of preference, as it was last reviewed, here or by the process with the feed; before that the one in use. */
  states(symbol: MarketSymbol): readonly SourceState[] {
    const reported = this.#reports.get(symbol);
    if (reported !== undefined) return reported.map((state) => this.#asKnownHere(symbol, state));
    const choice = this.#choices.get(symbol);
    return this.listOf(symbol).flatMap(({ id, tickers, doubts: held }, index) => {
      const candidate = choice?.candidates[index];
      const isUsed = choice?.current === index || (this.#rules.mode === 'median' && isFit(candidate));
      const doubt = choice?.agreement?.doubt(index) ?? shownDoubtOf(held.get(symbol));
      if (candidate === undefined && !isUsed && doubt === undefined) return [];
      const { reach = 'silent' as const, exclusion } = candidate ?? {};
      return [{ id, reach, exclusion, isUsed, doubt, prices: pricesOf(tickers.get(symbol)) }];
    });
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
    const own = pricesOf(this.find(state.id)?.tickers.get(symbol));
    const isNewer = own !== undefined && own.capturedAt >= (state.prices?.capturedAt ?? 0);
    // Which source makes the price comes with the price, before the next report.
    const isUsed = used === undefined ? state.isUsed : used.id === state.id;
    return { ...state, isUsed, prices: isNewer ? own : state.prices };
  }

  /** `undefined` where one source has no other to be compared with, and where nothing is judged. */
  #agreementFor(symbol: MarketSymbol): SourceAgreement | undefined {
    const list = this.listOf(symbol);
    const rules = this.first.guard?.rules;
    if (list.length < 2 || rules === undefined) return undefined;
    const { returnAfterMs } = this.#rules;
    return new SourceAgreement({ ...rules, returnAfterMs }, list.length, (index, doubt, before) => {
      const { id, guard } = list[index]!;
      if (doubt?.reason === 'contradicted' && before?.reason !== 'contradicted') guard?.began('contradicted');
      this.onDoubt?.(symbol, id, doubt, before);
    });
  }

  #choiceOf(symbol: MarketSymbol): Choice {
    const known = this.#choices.get(symbol);
    if (known !== undefined) return known;
    const streaks = this.listOf(symbol).map(() => new LiveStreak());
    const begun = { candidates: [], current: undefined, isOpen: false, wasLive: false };
    const choice: Choice = { streaks, agreement: this.#agreementFor(symbol), ...begun };
    this.#choices.set(symbol, choice);
    return choice;
  }
}
