import type { EpochMs } from '../clock.ts';
import type { Guard, Held, Quote, TickerOffer, Verdict } from './guard.ts';
import { type Candidate, chooseSource, type Exclusion, LiveStreak, medianTicker, type Reach } from './source-choice.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ReferencePrices } from './upstream.ts';

/** Which sources there are, and how they make prices together. */
export interface SourceRules {
  /** In order of preference; not empty. */
  readonly ids: readonly string[];
  /** The markets that have a list of their own. */
  readonly lists: ReadonlyMap<MarketSymbol, readonly string[]>;
  readonly mode: 'primary' | 'median';
  /** How long a better source must be live without a break before it takes a market back. */
  readonly returnAfterMs: number;
}

/** For a market room with a single source, which needs no name. */
export const oneSource: SourceRules = { ids: ['exchange'], lists: new Map(), mode: 'primary', returnAfterMs: 0 };

/** What one source last said of its markets. */
export class Source {
  readonly id: string;
  readonly guard: Guard | undefined;
  /** Its last good values. */
  readonly tickers = new Map<MarketSymbol, AcceptedTicker>();
  readonly references = new Map<MarketSymbol, ReferencePrices>();
  readonly held = new Map<MarketSymbol, Held>();
  /** Its latest values are held. It can have good ones over one path while the other repeats those that are held. */
  readonly latestHeld = new Set<MarketSymbol>();

  constructor(id: string, guard: Guard | undefined) {
    this.id = id;
    this.guard = guard;
  }

  /** What the guard holds of a market now, and whether it took the latest values all the same. */
  hold(symbol: MarketSymbol, { held, isTaken }: Verdict): void {
    if (held === undefined) this.held.delete(symbol);
    else this.held.set(symbol, held);
    if (isTaken) this.latestHeld.delete(symbol);
    else this.latestHeld.add(symbol);
  }
}

/** The last good best prices of a source. */
export interface SourcePrices extends Quote {
  readonly capturedAt: EpochMs;
}

/** The state of one source of a market: in use, ready to take over, not delivering, or kept out. Plain data. */
export interface SourceState {
  readonly id: string;
  readonly reach: Reach;
  readonly exclusion?: Exclusion | undefined;
  readonly isUsed: boolean;
  /** As far as this process knows them. */
  readonly prices?: SourcePrices | undefined;
  /** When the process that runs the feed reported it; `undefined` in that process. */
  readonly reportedAt?: EpochMs | undefined;
}

/** The states of all sources of each market, in order of preference, as the process with the feed has them. */
export interface SourceReport {
  readonly at: EpochMs;
  readonly markets: readonly (readonly [MarketSymbol, readonly SourceState[]])[];
}

/** What `review` needs to know of a source and a market. */
export interface SourceFacts {
  reach(source: string, symbol: MarketSymbol): Reach;
  /** Whether the source delivers live at all. */
  isLive(source: string): boolean;
  /** What the source's own catalogue says. */
  listing(source: string, symbol: MarketSymbol): 'trading' | 'paused' | undefined;
}

const nothingHeld: Verdict = { isTaken: true, held: undefined };

interface Choice {
  readonly streaks: readonly LiveStreak[];
  candidates: readonly Candidate[];
  current: number | undefined;
  /** A source of it was live since the start of the process. */
  wasLive: boolean;
}

/** Decides which source makes the price of which market, and keeps the choice. Never reads a clock. */
export class MarketSources {
  readonly all: readonly Source[];
  readonly first: Source;
  readonly #rules: SourceRules;
  readonly #lists = new Map<MarketSymbol, readonly Source[]>();
  readonly #choices = new Map<MarketSymbol, Choice>();
  /** Of the process that runs the feed, where that is another. */
  readonly #reports = new Map<MarketSymbol, readonly SourceState[]>();
  #switches = 0;

  constructor(rules: SourceRules, guard?: Guard) {
    this.#rules = rules;
    this.all = rules.ids.map((id) => new Source(id, guard?.forSource()));
    this.first = this.all[0]!;
    for (const [symbol, ids] of rules.lists)
      this.#lists.set(
        symbol,
        ids.map((id) => this.find(id)!),
      );
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
    return this.#lists.get(symbol) ?? this.all;
  }

  /** The source whose values are the market's; before the first review that which sent the first. */
  used(symbol: MarketSymbol): Source | undefined {
    const current = this.#choices.get(symbol)?.current;
    return current === undefined ? undefined : this.listOf(symbol)[current];
  }

  /** Takes over what made the price before a restart, or in another process. */
  restore(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    const index = this.listOf(symbol).findIndex(({ id }) => id === ticker.source);
    if (index < 0) return;
    this.listOf(symbol)[index]!.tickers.set(symbol, ticker);
    this.#choiceOf(symbol).current = index;
  }

  /** What the market's price is now made from, once `source` sent a good ticker; `undefined` when that changes nothing. */
  received(symbol: MarketSymbol, source: Source): AcceptedTicker | undefined {
    const choice = this.#choiceOf(symbol);
    const list = this.listOf(symbol);
    const index = list.indexOf(source);
    choice.current ??= index;
    if (this.#rules.mode === 'primary') return choice.current === index ? source.tickers.get(symbol) : undefined;
    const isPart = choice.current === index || isFit(choice.candidates[index]);
    return isPart ? this.made(symbol) : undefined;
  }

  /** What the market's price is made from, by the last review; `undefined` while there is nothing. */
  made(symbol: MarketSymbol): AcceptedTicker | undefined {
    const used = this.used(symbol);
    const own = used?.tickers.get(symbol);
    if (used === undefined || own === undefined || this.#rules.mode === 'primary') return own;
    const { candidates } = this.#choiceOf(symbol);
    const others = this.listOf(symbol).flatMap((source, index) => {
      const ticker = source === used || !isFit(candidates[index]) ? undefined : source.tickers.get(symbol);
      return ticker === undefined ? [] : [ticker];
    });
    return medianTicker([own, ...others]);
  }

  /**
   * Asks the guard of a source, and keeps what it holds.
   *
   * @param inherited what another process held of the market
   */
  judge(symbol: MarketSymbol, source: Source, offer: TickerOffer, inherited: Held | undefined): Verdict {
    const known = source.held.get(symbol) ?? inherited;
    const elsewhere = () => this.#otherQuotes(symbol, source);
    const verdict =
      source.guard?.judgeTicker(symbol, offer, source.tickers.get(symbol), known, elsewhere) ?? nothingHeld;
    if (verdict.held !== undefined || known !== undefined) source.hold(symbol, verdict);
    return verdict;
  }

  /** The ticker, dated no earlier than that of another source before it: its price still stood then. */
  notBefore(symbol: MarketSymbol, made: AcceptedTicker, before: AcceptedTicker | undefined): AcceptedTicker {
    const isMedian = this.#rules.mode === 'median';
    if (before === undefined || before.capturedAt <= made.capturedAt) return made;
    if (before.source === made.source && !isMedian) return made;
    const dated = { ...made, capturedAt: before.capturedAt };
    this.find(made.source)?.tickers.set(symbol, dated);
    return dated;
  }

  /** What other live sources of a market say, taken or held. */
  *#otherQuotes(symbol: MarketSymbol, source: Source): Generator<Quote> {
    const candidates = this.#choices.get(symbol)?.candidates ?? [];
    for (const [index, other] of this.listOf(symbol).entries()) {
      if (other === source || candidates[index]?.reach !== 'live') continue;
      const quote = other.guard?.suspected(symbol) ?? other.tickers.get(symbol);
      if (quote !== undefined) yield quote;
    }
  }

  /**
   * Chooses again for a market. Returns whether its price is to be made again.
   *
   * @param nowMs monotonic
   */
  review(symbol: MarketSymbol, facts: SourceFacts, nowMs: number): boolean {
    const choice = this.#choiceOf(symbol);
    const before = choice.candidates;
    const { current } = choice;
    this.#reports.delete(symbol);
    choice.candidates = this.listOf(symbol).map((source, index) => {
      const reach = facts.reach(source.id, symbol);
      const exclusion = exclusionOf(source, symbol, facts.listing(source.id, symbol));
      const isLive = reach === 'live' && exclusion === undefined;
      const isProven = choice.streaks[index]!.note(isLive, nowMs, this.#rules.returnAfterMs);
      if (isLive) choice.wasLive = true;
      return { reach, exclusion, isProven };
    });
    choice.current = chooseSource(choice.candidates, current);
    if (choice.current !== current) {
      this.#switches++;
      return true;
    }
    return (
      this.#rules.mode === 'median' && choice.candidates.some((each, index) => isFit(each) !== isFit(before[index]))
    );
  }

  /**
   * The market is served by another source than the first that lists it, or over REST. Where the rest of that source is live,
   * one that never was does not count, and one whose values are refused keeps its last good ones.
   */
  isDegraded(symbol: MarketSymbol, facts: SourceFacts): boolean {
    const choice = this.#choices.get(symbol);
    const leader = choice?.candidates.findIndex(({ exclusion }) => exclusion !== 'not_listed') ?? -1;
    if (choice?.current === undefined || leader < 0) return false;
    if (!facts.isLive(this.listOf(symbol)[leader]!.id)) return true;
    return choice.wasLive && (choice.current !== leader || choice.candidates[leader]?.reach === 'polled');
  }

  /**
   * Every source of a market, in order of preference: as it was reviewed here, or reported by the process that does that. Only the one in
   * use before either.
   */
  states(symbol: MarketSymbol): readonly SourceState[] {
    const reported = this.#reports.get(symbol);
    if (reported !== undefined) return reported.map((state) => this.#asKnownHere(symbol, state));
    const choice = this.#choices.get(symbol);
    return this.listOf(symbol).flatMap(({ id, tickers }, index) => {
      const candidate = choice?.candidates[index];
      const isUsed = choice?.current === index || (this.#rules.mode === 'median' && isFit(candidate));
      if (candidate === undefined && !isUsed) return [];
      const { reach = 'silent' as const, exclusion } = candidate ?? {};
      return [{ id, reach, exclusion, isUsed, prices: pricesOf(tickers.get(symbol)) }];
    });
  }

  /** Takes what the process that runs the feed says. */
  takeReport({ at: reportedAt, markets }: SourceReport): void {
    for (const [symbol, states] of markets) {
      this.#reports.set(
        symbol,
        states.map((state) => ({ ...state, reportedAt })),
      );
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

  #choiceOf(symbol: MarketSymbol): Choice {
    const known = this.#choices.get(symbol);
    if (known !== undefined) return known;
    const streaks = this.listOf(symbol).map(() => new LiveStreak());
    const choice: Choice = { streaks, candidates: [], current: undefined, wasLive: false };
    this.#choices.set(symbol, choice);
    return choice;
  }
}

function pricesOf(ticker: AcceptedTicker | undefined): SourcePrices | undefined {
  return ticker && { bid: ticker.bid, ask: ticker.ask, capturedAt: ticker.capturedAt };
}

function exclusionOf(
  source: Source,
  symbol: MarketSymbol,
  listing: 'trading' | 'paused' | undefined,
): Exclusion | undefined {
  if (listing === undefined) return 'not_listed';
  if (listing === 'paused') return 'not_trading';
  if (source.latestHeld.has(symbol)) return 'held';
  return source.tickers.has(symbol) ? undefined : 'no_price';
}

/** In the median a source over REST counts only where it is the one in use. */
function isFit(candidate: Candidate | undefined): boolean {
  return candidate?.reach === 'live' && candidate.exclusion === undefined;
}
