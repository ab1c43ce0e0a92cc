import type { EpochMs } from '../clock.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import type { MarketControls, MarketRecord } from './market-catalogue.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type {
  ConversionRate,
  FeedPath,
  FeedSink,
  ReferencePrices,
  UpstreamMarket,
  UpstreamMarketStatus,
} from './upstream.ts';

/** Everything that changes what clients are told: the feed's news, and what operators decide. */
export interface MarketInputs extends FeedSink {
  applyControls(controls: readonly MarketControls[]): void;
  /** Replaces all announced windows. */
  setWindows(windows: readonly MaintenanceWindow[]): void;
}

/**
 * One input of the market room, or the state that all inputs before made. Who starts with a state and applies the events
 * after it in their order holds the same prices. Plain data: it reads the same after a structured clone and after JSON
 * (which leaves members out that are `undefined`).
 */
export type MarketEvent =
  | MarketState
  | { readonly kind: 'catalogue'; readonly markets: readonly UpstreamMarket[]; readonly at: EpochMs }
  | {
      readonly kind: 'marketStatus';
      readonly symbol: MarketSymbol;
      readonly status: UpstreamMarketStatus;
      readonly at: EpochMs;
    }
  /** As it was accepted: the last of a market tells all, and telling it twice changes nothing. */
  | { readonly kind: 'ticker'; readonly symbol: MarketSymbol; readonly accepted: AcceptedTicker }
  | { readonly kind: 'references'; readonly symbol: MarketSymbol; readonly prices: ReferencePrices }
  | { readonly kind: 'rate'; readonly rate: ConversionRate }
  | { readonly kind: 'feedCurrent'; readonly path: FeedPath; readonly at: EpochMs }
  | { readonly kind: 'feedPath'; readonly path: FeedPath; readonly at: EpochMs }
  | { readonly kind: 'controls'; readonly controls: readonly MarketControls[] }
  | { readonly kind: 'windows'; readonly windows: readonly MaintenanceWindow[] };

/** What the feed's events before made. Who holds something newer keeps it: nothing that clients were told is taken back. */
export interface MarketState {
  readonly kind: 'state';
  readonly records: readonly MarketRecord[];
  readonly tickers: readonly (readonly [MarketSymbol, AcceptedTicker])[];
  readonly references: readonly (readonly [MarketSymbol, ReferencePrices])[];
  readonly rates: readonly (readonly [CurrencyCode, ConversionRate])[];
  readonly feed: {
    readonly path: FeedPath;
    readonly lastUpdatedAt: EpochMs | undefined;
    /** Of the data, when the state was taken; `undefined` as `lastUpdatedAt`. */
    readonly ageMs?: number | undefined;
  };
}

/**
 * Events of one name tell of the same thing: of several that wait to be told, the last is enough. `undefined` for those
 * that must all be told.
 */
export function supersedingName(event: MarketEvent): string | undefined {
  switch (event.kind) {
    case 'ticker':
    case 'references':
      return `${event.kind} ${event.symbol}`;
    case 'rate':
      return `rate ${event.rate.quote}`;
    case 'feedCurrent':
    case 'feedPath':
    case 'windows':
      return event.kind;
    default:
      return undefined;
  }
}
