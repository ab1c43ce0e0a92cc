import type { SocketTraits } from '../connector-base.ts';
import { type LiveChannel, type LiveParts, LiveProtocol } from '../live-protocol.ts';
import { asCount, asList, asObject, parsePlain, requireList } from '../wire.ts';
import { readTicker } from './messages.ts';

export const bitvavoSocket: SocketTraits = {
  /** No limit on messages is documented; this is a few requests for the largest catalogue. */
  pace: { intervalMs: 200, burst: 5 },
  /** A frame has at most all markets, of about 300 bytes each. */
  frameBytesMax: 1_048_576,
};

/** Errors that concern our rate, not the request. */
const rateErrors = new Set([105, 110]);

/**
 * Bitvavo's WebSocket: the channel `ticker24h` alone, which has prices, statistics and its own time in one message, at
 * most once a second for each market that changed. The channel `ticker` is faster but has no time, so the two
 * could not be ordered. There is no heartbeat: a silent connection is detected by pings of the WebSocket protocol. A market
 * that has not changed since the subscription sends nothing; it is polled over REST. Whether a new subscription begins
 * with the current values is not documented, so nothing depends on it.
 */
export class BitvavoLive extends LiveProtocol {
  constructor(parts: LiveParts, channel: LiveChannel) {
    super(parts, channel, { style: 'set', batchMax: 100 });
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text));
    switch (frame?.event) {
      case 'ticker24h':
        this.emitTickers(this.readTickers(requireList(frame.data, 'data'), 'market', readTicker));
        break;
      case 'subscribed':
        this.#subscribed(asList(asObject(frame.subscriptions)?.ticker24h) ?? []);
        break;
      case 'unsubscribed':
        break;
      case 'error':
        // Only subscriptions are requested on this connection.
        if (!rateErrors.has(asCount(frame.errorCode, 9_999) ?? 0)) this.subscriptions.refusedRequest();
        break;
      default:
        this.channel.dropped(frame === undefined ? 'malformed' : 'unknown_kind');
    }
  }

  protected request(action: string, markets: readonly string[]): object {
    return { action, channels: [{ name: 'ticker24h', markets }] };
  }

  #subscribed(markets: readonly unknown[]): void {
    this.subscriptions.confirmed(markets.flatMap((name) => this.symbolOf(name) ?? []));
  }
}
