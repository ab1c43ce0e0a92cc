import type { MarketSymbol } from '../../market/symbol.ts';
import type { FeedPath, UpstreamTicker } from '../../market/upstream.ts';
import type { ConnectorOptions, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readPolled } from '../polled-tickers.ts';
import type { RestAnswer } from '../rest-client.ts';
import { asObject, asText, UpstreamError } from '../wire.ts';
import { PolledLive, pollEveryMs } from './live.ts';
import { readTicker, readTradingPairs } from './messages.ts';

/**
 * The connector for Coinmate, which has books in CZK. It is polled: one request has the tickers of all markets. It has no
 * candles, and no states.
 */
export class CoinmateConnector extends ConnectorBase {
  #latest: RestAnswer | undefined;
  /** When the latest answer arrived. Monotonic. */
  #latestAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectorOptions) {
    super(options, {
      client: {
        // 40 a minute of the 100 that an address has; more is a ban.
        pace: { intervalMs: 1_500, burst: 2, inFlightMax: 2, waitingMax: 64 },
        unwrap: readEnvelope,
      },
    });
  }

  protected async loadListing(signal: AbortSignal) {
    return { pairs: readTradingPairs(await this.askListing({ path: '/api/tradingPairs' }, signal)) };
  }

  openLive(listener: LiveListener) {
    const load = (signal: AbortSignal) => this.#load('live', signal);
    return new PolledLive({ clock: this.options.clock, load }, listener);
  }

  protected loadTickers(_: readonly MarketSymbol[], signal: AbortSignal) {
    return this.#load('fallback', signal);
  }

  /** Both paths ask for the same: an answer of the one serves the other until the next is due. */
  async #load(path: FeedPath, signal: AbortSignal): Promise<UpstreamTicker[]> {
    const { clock } = this.options;
    if (this.#latest === undefined || clock.monotonicMs() - this.#latestAtMs >= pollEveryMs) {
      this.#latest = await this.rest.ask({ path: '/api/tickerAll' }, signal);
      this.#latestAtMs = clock.monotonicMs();
    }
    return readPolled(this.#latest, this.directory, readTicker).map((ticker) => ({ ...ticker, path }));
  }
}

/** Takes `data` out of `{error, errorMessage, data}`. The HTTP status is 200 even for an error. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  if (typeof envelope?.error !== 'boolean') throw new UpstreamError('malformed', 'no error member');
  if (!envelope.error) return envelope.data;
  const message = (asText(envelope.errorMessage) ?? 'unreadable error').slice(0, 100);
  throw new UpstreamError(/too many|limit/i.test(message) ? 'rate_limited' : 'refused', message);
}
