import type { EpochMs } from '../clock.ts';
import type { DecimalString } from './decimal.ts';
import type { Exclusion, Reach } from './source-choice.ts';
import type { MarketSymbol } from './symbol.ts';

/** The last good best prices of a source. */
export interface SourcePrices {
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  readonly capturedAt: EpochMs;
}

/** What the process that runs the feed knows of one source of a market. Plain data, for the processes that follow it. */
interface ReportedSource {
  readonly id: string;
  readonly reach: Reach;
  readonly exclusion?: Exclusion | undefined;
  readonly isUsed: boolean;
  /** Left out where they are the market's own, which every process has. */
  readonly prices?: SourcePrices | undefined;
}

export interface MarketReport {
  readonly symbol: MarketSymbol;
  /** In order of preference. */
  readonly sources: readonly ReportedSource[];
}

/** The sources of all markets at an instant, or of those that changed since the report before. */
export interface SourceReport {
  readonly at: EpochMs;
  readonly markets: readonly MarketReport[];
}
