import type { Clock } from '../clock.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketEvent, MarketState } from '../market/market-event.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { MarketReport } from '../market/source-report.ts';
import type { FeedSink } from '../market/upstream.ts';

/** The parts of a process that hold what the feed reports. */
export interface FedParts {
  readonly book: MarketBook;
  readonly feedStatus: FeedStatus;
}

/** Passes what the feed of one source reports to the part that handles it. */
export function marketSink(
  { book, feedStatus }: FedParts,
  clock: Pick<Clock, 'monotonicMs'>,
  source = book.sources.first,
): FeedSink {
  const { id } = source;
  return {
    catalogueLoaded: (markets, at, gaps) => book.catalogueLoaded(markets, at, gaps, id),
    marketStatusChanged: (symbol, status) => book.marketStatusChanged(symbol, status, id),
    tickerReceived: (ticker) => book.tickerReceived(ticker, source),
    referencePricesChanged: (symbol, prices) => book.referencePricesChanged(symbol, prices, source),
    rateRefreshed: (rate) => book.rateRefreshed(rate),
    // How the markets are served is decided over all sources.
    feedCurrent: (_, at) => feedStatus.feedCurrent(feedStatus.path, at, clock.monotonicMs()),
    feedPathChanged: () => {},
  };
}

/** The same sink, with `record` called with each event once it was taken, but for those that `recordBook` records. */
export function recordedFeed(sink: FeedSink, source: string, record: (event: MarketEvent) => void): FeedSink {
  return {
    ...sink,
    catalogueLoaded(markets, at, gaps) {
      const verdict = sink.catalogueLoaded(markets, at, gaps);
      record({ kind: 'catalogue', source, markets, at, gaps });
      return verdict;
    },
    marketStatusChanged(symbol, status, at) {
      sink.marketStatusChanged(symbol, status, at);
      record({ kind: 'marketStatus', source, symbol, status, at });
    },
    rateRefreshed(rate) {
      const isTaken = sink.rateRefreshed(rate);
      if (isTaken) record({ kind: 'rate', rate });
      return isTaken;
    },
    feedCurrent(path, at) {
      sink.feedCurrent(path, at);
      record({ kind: 'feedCurrent', at });
    },
  };
}

/** Records what makes the prices of markets from now on, whichever source it is of, and what the guard holds. */
export function recordBook(book: MarketBook, record: (event: MarketEvent) => void): void {
  book.observe({
    tickerChanged() {},
    marketsChanged() {},
    tickerTaken: (symbol, accepted) => record({ kind: 'ticker', symbol, accepted }),
    referencesTaken: (symbol, prices) => record({ kind: 'references', symbol, prices }),
    heldChanged: (subject, held) => record({ kind: 'held', subject, held }),
  });
}

/** The state that the feed's events so far have made. Taken in one turn, so that nothing falls between it and the events after. */
export function feedStateOf({ book, feedStatus }: FedParts, clock: Pick<Clock, 'now' | 'monotonicMs'>): MarketState {
  const { tickers, references, rates } = book.contents();
  // Asked first: of restored data this settles how old it is.
  const ageMs = feedStatus.ageMs(clock.now(), clock.monotonicMs());
  return {
    kind: 'state',
    records: book.catalogue.records(),
    listed: book.catalogue.listedBySource(),
    tickers: [...tickers],
    references: [...references],
    rates: [...rates],
    held: [...book.held()],
    sources: { at: clock.now(), markets: reportsOf(book) },
    feed: { path: feedStatus.path, lastUpdatedAt: feedStatus.lastUpdatedAt, ageMs },
  };
}

function reportsOf({ catalogue, sources }: MarketBook): MarketReport[] {
  return [...catalogue.all()].flatMap(({ symbol, isConverted }) => (isConverted ? [] : (sources.report(symbol) ?? [])));
}

/** Does to this process's market what was done to the one in which the event was recorded. */
export class MarketReplica {
  readonly #parts: FedParts;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;

  constructor(parts: FedParts, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#parts = parts;
    this.#clock = clock;
  }

  apply(event: MarketEvent): void {
    const { book, feedStatus } = this.#parts;
    switch (event.kind) {
      case 'state':
        this.#takeState(event);
        break;
      case 'catalogue':
        book.catalogueLoaded(event.markets, event.at, event.gaps, event.source);
        break;
      case 'marketStatus':
        book.marketStatusChanged(event.symbol, event.status, event.source);
        break;
      case 'ticker':
        book.tickerAccepted(event.symbol, event.accepted);
        break;
      case 'references':
        book.referencesTaken(event.symbol, event.prices);
        break;
      case 'rate':
        book.rateAccepted(event.rate);
        break;
      case 'held':
        book.heldChanged(event.subject, event.held);
        break;
      case 'sources':
        book.sources.takeReport(event.report);
        break;
      case 'feedCurrent':
        feedStatus.feedCurrent(feedStatus.path, event.at, this.#clock.monotonicMs());
        break;
      case 'feedPath':
        feedStatus.pathChanged(event.path);
        break;
    }
  }

  #takeState({
    records,
    listed,
    tickers,
    references,
    rates,
    held,
    sources,
    feed: { path, lastUpdatedAt, ageMs = 0 },
  }: MarketState): void {
    const { book, feedStatus } = this.#parts;
    const contents = { tickers: new Map(tickers), references: new Map(references), rates: new Map(rates) };
    book.restore(records, contents, listed);
    book.sources.takeReport(sources);
    const heldNow = new Map(held);
    for (const subject of [...book.held().keys(), ...heldNow.keys()]) book.heldChanged(subject, heldNow.get(subject));
    if (lastUpdatedAt === undefined) feedStatus.pathChanged(path);
    if (lastUpdatedAt === undefined || lastUpdatedAt < (feedStatus.lastUpdatedAt ?? 0)) return;
    // The state may be old, which only the wall clock shows.
    const nowOldMs = Math.max(ageMs, this.#clock.now() - lastUpdatedAt);
    feedStatus.feedCurrent(path, lastUpdatedAt, this.#clock.monotonicMs() - nowOldMs);
  }
}

/** The version of the events' form: processes of different versions do not take each other's, and say so. */
const format = 6;

/** Events as text. Prices are text already; members that are `undefined` are left out. */
export function writeEvents(events: readonly MarketEvent[]): string {
  return JSON.stringify({ format, events });
}

/** Reads what `writeEvents` wrote. Throws `TypeError` on anything else, another version's format included. */
export function readEvents(text: string): readonly MarketEvent[] {
  const read = JSON.parse(text) as { readonly format?: unknown; readonly events?: unknown } | null;
  if (read?.format !== format || !Array.isArray(read.events)) throw new TypeError('not events of this version');
  return read.events as MarketEvent[];
}
