import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock } from '../clock.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketEvent, MarketInputs, MarketState } from '../market/market-event.ts';
import type { FeedStatus } from '../market/service-status.ts';
import { feedSink } from './feed-sink.ts';

/** The parts of a process that hold what clients are told. */
export interface MarketParts {
  readonly book: MarketBook;
  readonly feedStatus: FeedStatus;
  readonly service: ServiceBoard;
}

/** Leads every input of the market to the part it concerns. */
export function marketInputs(
  { book, feedStatus, service }: MarketParts,
  clock: Pick<Clock, 'monotonicMs'>,
): MarketInputs {
  return {
    ...feedSink(book, feedStatus, clock),
    applyControls: (controls) => book.applyControls(controls),
    setWindows: (windows) => service.setWindows(windows),
  };
}

/**
 * The same inputs, with `record` told of each once it was taken. A ticker that is refused changes nothing and is not recorded.
 *
 * @param book what the inputs go to: it knows what became of a ticker
 */
export function recorded(
  inputs: MarketInputs,
  book: Pick<MarketBook, 'acceptedTicker'>,
  record: (event: MarketEvent) => void,
): MarketInputs {
  return {
    catalogueLoaded(markets, at) {
      inputs.catalogueLoaded(markets, at);
      record({ kind: 'catalogue', markets, at });
    },
    marketStatusChanged(symbol, status, at) {
      inputs.marketStatusChanged(symbol, status, at);
      record({ kind: 'marketStatus', symbol, status, at });
    },
    tickerReceived(ticker) {
      const rejected = inputs.tickerReceived(ticker);
      const accepted = book.acceptedTicker(ticker.symbol);
      if (rejected === undefined && accepted !== undefined) record({ kind: 'ticker', symbol: ticker.symbol, accepted });
      return rejected;
    },
    referencePricesChanged(symbol, prices) {
      inputs.referencePricesChanged(symbol, prices);
      record({ kind: 'references', symbol, prices });
    },
    rateRefreshed(rate) {
      inputs.rateRefreshed(rate);
      record({ kind: 'rate', rate });
    },
    feedCurrent(path, at) {
      inputs.feedCurrent(path, at);
      record({ kind: 'feedCurrent', path, at });
    },
    feedPathChanged(path, at) {
      inputs.feedPathChanged(path, at);
      record({ kind: 'feedPath', path, at });
    },
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

/** The state to begin with, before the events that come after it. Taken in one turn, so that nothing falls between. */
export function marketStateOf({ book, feedStatus, service }: MarketParts, clock: Clock): MarketState {
  const { tickers, references, rates } = book.contents();
  // Asked first: of restored data this settles how old it is.
  const ageMs = feedStatus.ageMs(clock.now(), clock.monotonicMs());
  return {
    records: book.catalogue.records(),
    controls: book.catalogue.controlsApart(),
    tickers: [...tickers],
    references: [...references],
    rates: [...rates],
    windows: service.announced,
    feed: { path: feedStatus.path, lastUpdatedAt: feedStatus.lastUpdatedAt, ageMs },
  };
}

/** Does to another process's or thread's market what was done to the one that the event was recorded of. */
export class MarketReplica {
  readonly #parts: MarketParts;
  readonly #inputs: MarketInputs;
  readonly #clock: Clock;

  constructor(parts: MarketParts, clock: Clock) {
    this.#parts = parts;
    this.#inputs = marketInputs(parts, clock);
    this.#clock = clock;
  }

  apply(event: MarketEvent): void {
    const inputs = this.#inputs;
    switch (event.kind) {
      case 'state':
        this.#begin(event);
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

  #begin({ records, controls, tickers, references, rates, windows, feed }: MarketState): void {
    const { book, feedStatus, service } = this.#parts;
    const contents = { tickers: new Map(tickers), references: new Map(references), rates: new Map(rates) };
    book.restore(records, contents);
    book.applyControls(controls);
    service.setWindows(windows);
    const monotonicMs = this.#clock.monotonicMs() - (feed.ageMs ?? 0);
    if (feed.lastUpdatedAt === undefined) feedStatus.pathChanged(feed.path);
    else feedStatus.feedCurrent(feed.path, feed.lastUpdatedAt, monotonicMs);
  }
}
