import { toBig } from '../../market/decimal.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { ExchangeConnector } from '../connector.ts';
import type { LoadedRate, RateSource } from '../rates.ts';
import { UpstreamError } from '../upstream-error.ts';
import { quotient } from './quotient.ts';

export interface ExchangeSourceOptions {
  /** Must have loaded its catalogue; until then a load fails and is retried. */
  readonly connector: Pick<ExchangeConnector, 'pollTickers'>;
  /** The market whose base and quote are those of the rate: `EURCZK`. It need not be one of the configured quotes. */
  readonly symbol: MarketSymbol;
}

/** The middle between bid and ask of a market on the exchange. */
export function exchangeSource(options: ExchangeSourceOptions): RateSource {
  return {
    id: 'exchange',
    async load(signal) {
      const tickers = await options.connector.pollTickers([options.symbol], signal);
      const ticker = tickers.find((candidate) => candidate.symbol === options.symbol);
      if (ticker === undefined) throw new UpstreamError('unknown_symbol', 'the exchange gave no ticker');
      return midOf(ticker);
    },
  };
}

function midOf(ticker: UpstreamTicker): LoadedRate {
  if (ticker.bid === undefined || ticker.ask === undefined) throw new UpstreamError('malformed', 'no bid or no ask');
  const bid = toBig(ticker.bid);
  const ask = toBig(ticker.ask);
  if (!bid.gt(0) || ask.lt(bid)) throw new UpstreamError('refused', 'bid and ask make no market');
  return { mid: quotient(bid.plus(ask), 2), fixingDate: undefined };
}
