import type { EpochMs } from '../clock.ts';
import type { Held, HeldSubject } from './guard.ts';
import type { ListedBySource, MarketRecord } from './market-catalogue.ts';
import type { SourceReport } from './source-report.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type {
  CatalogueGaps,
  ConversionRate,
  FeedPath,
  ReferencePrices,
  UpstreamMarket,
  UpstreamMarketStatus,
} from './upstream.ts';

/**
 * One input of the market room, or the state that all earlier inputs produced. A replica that starts from a state and
 * applies the following events in order holds the same prices. Plain data: it survives a structured clone and JSON
 * (which leaves out members that are `undefined`).
 */
export type MarketEvent =
  | MarketState
  | {
      readonly kind: 'catalogue';
      readonly source: string;
      readonly markets: readonly UpstreamMarket[];
      readonly at: EpochMs;
      readonly gaps?: CatalogueGaps | undefined;
    }
  | {
      readonly kind: 'marketStatus';
      readonly source: string;
      readonly symbol: MarketSymbol;
      readonly status: UpstreamMarketStatus;
      readonly at: EpochMs;
    }
  /** The ticker that makes the price, with the id of its source: idempotent, and a later one of the same market supersedes it. */
  | { readonly kind: 'ticker'; readonly symbol: MarketSymbol; readonly accepted: AcceptedTicker }
  | { readonly kind: 'references'; readonly symbol: MarketSymbol; readonly prices: ReferencePrices }
  | { readonly kind: 'rate'; readonly rate: ConversionRate }
  /** `held` is absent once nothing is. */
  | { readonly kind: 'held'; readonly subject: HeldSubject; readonly held: Held | undefined }
  /** The markets whose sources changed since the last one. */
  | { readonly kind: 'sources'; readonly report: SourceReport }
  | { readonly kind: 'feedCurrent'; readonly at: EpochMs }
  | { readonly kind: 'feedPath'; readonly path: FeedPath; readonly at: EpochMs };

/** The result of all earlier feed events. A replica that holds something newer keeps it: no served price goes back. */
export interface MarketState {
  readonly kind: 'state';
  readonly records: readonly MarketRecord[];
  readonly listed: ListedBySource;
  readonly tickers: readonly (readonly [MarketSymbol, AcceptedTicker])[];
  readonly references: readonly (readonly [MarketSymbol, ReferencePrices])[];
  readonly rates: readonly (readonly [CurrencyCode, ConversionRate])[];
  readonly held: readonly (readonly [HeldSubject, Held])[];
  readonly sources: SourceReport;
  readonly feed: {
    readonly path: FeedPath;
    readonly lastUpdatedAt: EpochMs | undefined;
    /** Age of the data when the state was taken; `undefined` when the feed never delivered. */
    readonly ageMs?: number | undefined;
  };
}

/** Events waiting to be sent. Of several that supersede each other only the newest is kept, in its own place. */
export class PendingEvents {
  /** By superseding name; events that nothing supersedes by a number. */
  readonly #events = new Map<string | number, MarketEvent>();
  #unnamed = 0;

  get size(): number {
    return this.#events.size;
  }

  add(event: MarketEvent): void {
    const name = supersedingName(event) ?? this.#unnamed++;
    // Deleted first, so that an event never moves ahead of one that came before it.
    this.#events.delete(name);
    this.#events.set(name, event);
  }

  /** Removes and returns all waiting events in order. */
  take(): MarketEvent[] {
    const events = [...this.#events.values()];
    this.#events.clear();
    return events;
  }
}

/** A later event of the same name supersedes an earlier one. `undefined` for events that must all be sent. */
function supersedingName(event: MarketEvent): string | undefined {
  switch (event.kind) {
    case 'ticker':
    case 'references':
      return `${event.kind} ${event.symbol}`;
    case 'held':
      return `held ${event.subject}`;
    case 'rate':
      return `rate ${event.rate.quote}`;
    case 'feedCurrent':
    case 'feedPath':
      return event.kind;
    default:
      return undefined;
  }
}
