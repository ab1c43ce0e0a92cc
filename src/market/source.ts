import type { EpochMs } from '../ground/clock.ts';
import { type Doubt, type DoubtReason, doubtedForMsMax, type Guard, type Verdict } from './guard.ts';
import type { Quote } from './quote.ts';
import type { SourceDoubt, SourceDoubtReason } from './source-agreement.ts';
import type { Exclusion, Reach } from './source-choice.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ReferencePrices } from './upstream.ts';

/** A source, and what it last said of its markets. */
export class Source {
  readonly id: string;
  readonly guard: Guard | undefined;
  /** It sends nothing more: so the configuration says, or it is gone from there. */
  isPaused = false;
  /** Its last good values. */
  readonly tickers = new Map<MarketSymbol, AcceptedTicker>();
  /** When the latest were asked for, or arrived by themselves: they stood then, however long ago they changed. */
  readonly stoodAt = new Map<MarketSymbol, EpochMs>();
  readonly references = new Map<MarketSymbol, ReferencePrices>();
  readonly doubts = new Map<MarketSymbol, Doubt>();
  /** Its latest values are held. It can have good ones over one path while the other repeats those that are held. */
  readonly latestDoubted = new Set<MarketSymbol>();

  constructor(id: string, guard: Guard | undefined) {
    this.id = id;
    this.guard = guard;
  }

  /** Takes what the guard doubts of a market now, and whether it took the latest values all the same. */
  judged(symbol: MarketSymbol, { doubt, isTaken }: Verdict): void {
    if (doubt === undefined) this.doubts.delete(symbol);
    else this.doubts.set(symbol, doubt);
    if (isTaken) this.latestDoubted.delete(symbol);
    else this.latestDoubted.add(symbol);
  }

  /** It has no price of a market any more, from an instant on. Returns what that makes doubtful of its last one. */
  withdrew(symbol: MarketSymbol, at: EpochMs, unpricedFrom = at): Doubt | undefined {
    const ticker = this.tickers.get(symbol);
    if (ticker === undefined || this.doubts.get(symbol)?.reason === 'withdrawn') return undefined;
    const doubt = { reason: 'withdrawn' as const, since: at, values: [ticker.bid, ticker.ask], unpricedFrom };
    this.judged(symbol, { isTaken: false, doubt });
    this.guard?.began('withdrawn');
    return doubt;
  }

  /** Others contradict what it says. No price is made of that meanwhile; when it is believed again, of that and nothing older. */
  contradicted(symbol: MarketSymbol, said: AcceptedTicker): void {
    this.tickers.set(symbol, said);
    this.doubts.delete(symbol);
    this.latestDoubted.delete(symbol);
  }
}

/** The last good best prices of a source. */
export interface SourcePrices extends Quote {
  readonly capturedAt: EpochMs;
}

/** Why a source's values make no price though it sends them, by its guard or by what others say. */
export interface ShownDoubt extends Quote {
  readonly reason: DoubtReason | SourceDoubtReason;
  readonly since: EpochMs;
}

/** Told when a doubt of a source begins, gets another reason or ends. */
export type SourceDoubtListener = (market: MarketSymbol, source: string, now?: ShownDoubt, was?: ShownDoubt) => void;

/** The state of one source of a market: in use, ready to take over, not delivering, or kept out. Plain data. */
export interface SourceState {
  readonly id: string;
  readonly reach: Reach;
  readonly exclusion?: Exclusion | undefined;
  readonly isUsed: boolean;
  /** The doubt of it, with what it says. */
  readonly doubt?: ShownDoubt | undefined;
  /** Its prices, as far as this process knows them. */
  readonly prices?: SourcePrices | undefined;
  /** When the process that runs the feed reported it; `undefined` in that process. */
  readonly reportedAt?: EpochMs | undefined;
}

/** The states of all sources of each market, in order of preference, as the process with the feed has them. */
export interface SourceReport {
  readonly at: EpochMs;
  readonly markets: readonly (readonly [MarketSymbol, readonly SourceState[]])[];
}

/** Facts that `review` needs of a source and a market. */
export interface SourceFacts {
  reach(source: string, symbol: MarketSymbol): Reach;
  /** Whether it gave its price since it was last connected, or confirmed it over REST. */
  isHeard(source: string, symbol: MarketSymbol): boolean;
  /** Whether the source delivers live at all. */
  isLive(source: string): boolean;
  /** Whether the source's catalogue is known. */
  isLoaded(source: string): boolean;
  /** The market's status in that catalogue. */
  listing(source: string, symbol: MarketSymbol): 'trading' | 'paused' | undefined;
}

/** Finds what keeps a source from making the price of a market, by what it says itself. @param since its price must have stood then */
export function exclusionOf(
  source: Source,
  symbol: MarketSymbol,
  listing: 'trading' | 'paused' | undefined,
  since: number,
): Exclusion | undefined {
  if (source.isPaused) return 'paused';
  if (listing === undefined) return 'not_listed';
  if (listing === 'paused') return 'not_trading';
  if (source.latestDoubted.has(symbol)) return 'held';
  const ticker = source.tickers.get(symbol);
  return ticker === undefined || (source.stoodAt.get(symbol) ?? ticker.capturedAt) < since ? 'no_price' : undefined;
}

export function pricesOf(ticker: AcceptedTicker | undefined): SourcePrices | undefined {
  return ticker && { bid: ticker.bid, ask: ticker.ask, capturedAt: ticker.capturedAt };
}

/** Shows what its guard doubts of a source. */
export function shownDoubtOf(doubt: Doubt | undefined): ShownDoubt | undefined {
  const [bid, ask] = doubt?.values ?? [];
  return doubt === undefined || bid === undefined || ask === undefined
    ? undefined
    : { reason: doubt.reason, since: doubt.since, bid, ask };
}

/** One object as long as the doubt is one. */
const marketDoubts = new WeakMap<SourceDoubt, Doubt>();

/** A source that others contradict, as a doubt of its market. */
export function marketDoubtOf(doubt: SourceDoubt): Doubt {
  return marketDoubts.getOrInsertComputed(doubt, ({ since, bid, ask }) => {
    const unpricedFrom = (since + doubtedForMsMax) as EpochMs;
    return { reason: 'contradicted', since, values: [bid, ask], unpricedFrom };
  });
}
