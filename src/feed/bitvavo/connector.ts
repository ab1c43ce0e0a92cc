import type { EpochMs } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { ConnectorOptions, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readPolled } from '../polled-tickers.ts';
import { asEpoch, asObject } from '../wire.ts';
import { BitvavoLive, bitvavoSocket } from './live.ts';
import { readMarkets, readTicker } from './messages.ts';

const candles = { hour: { interval: '1h', limit: '170' }, minute: { interval: '1m', limit: '62' } } as const;
/** Points of `ticker/24h` for all markets; for one it is 1. */
const allTickersWeight = 25;

/** The connector for Bitvavo's public REST and WebSocket protocol, version 2. */
export class BitvavoConnector extends ConnectorBase {
  /** No channel carries the state of a market, and the catalogue weighs 1 point. */
  readonly catalogueReloadMs = 60_000;

  constructor(options: ConnectorOptions) {
    super(options, {
      client: {
        // 600 of the 1,000 points a minute that an address has.
        pace: { intervalMs: 100, burst: 50, inFlightMax: 4, waitingMax: 64 },
        parse: 'plain',
        // Over the limit an address is banned for up to 15 minutes; its points are reset each minute.
        slowDownMs: 60_000,
        retryAfter,
      },
      candles: {
        call: (id, interval) => ({ path: `/${id}/candles`, parameters: candles[interval] }),
      },
    });
  }

  protected async loadListing(signal: AbortSignal) {
    return { pairs: readMarkets(await this.askListing({ path: '/markets' }, signal)) };
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, bitvavoSocket, (channel) => new BitvavoLive(this.liveParts, channel));
  }

  protected async loadTickers([first, ...others]: readonly MarketSymbol[], signal: AbortSignal) {
    const isOne = first !== undefined && others.length === 0;
    const call = isOne ? { parameters: { market: this.idOf(first) } } : { weight: allTickersWeight };
    const answer = await this.rest.ask({ path: '/ticker/24h', ...call }, signal);
    const result = isOne && asObject(answer.result) !== undefined ? [answer.result] : answer.result;
    return readPolled({ ...answer, result }, this.directory, readTicker, ({ market }) => market);
  }
}

/** A header of its own has the instant at which the points are reset, in milliseconds since the epoch. */
function retryAfter(headers: Headers, now: EpochMs): number | undefined {
  const resetAt = asEpoch(headers.get('bitvavo-ratelimit-resetat'));
  return resetAt === undefined ? undefined : Math.max(0, resetAt - now);
}
