import type { EpochMs } from '../ground/clock.ts';
import type { Circumstances } from './circumstances.ts';
import type { Doubt } from './doubts.ts';
import { type Guard, type TickerOffer, takeAll, type Verdict } from './guard.ts';
import type { MarketSource } from './market-source.ts';
import { memoryOf, type PeerMemory, restoreMemory } from './peer-memory.ts';
import { Peers } from './peers.ts';
import type { Quote } from './quote.ts';
import { isMaker, type ServedPath, servedPath } from './served-price.ts';
import type { Source } from './source.ts';
import { chooseSource, isFit, medianTicker } from './source-choice.ts';
import type { SourceRules } from './source-lists.ts';
import { pricesOf, type SourceFacts, type SourceState } from './source-state.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

/** Values of a market, whichever source made them: its price, and a doubt that another process left of it. */
export interface MarketValues {
  readonly doubt: Doubt | undefined;
  readonly price: AcceptedTicker | undefined;
}

/** An instant, by the wall clock and by the monotonic one. */
export interface Instant {
  readonly now: EpochMs;
  readonly nowMs: number;
}

/** A source in use that was not reviewed yet. */
const nothing = { reach: 'silent', exclusion: undefined } as const;

/** An older price of the market says nothing of where a source may take over. */
const levelForMs = 300_000;

/** The sources of one market, and which of them makes its price. Never reads a clock. */
export class MarketChoice {
  readonly symbol: MarketSymbol;
  readonly #guard: Guard | undefined;
  #rules: SourceRules;
  #sources: readonly MarketSource[];
  /** `undefined` where one source has no other to be compared with, and where nothing is judged. */
  #peers: Peers | undefined;
  /** The source whose values are the market's; before the first review the one that sent the first. */
  used: MarketSource | undefined;
  /** Its first price may be made. */
  #isOpen = false;
  /** How its price came at the last review; `undefined` while it had none. */
  #servedOver: ServedPath | undefined;

  constructor(symbol: MarketSymbol, rules: SourceRules, guard: Guard | undefined, sources: readonly MarketSource[]) {
    this.symbol = symbol;
    this.#rules = rules;
    this.#guard = guard;
    this.#sources = sources;
    this.#peers = this.#peersOf(sources, false);
  }

  /** In order of preference. */
  get sources(): readonly MarketSource[] {
    return this.#sources;
  }

  /** Takes other sources, or another order of them. What is known of those that stay, stays. */
  relist(rules: SourceRules, sources: readonly MarketSource[]): void {
    this.#rules = rules;
    const before = this.#sources;
    for (const each of before) if (!sources.includes(each)) each.doubts.ended();
    if (sources.length === before.length && sources.every((each, index) => each === before[index])) return;
    this.#sources = sources;
    const hasPrice = this.used !== undefined;
    if (this.used !== undefined && !sources.includes(this.used)) this.used = undefined;
    for (const each of sources) {
      if (before.includes(each)) each.stay(sources);
      else each.join();
    }
    this.#peers = this.#peersOf(sources, this.#peers?.isOpen ?? hasPrice);
    if (this.#peers === undefined) for (const each of sources) each.standAlone();
  }

  #peersOf(sources: readonly MarketSource[], isOpen: boolean): Peers | undefined {
    const guard = this.#guard;
    if (sources.length < 2 || guard === undefined) return undefined;
    const rules = { ...guard.rules, returnAfterMs: this.#rules.returnAfterMs };
    return new Peers(rules, sources, isOpen, () => guard.began('contradicted'));
  }

  /** Takes over what made the price before a restart, or in another process. */
  restore(source: MarketSource, ticker: AcceptedTicker): void {
    source.ticker = ticker;
    this.used = source;
    this.#peers?.restoreLevel(source, ticker);
  }

  /** Takes over what was doubted of a source before a restart, or is by another process. */
  restoreDoubt(source: MarketSource, doubt: MarketSource['doubts']['byPeers']): void {
    this.#peers?.restoreDoubt(source, doubt);
  }

  /** Memory of what its sources said of one another, for a restart. */
  get peerMemory(): PeerMemory | undefined {
    return memoryOf(this.#sources);
  }

  /** Takes over the same from before a restart, or of another process. */
  restorePeerMemory(memory: PeerMemory): void {
    restoreMemory(this.#sources, memory);
  }

  /** The operator says that a doubted source is right; without its id where only one is doubted. */
  accept(id: string | undefined): void {
    const doubted = this.#sources.filter(({ doubts }) => doubts.byPeers !== undefined);
    const accepted = id === undefined ? doubted : doubted.filter((each) => each.id === id);
    if (accepted.length === 1) this.#peers?.accept(accepted[0]!);
  }

  /** Compares a source's ticker with what its peers quote, asks the guard, and keeps what is held of it. */
  judge(source: MarketSource, offer: TickerOffer, market: MarketValues): Verdict {
    const { ticker, path, at } = offer;
    const { doubts } = source;
    const isListed = this.#sources.includes(source);
    if (isListed && this.#peers !== undefined) {
      const sender = path === 'live' ? source : undefined;
      const doubt = this.#peers.quoted(source, ticker, path, this.#circumstances(at, market.price, sender));
      if (doubt?.reason === 'contradicted') {
        source.contradicted(ticker);
        return { isTaken: false, doubt: doubts.ofPrice };
      }
    }
    const inherited = market.doubt?.reason === 'contradicted' ? undefined : market.doubt;
    const known = doubts.byGuard ?? inherited;
    const elsewhere = () => this.#quotesOfOthers(source);
    const verdict = this.#guard?.judgeTicker(source.evidence, offer, source.ticker, known, elsewhere) ?? takeAll;
    if (verdict.doubt !== undefined || known !== undefined) source.judged(verdict);
    return verdict;
  }

  /** Gives what other live sources say, taken or doubted. */
  *#quotesOfOthers(source: MarketSource): Generator<Quote> {
    for (const { source: other, candidate, quote } of this.#sources)
      if (other !== source.source && candidate?.reach === 'live' && quote !== undefined) yield quote;
  }

  #circumstances(now: EpochMs, price: AcceptedTicker | undefined, sender?: MarketSource): Circumstances {
    const isRecent = price !== undefined && now - price.capturedAt <= levelForMs;
    return { now, price: isRecent ? price : undefined, used: this.used, sender };
  }

  /**
   * Gives what the market's price is now made from, once a source sent a good ticker; `undefined` when that changes
   * nothing.
   */
  received(source: MarketSource): AcceptedTicker | undefined {
    if (!this.#sources.includes(source)) return undefined;
    this.#peers?.taken(source);
    if (this.#peers !== undefined && !this.#isOpen) return this.#opened(this.#peers);
    this.used ??= source;
    const isUsed = this.used === source;
    if (this.#rules.mode === 'primary') return isUsed ? source.ticker : undefined;
    return isUsed || isFit(source.candidate) ? this.made() : undefined;
  }

  /** The first price, once it may be made: of the first source that spoke and that nothing speaks against. */
  #opened(peers: Peers): AcceptedTicker | undefined {
    if (!peers.isOpen) return undefined;
    this.#isOpen = true;
    const isDoubted = ({ doubts }: MarketSource) => doubts.byPeers !== undefined;
    if (this.used === undefined || isDoubted(this.used)) {
      const isAble = (each: MarketSource) => each.ticker !== undefined && each.quote !== undefined && !isDoubted(each);
      this.used = this.#sources.find(isAble) ?? this.used;
    }
    return this.made();
  }

  /**
   * Gives what the market's price is made from, by the last review; `undefined` while there is nothing to make it
   * from.
   */
  made(): AcceptedTicker | undefined {
    const { used } = this;
    const own = used?.ticker;
    if (used === undefined || own === undefined || used.doubts.isContradicted) return undefined;
    if (this.#rules.mode === 'primary') return own;
    const others = this.#sources.flatMap((each) => {
      const isKeptOut = each.doubts.byPeers !== undefined || this.#peers?.isApart(each) === true;
      const isPart = each !== used && isFit(each.candidate) && !isKeptOut;
      return isPart && each.ticker !== undefined ? [each.ticker] : [];
    });
    return medianTicker([own, ...others]);
  }

  /**
   * Chooses again. Returns whether the price is to be made again.
   *
   * @param price the market's
   */
  review(facts: SourceFacts, at: Instant, price: AcceptedTicker | undefined): boolean {
    const { used } = this;
    const wasOpen = this.#isOpen;
    const wasContradicted = used?.doubts.isContradicted === true;
    const wereFit = this.#rules.mode === 'median' ? this.#sources.map(({ candidate }) => isFit(candidate)) : [];
    this.#note(facts, at, price);
    this.#compare(facts, at, price);
    if (this.#peers?.isOpen === false) return false;
    this.#isOpen = true;
    const current = used === undefined ? undefined : this.#sources.indexOf(used);
    const chosen = chooseSource(
      this.#sources.map(({ candidate }) => candidate!),
      current,
    );
    this.used = chosen === undefined ? undefined : this.#sources[chosen];
    if (this.used !== used || !wasOpen || (wasContradicted && !used.doubts.isContradicted)) return true;
    return wereFit.some((wasFit, index) => isFit(this.#sources[index]!.candidate) !== wasFit);
  }

  /** Notes what each source says of itself. */
  #note(facts: SourceFacts, { now, nowMs }: Instant, price: AcceptedTicker | undefined): void {
    const { symbol } = this;
    // A price that is dated ahead of the clock, which was set back, orders nothing.
    const pricedAt = price !== undefined && price.capturedAt <= now ? price.capturedAt : 0;
    for (const each of this.#sources) {
      const { id, source, ticker } = each;
      const reach = source.isPaused ? 'silent' : facts.reach(id, symbol);
      const listing = source.isPaused ? undefined : facts.listing(id, symbol);
      // What was asked for before, comes from a cache or is of an earlier connection need not have stood when the
      // price was made.
      const isHeard = reach === 'live' && facts.isHeard(id, symbol);
      const mayBeOld = reach !== 'silent' && !isHeard;
      const exclusion = each.exclusion(listing, mayBeOld && each !== this.used ? pricedAt : 0);
      const isLive = reach === 'live' && exclusion === undefined;
      if (reach === 'silent') each.quote = undefined;
      else if (isHeard && ticker !== undefined) this.#peers?.recall(each, ticker);
      const isProven = each.streak.note(isLive, nowMs, this.#rules.returnAfterMs);
      each.candidate = { reach, exclusion, isProven };
    }
  }

  /** Notes what its peers say of each. */
  #compare(facts: SourceFacts, { now, nowMs }: Instant, price: AcceptedTicker | undefined): void {
    const peers = this.#peers;
    if (peers === undefined) return;
    const circumstances = this.#circumstances(now, price);
    const mayQuote = ({ id, source, quote }: MarketSource) => {
      const mayList = !source.isPaused && (facts.listing(id, this.symbol) !== undefined || !facts.isLoaded(id));
      return mayList && (quote !== undefined || facts.isAwaited(id));
    };
    peers.review(circumstances, this.#sources.filter(mayQuote).length, nowMs);
    for (const each of this.#sources) {
      const candidate = each.candidate!;
      const { exclusion } = candidate;
      if (exclusion === 'not_listed' || exclusion === 'not_trading') continue;
      const doubt = each.doubts.byPeers?.reason;
      const isOff = doubt === undefined && exclusion === undefined && !peers.isNearMarket(each, circumstances);
      if (doubt !== undefined || isOff) each.candidate = { ...candidate, exclusion: doubt ?? 'off_level' };
    }
  }

  /** Whether the market's price is made from what this source says. */
  isMaking(source: Source): boolean {
    if (this.used?.source === source) return true;
    return this.#rules.mode === 'median' && isFit(this.#sources.find((each) => each.source === source)?.candidate);
  }

  /**
   * Notes how its price comes by the last review, of a market that has one.
   *
   * @param makers the sources that make it are added
   */
  served(facts: Pick<SourceFacts, 'isLive' | 'isQuiet'>, makers: Set<string>): ServedPath {
    const isOffered = ({ candidate }: MarketSource) =>
      candidate !== undefined && candidate.exclusion !== 'not_listed' && candidate.exclusion !== 'paused';
    const { used, symbol } = this;
    for (const each of this.#sources)
      if (this.isMaking(each.source) && isMaker(each.candidate?.exclusion)) makers.add(each.id);
    const first = this.#sources.find(isOffered);
    this.#servedOver = servedPath(
      used?.candidate ?? nothing,
      first && {
        isUsed: first === used,
        isLive: facts.isLive(first.id),
        isQuiet: facts.isQuiet(first.id, symbol),
      },
      this.#peers !== undefined && !this.#isOpen,
    );
    return this.#servedOver;
  }

  /** Every source as it was last reviewed; before that the one in use. */
  states(): readonly SourceState[] {
    return this.#sources.flatMap((each) => {
      const { id, candidate, ticker, doubts } = each;
      const isUsed = this.used === each || (this.#rules.mode === 'median' && isFit(candidate));
      const doubt = doubts.shown;
      if (candidate === undefined && !isUsed && doubt === undefined) return [];
      const { reach = 'silent' as const, exclusion } = candidate ?? {};
      const over = this.used === each ? this.#servedOver : undefined;
      const { at = 0, by: provedBy } = each.proof ?? {};
      // A price that took over was still valid when the one before it was captured.
      const provedAt = ticker && (Math.max(at, ticker.capturedAt) as EpochMs);
      return [{ id, reach, exclusion, isUsed, doubt, prices: pricesOf(ticker), over, provedAt, provedBy }];
    });
  }
}
