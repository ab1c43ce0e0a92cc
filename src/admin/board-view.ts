import type { TickerReading } from '../board/board.ts';
import type { ServiceStatusBody, TickerBody } from '../contract/schemas.ts';
import type { FeedPath } from '../market/upstream.ts';
import type { AdminParts } from './sources.ts';

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
  readonly dataAgeMs?: number;
  /** The way the data comes; absent until the feed has chosen one, at most two seconds after the start. */
  readonly feedPath?: FeedPath;
  /** Every market that clients see, by symbol. */
  readonly markets: readonly MarketView[];
}

/**
 * What clients get at this instant, as the JSON text of a {@link BoardView}. The tickers are the very bytes that clients
 * get, taken from the board: reading them often derives no price again.
 */
export function boardView({ market, clock }: Pick<AdminParts, 'market' | 'clock'>): string {
  const { board, book, service, feedStatus } = market;
  const now = clock.now();
  const ageMs = feedStatus.ageMs(now, clock.monotonicMs());
  const head = JSON.stringify({ service: service.status(now), dataAgeMs: ageMs, feedPath: feedStatus.path });
  const markets = book.catalogue.listed(now).map(({ symbol, status }) => {
    return marketText(symbol, status, board.ticker(symbol, now));
  });
  return `${head.slice(0, -1)},"markets":[${markets.join(',')}]}`;
}

function marketText(symbol: string, status: string, reading: TickerReading): string {
  const known = `{"symbol":"${symbol}","status":"${status}"`;
  if (reading.kind === 'page') return `${known},"ticker":${reading.page.as('identity').body}}`;
  return reading.kind === 'unpriced' ? `${known},"unpriced":"${reading.reason}"}` : `${known}}`;
}
