import type { MarketSymbol } from '../../market/symbol.ts';
import type { ConnectorOptions, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readPolled } from '../polled-tickers.ts';
import { asObject, asText, UpstreamError } from '../wire.ts';
import { OkxLive, okxSocket } from './live.ts';
import { readInstruments, readTicker } from './messages.ts';

const candles = { hour: { bar: '1H', limit: '170' }, minute: { bar: '1m', limit: '62' } } as const;
const spot = { instType: 'SPOT' };

/** The connector for OKX, spot only; by default on the hosts of its European entity. */
export class OkxConnector extends ConnectorBase {
  constructor(options: ConnectorOptions) {
    super(options, {
      client: {
        // 10 requests in 2 seconds; each kind of request may be made 20 times.
        pace: { intervalMs: 200, burst: 2, inFlightMax: 4, waitingMax: 64 },
        parse: 'plain',
        unwrap: readEnvelope,
      },
      candles: {
        call: (instId, interval) => ({
          path: '/api/v5/market/candles',
          parameters: { instId, ...candles[interval] },
        }),
      },
    });
  }

  protected async loadListing(signal: AbortSignal) {
    return {
      pairs: readInstruments(await this.askListing({ path: '/api/v5/public/instruments', parameters: spot }, signal)),
    };
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, okxSocket, (channel) => new OkxLive(this.liveParts, channel));
  }

  protected async loadTickers(_: readonly MarketSymbol[], signal: AbortSignal) {
    const answer = await this.rest.ask({ path: '/api/v5/market/tickers', parameters: spot }, signal);
    return readPolled(answer, this.directory, readTicker, ({ instId }) => instId);
  }
}

/** Takes `data` out of `{code, msg, data}`. A code other than 0 is an error, also with HTTP 200. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  const code = asText(envelope?.code);
  if (code === undefined) throw new UpstreamError('malformed', 'no code');
  if (code === '0') return envelope?.data;
  const detail = `${code} ${asText(envelope?.msg) ?? ''}`.slice(0, 100);
  if (code === '50011' || code === '50061') throw new UpstreamError('rate_limited', detail);
  throw new UpstreamError(code === '51001' ? 'unknown_symbol' : 'refused', detail);
}
