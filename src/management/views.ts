import type { Board } from '../board/board.ts';
import type { ServiceStatusBody, TickerBody } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { DataFlow } from '../market/data-flow.ts';
import { servedMarkets } from '../market/served-markets.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { FeedPath } from '../market/upstream.ts';
import { allDoubts } from '../operator/doubt.ts';
import { instants } from '../operator/fields.ts';
import { type RateView, rateViews } from '../operator/rate.ts';
import { servedBody } from '../operator/served.ts';
import { marketQuotes } from '../operator/source.ts';
import type { AdminParts } from './parts.ts';

export interface MarketView {
  readonly symbol: string;
  /** `trading`, `paused` or `delisted`. */
  readonly status: string;
  readonly ticker?: TickerBody;
  /** Why a market that is not delisted has no ticker: `no_ticker`, `held`, `no_rate`, `rounds_to_zero`. */
  readonly unpriced?: string;
}

/** The body of `GET /board`: all client prices and the state of the service at one instant, in maintenance too. */
export interface BoardView {
  readonly service: ServiceStatusBody;
  /** Age of the market data; absent when there has been none. */
  readonly dataAgeMs?: number | undefined;
  /** The way the data comes; absent until the feed has chosen one, at most two seconds after the start. */
  readonly feedPath?: FeedPath | undefined;
  /** Every market that clients see, by symbol. */
  readonly markets: readonly MarketView[];
}

/** Gives what clients get at this instant. */
export function boardView({ market, clock }: Pick<AdminParts, 'market' | 'clock'>): BoardView {
  const { board, markets, service, feedStatus } = market;
  const now = clock.now();
  return {
    service: service.status(now),
    dataAgeMs: feedStatus.ageMs(now, clock.monotonicMs()),
    feedPath: feedStatus.path,
    markets: markets.catalogue
      .listed(now)
      .map(({ symbol, status }) => ({ symbol, status, ...tickerView(board, symbol, now) })),
  };
}

/** The ticker that clients get, or why there is none. Taken from the board: reading it often derives no price again. */
export function tickerView(board: Board, symbol: MarketSymbol, now: EpochMs): Pick<MarketView, 'ticker' | 'unpriced'> {
  const reading = board.ticker(symbol, now);
  if (reading.kind === 'page') return { ticker: JSON.parse(String(reading.page.as('identity').body)) as TickerBody };
  return reading.kind === 'unpriced' ? { unpriced: reading.reason } : {};
}

/** Gives the fields of the answers that say whether data flows. */
export function flowView(flow: DataFlow) {
  return { state: flow.state, ...instants('since', flow.state === 'silent' ? flow.since : undefined) };
}

/** A source, the number of markets in each of its states, how those are served that it prices, and its doubts. */
export type SourceView = ReturnType<typeof sourceViews>[number];

/** Parts whose market is read as far as these members go. */
interface ReadsMarket<Members extends keyof AdminParts['market']> {
  readonly market: Pick<AdminParts['market'], Members>;
}

/** Whether another process runs the feed, so that this one sees no source. */
function isFeedElsewhere(parts: Pick<AdminParts, 'replication'>): boolean {
  const { isLeading, isAlone } = parts.replication() ?? { isLeading: true, isAlone: false };
  return !isLeading && !isAlone;
}

/** Whether data flows from a source; null of one that is paused, and where another process runs the feed. */
export function sourceFlow(
  parts: Pick<AdminParts, 'clock' | 'replication'> & ReadsMarket<'feedStatus'>,
  { id, isPaused }: { readonly id: string; readonly isPaused: boolean },
) {
  if (isPaused || isFeedElsewhere(parts)) return null;
  const { market, clock } = parts;
  return flowView(market.feedStatus.flowOf(id, clock.now(), clock.monotonicMs()));
}

/**
 * Every source, in order of preference; in a process that follows the feed of another without path, connection, flow.
 */
export function sourceViews(
  parts: Pick<AdminParts, 'feed' | 'clock' | 'replication'> & ReadsMarket<'markets' | 'feedStatus'>,
) {
  const isElsewhere = isFeedElsewhere(parts);
  const now = parts.clock.now();
  const quotes = marketQuotes(parts.market.markets, now).map(([, quote]) => quote);
  const doubts = allDoubts(parts.market.markets, now);
  const served = servedMarkets(parts.market.markets, now);
  return parts.feed.sources().map(({ id, kind, isPaused: paused, health }) => {
    const count = (state: string) => quotes.filter((quote) => quote.id === id && quote.state === state).length;
    return {
      id,
      kind,
      paused,
      path: isElsewhere ? null : (health.path ?? null),
      connection: isElsewhere ? null : health.connection,
      ...instants('bannedUntil', isElsewhere ? undefined : health.bannedUntil),
      flow: sourceFlow(parts, { id, isPaused: paused }),
      markets: { used: count('used'), standby: count('standby'), stale: count('stale'), excluded: count('excluded') },
      served: servedBody(served.filter((each) => each.id === id)),
      doubts: doubts.filter(({ source }) => source === id),
    };
  });
}

/** All rates as they are now. */
export function allRates({ configuration, market, feed }: RateParts, now: EpochMs): RateView[] {
  return rateViews(market.markets, configuration.pricing.converted, feed.rates(), now);
}

interface RateParts extends Pick<AdminParts, 'configuration' | 'feed'> {
  readonly market: Pick<AdminParts['market'], 'markets'>;
}
