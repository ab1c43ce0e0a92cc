import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock } from '../clock.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketEvent, MarketInputs, MarketState } from '../market/market-event.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { FeedSink } from '../market/upstream.ts';

/** The parts of a process that hold what the feed tells. */
export interface FedParts {
  readonly book: MarketBook;
  readonly feedStatus: FeedStatus;
}

/** The parts of a process that hold what clients are told. */
export interface MarketParts extends FedParts {
  readonly service: ServiceBoard;
}

/** Leads every input of the market to the part it concerns. */
export function marketInputs(
  { book, feedStatus, service }: MarketParts,
  clock: Pick<Clock, 'monotonicMs'>,
): MarketInputs {
  return {
    catalogueLoaded: (markets, at) => book.catalogueLoaded(markets, at),
    marketStatusChanged: (symbol, status) => book.marketStatusChanged(symbol, status),
    tickerReceived: (ticker) => book.tickerReceived(ticker),
    referencePricesChanged: (symbol, prices) => book.referencePricesChanged(symbol, prices),
    rateRefreshed: (rate) => book.rateRefreshed(rate),
    feedCurrent: (path, at) => feedStatus.feedCurrent(path, at, clock.monotonicMs()),
    feedPathChanged: (path) => feedStatus.pathChanged(path),
    applyControls: (controls) => book.applyControls(controls),
    setWindows: (windows) => service.setWindows(windows),
  };
}

/**
 * The same sink, with `record` told of each event once it was taken. A ticker that is refused changes nothing and is not recorded.
 *
 * @param book what the sink leads to: it knows what became of a ticker
 */
export function recordedFeed(
  sink: FeedSink,
  book: Pick<MarketBook, 'acceptedTicker'>,
  record: (event: MarketEvent) => void,
): FeedSink {
  return {
    catalogueLoaded(markets, at) {
      sink.catalogueLoaded(markets, at);
      record({ kind: 'catalogue', markets, at });
    },
    marketStatusChanged(symbol, status, at) {
      sink.marketStatusChanged(symbol, status, at);
      record({ kind: 'marketStatus', symbol, status, at });
    },
    tickerReceived(ticker) {
      const rejected = sink.tickerReceived(ticker);
      const accepted = book.acceptedTicker(ticker.symbol);
      if (rejected === undefined && accepted !== undefined) record({ kind: 'ticker', symbol: ticker.symbol, accepted });
      return rejected;
    },
    referencePricesChanged(symbol, prices) {
      sink.referencePricesChanged(symbol, prices);
      record({ kind: 'references', symbol, prices });
    },
    rateRefreshed(rate) {
      sink.rateRefreshed(rate);
      record({ kind: 'rate', rate });
    },
    feedCurrent(path, at) {
      sink.feedCurrent(path, at);
      record({ kind: 'feedCurrent', path, at });
    },
    feedPathChanged(path, at) {
      sink.feedPathChanged(path, at);
      record({ kind: 'feedPath', path, at });
    },
  };
}

/** As `recordedFeed`, of the feed and of what operators decide. */
export function recorded(
  inputs: MarketInputs,
  book: Pick<MarketBook, 'acceptedTicker'>,
  record: (event: MarketEvent) => void,
): MarketInputs {
  return {
    ...recordedFeed(inputs, book, record),
    applyControls(controls) {
      inputs.applyControls(controls);
      record({ kind: 'controls', controls });
    },
    setWindows(windows) {
      inputs.setWindows(windows);
      record({ kind: 'windows', windows });
    },
  };
}

/** What the feed's events before made, to begin with. Taken in one turn, so that nothing falls between it and the events after. */
export function feedStateOf({ book, feedStatus }: FedParts, clock: Pick<Clock, 'now' | 'monotonicMs'>): MarketState {
  const { tickers, references, rates } = book.contents();
  // Asked first: of restored data this settles how old it is.
  const ageMs = feedStatus.ageMs(clock.now(), clock.monotonicMs());
  return {
    kind: 'state',
    records: book.catalogue.records(),
    tickers: [...tickers],
    references: [...references],
    rates: [...rates],
    feed: { path: feedStatus.path, lastUpdatedAt: feedStatus.lastUpdatedAt, ageMs },
  };
}

/** What all events before made, those of operators included. */
export function stateEventsOf(parts: MarketParts, clock: Pick<Clock, 'now' | 'monotonicMs'>): MarketEvent[] {
  return [
    feedStateOf(parts, clock),
    { kind: 'controls', controls: parts.book.catalogue.unlistedControls() },
    { kind: 'windows', windows: parts.service.announced },
  ];
}

/** Does to another process's or thread's market what was done to the one that the event was recorded of. */
export class MarketReplica {
  readonly #parts: FedParts;
  readonly #inputs: MarketInputs;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;

  constructor(parts: MarketParts, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#parts = parts;
    this.#inputs = marketInputs(parts, clock);
    this.#clock = clock;
  }

  apply(event: MarketEvent): void {
    const inputs = this.#inputs;
    switch (event.kind) {
      case 'state':
        this.#takeState(event);
        break;
      case 'catalogue':
        inputs.catalogueLoaded(event.markets, event.at);
        break;
      case 'marketStatus':
        inputs.marketStatusChanged(event.symbol, event.status, event.at);
        break;
      case 'ticker':
        this.#parts.book.tickerAccepted(event.symbol, event.accepted);
        break;
      case 'references':
        inputs.referencePricesChanged(event.symbol, event.prices);
        break;
      case 'rate':
        inputs.rateRefreshed(event.rate);
        break;
      case 'feedCurrent':
        inputs.feedCurrent(event.path, event.at);
        break;
      case 'feedPath':
        inputs.feedPathChanged(event.path, event.at);
        break;
      case 'controls':
        inputs.applyControls(event.controls);
        break;
      case 'windows':
        inputs.setWindows(event.windows);
        break;
    }
  }

  #takeState({ records, tickers, references, rates, feed: { path, lastUpdatedAt, ageMs = 0 } }: MarketState): void {
    const { book, feedStatus } = this.#parts;
    book.restore(records, { tickers: new Map(tickers), references: new Map(references), rates: new Map(rates) });
    if (lastUpdatedAt === undefined) feedStatus.pathChanged(path);
    if (lastUpdatedAt === undefined || lastUpdatedAt < (feedStatus.lastUpdatedAt ?? 0)) return;
    // The state may have lain for a while, which only the calendar tells.
    const nowOldMs = Math.max(ageMs, this.#clock.now() - lastUpdatedAt);
    feedStatus.feedCurrent(path, lastUpdatedAt, this.#clock.monotonicMs() - nowOldMs);
  }
}
