import type { TickerReading } from '../../board/board.ts';
import { type Answer, dataPage, feedHeaders, problem } from '../answer.ts';
import { queryValues } from '../request-target.ts';
import { catalogueNotLoaded, type Resource, unavailable } from '../resource.ts';

type UnpricedReason = Extract<TickerReading, { kind: 'unpriced' }>['reason'];

const unpricedDetail: Record<UnpricedReason, string> = {
  no_ticker: 'The market is traded but has no price now.',
  held: 'The market is traded but its price has been held back for review for too long.',
  no_rate: 'The market is traded but the rate its prices are converted with is not available now.',
  rounds_to_zero: 'The market is traded but its price is too small to be quoted now.',
};

/** GET /v1/ticker?symbol=… (contract, Ticker). */
export const ticker: Resource = {
  route: '/v1/ticker',
  answersInMaintenance: false,
  answer({ now, query }, { board, service }): Answer {
    const values = queryValues(query, 'symbol');
    const symbol = values[0];
    if (values.length === 0) return problem('INVALID_PARAMETER', 'The parameter "symbol" is missing.');
    if (values.length > 1) return problem('INVALID_PARAMETER', 'The parameter "symbol" is given more than once.');
    const reading = symbol === undefined ? malformed : board.ticker(symbol, now);
    const feed = feedHeaders[service.feedStatus(now)];
    switch (reading.kind) {
      case 'page':
        return dataPage(reading.page, feed, reading.symbol);
      case 'unpriced':
        return unavailable(unpricedDetail[reading.reason], feed);
      case 'not_loaded':
        return catalogueNotLoaded(feed);
      case 'unknown_symbol':
        return problem('UNKNOWN_SYMBOL', 'No traded market has this symbol. GET /v1/markets lists all markets.');
      case 'malformed_symbol':
        return problem(
          'INVALID_PARAMETER',
          'The parameter "symbol" is malformed: it is the base and the quote currency without a separator, ' +
            '2 to 32 letters and digits, such as BTCEUR.',
        );
    }
  },
};

const malformed = { kind: 'malformed_symbol' } as const;
