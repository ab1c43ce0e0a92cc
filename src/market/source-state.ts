import type { EpochMs } from '../ground/clock.ts';
import type { ShownDoubt } from './doubts.ts';
import type { Quote } from './quote.ts';
import type { ServedPath } from './served-price.ts';
import type { Exclusion, Reach } from './source-choice.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { FeedPath } from './upstream.ts';

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
  /** The doubt of it, with what it says. */
  readonly doubt?: ShownDoubt | undefined;
  /** Its prices, as far as this process knows them. */
  readonly prices?: SourcePrices | undefined;
  /** How the market is served from it; `undefined` of the others, and before the first review. */
  readonly over?: ServedPath | undefined;
  /** When its prices were last proved current, and how; `undefined` while it has none. */
  readonly provedAt?: EpochMs | undefined;
  readonly provedBy?: FeedPath | undefined;
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
  /** Whether the market's live subscription stands there, and nothing came over it yet. */
  isQuiet(source: string, symbol: MarketSymbol): boolean;
  /** Whether the source delivers live at all. */
  isLive(source: string): boolean;
  /** Whether the source's catalogue is known. */
  isLoaded(source: string): boolean;
  /** The market's status in that catalogue. */
  listing(source: string, symbol: MarketSymbol): 'trading' | 'paused' | undefined;
}

export function pricesOf(ticker: AcceptedTicker | undefined): SourcePrices | undefined {
  return ticker && { bid: ticker.bid, ask: ticker.ask, capturedAt: ticker.capturedAt };
}
