import { isDeepStrictEqual } from 'node:util';
import type { Clock, EpochMs } from '../ground/clock.ts';
import type { FeedTarget } from '../market/feed-target.ts';
import { type MarketState, readState } from '../market/market-state.ts';
import type { Markets } from '../market/markets.ts';
import type { RateBelief } from '../market/rate-law.ts';
import type { SourceReport } from '../market/source-state.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { AcceptedTicker } from '../market/ticker-acceptance.ts';
import type { ConversionRate, FeedPath, ReferencePrices } from '../market/upstream.ts';
import type { Position } from './board-position.ts';

type Times = Pick<Clock, 'now' | 'monotonicMs'>;

/**
 * Collects what a process that runs the feed has to tell the others. A value that is the same object as before has not
 * changed.
 */
export class MarketChanges {
  readonly #parts: FeedTarget;
  readonly #clock: Times;
  readonly #sentTickers = new Map<MarketSymbol, AcceptedTicker>();
  readonly #sentReferences = new Map<MarketSymbol, ReferencePrices>();
  readonly #sentRates = new Map<CurrencyCode, ConversionRate>();
  readonly #sentBeliefs = new Map<CurrencyCode, RateBelief>();
  /** Markets whose prices may have changed since the last call of `next`. */
  readonly #changed = new Set<MarketSymbol>();
  #sent: Pick<MarketState, 'path' | 'lastUpdatedAt'> & { readonly switches?: number } = {};
  #isChanged = true;
  #isCatalogueSent = false;
  /** Called with the first change after `next`, before anything can be read. */
  onChange = () => {};

  constructor(parts: FeedTarget, clock: Times) {
    this.#parts = parts;
    this.#clock = clock;
    parts.markets.observe({
      marketsChanged: () => {
        this.#isCatalogueSent = false;
        this.#note();
      },
      tickerChanged: (symbol) => {
        this.#changed.add(symbol);
        this.#note();
      },
      doubtChanged: () => this.#note(),
      rateChanged: () => this.#note(),
    });
  }

  /** Whether anything that clients can see may have changed since the last call of `next`. */
  get isAny(): boolean {
    const { path, lastUpdatedAt } = this.#parts.feedStatus;
    const { switches } = this.#parts.markets.sources;
    return this.#isChanged || !isDeepStrictEqual(this.#sent, { path, lastUpdatedAt, switches });
  }

  #note(): void {
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.onChange();
  }

  /** Everything. */
  whole(): MarketState {
    const { markets, feedStatus } = this.#parts;
    // Asked first: of restored data this settles how old it is.
    const ageMs = feedStatus.ageMs(this.#clock.now(), this.#clock.monotonicMs());
    return { ...this.#current(true), ...catalogueOf(markets), ...markets.contents(), ageMs };
  }

  /**
   * How many milliseconds ago the feed gave its last sign of life, and within how many it polls again where it polls.
   */
  lastSign(): { readonly silent: string; readonly polled: string } {
    const { silentMs, pollEveryMs = '' } = this.#parts.feedStatus.sign(this.#clock.now(), this.#clock.monotonicMs());
    return { silent: String(Math.ceil(silentMs)), polled: String(pollEveryMs) };
  }

  /** Takes out what changed since the last call. */
  next(withSources: boolean): MarketState {
    const { markets } = this.#parts;
    const { tickers, references, rates } = markets.contents();
    const catalogue = this.#isCatalogueSent ? {} : catalogueOf(markets);
    this.#isCatalogueSent = true;
    this.#isChanged = false;
    const symbols = [...this.#changed];
    this.#changed.clear();
    return {
      ...this.#current(withSources),
      ...catalogue,
      tickers: changesIn(symbols, tickers, this.#sentTickers),
      references: changesIn(symbols, references, this.#sentReferences),
      rates: changesIn(rates.keys(), rates, this.#sentRates),
      beliefs: changesIn(markets.rates.beliefs.keys(), markets.rates.beliefs, this.#sentBeliefs),
    };
  }

  /** Puts the prices and `lastUpdatedAt` back to what `next` gave last. */
  takeBack(): void {
    const { path, lastUpdatedAt } = this.#sent;
    for (const symbol of [...this.#changed]) {
      const ticker = this.#sentTickers.get(symbol);
      if (ticker !== undefined) this.#parts.markets.tickerTaken(symbol, ticker);
    }
    if (path !== undefined && lastUpdatedAt !== undefined)
      follow(this.#parts.feedStatus, this.#clock, path, lastUpdatedAt);
  }

  /** Gives the prices that are newer than those of another process, and `lastUpdatedAt`. */
  newerThan({ tickers: theirs }: MarketState): MarketState {
    const { markets, feedStatus } = this.#parts;
    const known = new Map(theirs);
    const isNewer = (symbol: MarketSymbol, at: number) => at > (known.get(symbol)?.capturedAt ?? 0);
    const tickers = [...markets.contents().tickers].filter(([symbol, { capturedAt }]) => isNewer(symbol, capturedAt));
    return { tickers, references: [], rates: [], lastUpdatedAt: feedStatus.lastUpdatedAt };
  }

  /**
   * Takes what `newerThan` gave another process, but for what is ahead of the clock of this one. Gives whether there is
   * nothing left to wait for.
   */
  takeOffered(text: string): boolean {
    const { markets, feedStatus } = this.#parts;
    const now = this.#clock.now();
    const { tickers, lastUpdatedAt = now } = readState(text) ?? { tickers: [] };
    const isNewer = (symbol: MarketSymbol, at: number) => at > (markets.acceptedTicker(symbol)?.capturedAt ?? 0);
    for (const [symbol, ticker] of tickers)
      if (ticker.capturedAt <= now && isNewer(symbol, ticker.capturedAt)) markets.tickerShown(symbol, ticker);
    if (lastUpdatedAt < now && feedStatus.isNewer(lastUpdatedAt, now))
      follow(feedStatus, this.#clock, feedStatus.path, lastUpdatedAt);
    return [...tickers].every(([, { capturedAt }]) => capturedAt <= now || capturedAt > now + sameChangeMs);
  }

  /**
   * Gives what is small enough to be sent each time. What is known of sources goes now and then, and when another takes
   * over.
   */
  #current(withSources: boolean) {
    const { markets, feedStatus } = this.#parts;
    const { path, lastUpdatedAt } = feedStatus;
    const { switches } = markets.sources;
    const isSent = !withSources && switches === this.#sent.switches;
    const sources = isSent ? undefined : { at: this.#clock.now(), markets: reportsOf(markets) };
    const peerMemories = isSent ? undefined : markets.sources.peerMemories();
    this.#sent = { path, lastUpdatedAt, switches };
    return { held: markets.doubts(), doubts: markets.peerDoubts(), path, lastUpdatedAt, sources, peerMemories };
  }
}

/** The last sign of life of the feed of the process that leads. */
export interface LeaderSign {
  /** When it came, at the earliest, by the monotonic clock of this process. */
  readonly atMs: number;
  /** How soon another follows, where that feed polls. */
  readonly pollEveryMs: number | undefined;
}

/** The publication that the state is of. */
export function positionOf({ position: [fence, number] = [0, 0] }: MarketState): Position {
  return { fence, number };
}

/** Within it two processes date what they learn of one change, by clocks that differ. */
const sameChangeMs = 15_000;

/**
 * Dates tickers no earlier than those of this process, where the state is newer; not the old price of a market that
 * only this one still heard of.
 */
export function notBefore({ markets }: FeedTarget, state: MarketState): MarketState {
  const own = markets.contents().tickers;
  const tickers = [...state.tickers].map(([symbol, ticker]) => {
    const { capturedAt } = own.get(symbol) ?? ticker;
    const aheadMs = capturedAt - ticker.capturedAt;
    return [symbol, aheadMs > 0 && aheadMs <= sameChangeMs ? { ...ticker, capturedAt } : ticker] as const;
  });
  return { ...state, tickers };
}

/**
 * Does to this process's market what was done to that of the process with the feed.
 *
 * @param sign the last of that feed; `undefined`: unknown
 */
export function takeState(
  { markets, feedStatus }: FeedTarget,
  clock: Times,
  state: MarketState,
  sign?: LeaderSign,
): void {
  const { sources, path = feedStatus.path, lastUpdatedAt, ageMs = 0 } = state;
  markets.restore(state);
  if (sources !== undefined) markets.sources.takeReport(sources);
  const held = new Map(state.held);
  for (const subject of new Set([...markets.doubts().keys(), ...held.keys()]))
    if (!isDeepStrictEqual(held.get(subject), markets.doubts().get(subject)))
      markets.doubtChanged(subject, held.get(subject));
  const now = clock.now();
  if (lastUpdatedAt === undefined || !feedStatus.isNewer(lastUpdatedAt, now)) feedStatus.pathChanged(path);
  // The state may be old, which only the wall clock shows.
  else follow(feedStatus, clock, path, lastUpdatedAt, ageMs);
  if (sign !== undefined) feedStatus.signOfLife(sign.atMs, now, clock.monotonicMs(), sign.pollEveryMs);
}

/** The feed of another process proved current, by its clock. */
function follow(feedStatus: FeedTarget['feedStatus'], clock: Times, path: FeedPath, at: EpochMs, ageMs = 0): void {
  feedStatus.followed(path, at, clock.monotonicMs() - Math.max(ageMs, clock.now() - at));
}

function catalogueOf({ catalogue }: Markets): Pick<MarketState, 'records' | 'listed' | 'reviews' | 'forgotten'> {
  return {
    records: catalogue.records(),
    listed: catalogue.listedBySource(),
    reviews: catalogue.reviews.states(),
    forgotten: [...catalogue.forgotten],
  };
}

function reportsOf({ catalogue, sources }: Markets): SourceReport['markets'] {
  const own = [...catalogue.all()].filter(({ isConverted }) => !isConverted);
  return own.map(({ symbol }) => [symbol, sources.states(symbol)]);
}

/** Gives what was not sent yet, and counts it as sent from then on. */
function changesIn<Name, Value>(
  names: Iterable<Name>,
  now: ReadonlyMap<Name, Value>,
  sent: Map<Name, Value>,
): [Name, Value][] {
  const changes: [Name, Value][] = [];
  for (const name of names) {
    const value = now.get(name);
    if (value === undefined || sent.get(name) === value) continue;
    sent.set(name, value);
    changes.push([name, value]);
  }
  return changes;
}
