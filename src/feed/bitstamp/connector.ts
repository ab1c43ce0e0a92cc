import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { ConnectorOptions, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readPolled } from '../polled-tickers.ts';
import { asObject } from '../wire.ts';
import { BitstampLive, bitstampSocket } from './live.ts';
import { idOf, readMarkets, readPolledTicker } from './messages.ts';

const candles = { hour: { step: '3600', limit: '170' }, minute: { step: '60', limit: '62' } } as const;

/**
 * The connector for Bitstamp. Its channels carry neither maintenance nor the state of a market: both are taken from
 * the catalogue.
 */
export class BitstampConnector extends ConnectorBase {
  readonly catalogueReloadMs = 60_000;

  constructor(options: ConnectorOptions) {
    super(options, {
      client: {
        // 3,000 in 10 minutes of the 10,000 that an address has.
        pace: { intervalMs: 200, burst: 2, inFlightMax: 4, waitingMax: 64 },
        parse: 'plain',
      },
      candles: {
        call: (id, interval) => ({
          path: `/api/v2/ohlc/${encodeURIComponent(id)}/`,
          parameters: candles[interval],
        }),
        rows: (result) => asObject(asObject(result)?.data)?.ohlc,
        time: 'timestamp',
        open: 'open',
      },
    });
  }

  protected async loadListing(signal: AbortSignal) {
    return { pairs: readMarkets(await this.askListing({ path: '/api/v2/markets/' }, signal)) };
  }

  openLive(listener: LiveListener) {
    const loadTickers = (signal: AbortSignal) => this.loadTickers([], signal);
    const parts = { ...this.liveParts, loadTickers };
    return this.openSocket(listener, bitstampSocket, (channel) => new BitstampLive(parts, channel));
  }

  protected async loadTickers(_: readonly MarketSymbol[], signal: AbortSignal): Promise<UpstreamTicker[]> {
    const answer = await this.rest.ask({ path: '/api/v2/ticker/' }, signal);
    return readPolled(answer, this.directory, readPolledTicker, idOf);
  }
}
