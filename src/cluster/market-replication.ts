import type { Clock } from '../clock.ts';
import type { HeldSubject } from '../market/guard.ts';
import type { MarketBook } from '../market/market-book.ts';
import type { MarketEvent, MarketState } from '../market/market-event.ts';
import type { FeedStatus } from '../market/service-status.ts';
import type { FeedSink } from '../market/upstream.ts';

/** The parts of a process that hold what the feed reports. */
export interface FedParts {
  readonly book: MarketBook;
  readonly feedStatus: FeedStatus;
}

/** Leads what a feed reports to the part it concerns. */
export function marketSink({ book, feedStatus }: FedParts, clock: Pick<Clock, 'monotonicMs'>): FeedSink {
  return {
    catalogueLoaded: (markets, at, gaps) => book.catalogueLoaded(markets, at, gaps),
    marketStatusChanged: (symbol, status) => book.marketStatusChanged(symbol, status),
    tickerReceived: (ticker) => book.tickerReceived(ticker),
    referencePricesChanged: (symbol, prices) => book.referencePricesChanged(symbol, prices),
    rateRefreshed: (rate) => book.rateRefreshed(rate),
    feedCurrent: (path, at) => feedStatus.feedCurrent(path, at, clock.monotonicMs()),
    feedPathChanged: (path) => feedStatus.pathChanged(path),
  };
}

/**
 * The same sink, with `record` called with each event once it was taken. A refused ticker changes nothing and is not recorded.
 *
 * @param book what the sink leads to: it knows what became of a ticker
 */
export function recordedFeed(
  sink: FeedSink,
  book: Pick<MarketBook, 'acceptedTicker' | 'held'>,
  record: (event: MarketEvent) => void,
): FeedSink {
  /** Records what became held, or free, while the sink judged something. */
  function heldRecorded<Result>(subject: HeldSubject, judge: () => Result): Result {
    const before = book.held().get(subject);
    const result = judge();
    const held = book.held().get(subject);
    if (held !== before) record({ kind: 'held', subject, held });
    return result;
  }

  return {
    catalogueLoaded(markets, at, gaps) {
      const verdict = sink.catalogueLoaded(markets, at, gaps);
      record({ kind: 'catalogue', markets, at, gaps });
      return verdict;
    },
    marketStatusChanged(symbol, status, at) {
      sink.marketStatusChanged(symbol, status, at);
      record({ kind: 'marketStatus', symbol, status, at });
    },
    tickerReceived(ticker) {
      const rejected = heldRecorded(ticker.symbol, () => sink.tickerReceived(ticker));
      const accepted = book.acceptedTicker(ticker.symbol);
      if (rejected === undefined && accepted !== undefined) record({ kind: 'ticker', symbol: ticker.symbol, accepted });
      return rejected;
    },
    referencePricesChanged(symbol, prices) {
      sink.referencePricesChanged(symbol, prices);
      record({ kind: 'references', symbol, prices });
    },
    rateRefreshed(rate) {
      const isTaken = heldRecorded(rate.quote, () => sink.rateRefreshed(rate));
      if (isTaken) record({ kind: 'rate', rate });
      return isTaken;
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

/** The state that the feed's events so far have made. Taken in one turn, so that nothing falls between it and the events after. */
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
    held: [...book.held()],
    feed: { path: feedStatus.path, lastUpdatedAt: feedStatus.lastUpdatedAt, ageMs },
  };
}

/** Does to this process's market what was done to the one in which the event was recorded. */
export class MarketReplica {
  readonly #parts: FedParts;
  readonly #sink: FeedSink;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;

  constructor(parts: FedParts, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#parts = parts;
    this.#sink = marketSink(parts, clock);
    this.#clock = clock;
  }

  apply(event: MarketEvent): void {
    const sink = this.#sink;
    switch (event.kind) {
      case 'state':
        this.#takeState(event);
        break;
      case 'catalogue':
        sink.catalogueLoaded(event.markets, event.at, event.gaps);
        break;
      case 'marketStatus':
        sink.marketStatusChanged(event.symbol, event.status, event.at);
        break;
      case 'ticker':
        this.#parts.book.tickerAccepted(event.symbol, event.accepted);
        break;
      case 'references':
        sink.referencePricesChanged(event.symbol, event.prices);
        break;
      case 'rate':
        this.#parts.book.rateAccepted(event.rate);
        break;
      case 'held':
        this.#parts.book.heldChanged(event.subject, event.held);
        break;
      case 'feedCurrent':
        sink.feedCurrent(event.path, event.at);
        break;
      case 'feedPath':
        sink.feedPathChanged(event.path, event.at);
        break;
    }
  }

  #takeState({
    records,
    tickers,
    references,
    rates,
    held,
    feed: { path, lastUpdatedAt, ageMs = 0 },
  }: MarketState): void {
    const { book, feedStatus } = this.#parts;
    book.restore(records, { tickers: new Map(tickers), references: new Map(references), rates: new Map(rates) });
    const heldNow = new Map(held);
    for (const subject of [...book.held().keys(), ...heldNow.keys()]) book.heldChanged(subject, heldNow.get(subject));
    if (lastUpdatedAt === undefined) feedStatus.pathChanged(path);
    if (lastUpdatedAt === undefined || lastUpdatedAt < (feedStatus.lastUpdatedAt ?? 0)) return;
    // The state may have lain for a while, which only the calendar tells.
    const nowOldMs = Math.max(ageMs, this.#clock.now() - lastUpdatedAt);
    feedStatus.feedCurrent(path, lastUpdatedAt, this.#clock.monotonicMs() - nowOldMs);
  }
}

/** The version of the events' form: processes of different versions do not take each other's, and say so. */
const format = 3;

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
