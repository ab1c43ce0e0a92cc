import type { MarketSymbol } from '../../market/symbol.ts';
import type { ConnectorOptions, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readPolled } from '../polled-tickers.ts';
import { BinanceLive, binanceSocket } from './live.ts';
import { readExchangeInfo, readPolledTicker } from './messages.ts';

const weights = { exchangeInfo: 20, klines: 2, tickersOfFew: 2, tickersOfSome: 40, tickersOfAll: 80 };
/** `ticker/24hr` for these many symbols costs `tickersOfFew` and `tickersOfSome`; for more it costs as much as for all. */
const fewMax = 20;
const someMax = 100;
const candles = { hour: { interval: '1h', limit: '170' }, minute: { interval: '1m', limit: '62' } } as const;

/**
 * The connector for Binance spot, on the addresses that serve market data only. Its streams carry
 * neither maintenance nor the state of a market: both are taken from the catalogue.
 */
export class BinanceConnector extends ConnectorBase {
  readonly catalogueReloadMs = 60_000;

  constructor(options: ConnectorOptions) {
    super(options, {
      client: {
        // In Binance's own weights: 2,400 a minute of the 6,000 that an address has, which others may share.
        pace: { intervalMs: 25, burst: 80, inFlightMax: 4, waitingMax: 64 },
        parse: 'plain',
      },
      candles: {
        call: (symbol, interval) => ({
          path: '/api/v3/klines',
          parameters: { symbol, ...candles[interval] },
          weight: weights.klines,
        }),
      },
    });
  }

  protected async loadListing(signal: AbortSignal) {
    const call = { path: '/api/v3/exchangeInfo', parameters: { permissions: 'SPOT' }, weight: weights.exchangeInfo };
    return { pairs: readExchangeInfo(await this.askListing(call, signal)) };
  }

  openLive(listener: LiveListener) {
    const parts = { ...this.liveParts, updates: new Map<MarketSymbol, number>() };
    return this.openSocket(listener, binanceSocket, (channel) => new BinanceLive(parts, channel));
  }

  /** One delisted symbol fails a request that names it, with a status of 400. */
  protected async loadTickers(symbols: readonly MarketSymbol[], signal: AbortSignal) {
    const answer = await this.askByName(symbols, { namesMax: someMax, refusal: 'status' }, (ids) => {
      const path = '/api/v3/ticker/24hr';
      if (ids === undefined) return this.rest.ask({ path, weight: weights.tickersOfAll }, signal);
      const weight = ids.length <= fewMax ? weights.tickersOfFew : weights.tickersOfSome;
      return this.rest.ask({ path, parameters: { symbols: JSON.stringify(ids) }, weight }, signal);
    });
    return readPolled(answer, this.directory, readPolledTicker, ({ symbol }) => symbol);
  }
}
