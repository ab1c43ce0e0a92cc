import type { Clock } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LiveChannel, LiveProtocol } from '../live-socket.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { Subscriptions } from '../subscriptions.ts';
import { asCount, asList, asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { readTicker } from './messages.ts';

interface BitvavoLiveOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
}

/** No limit on messages is documented; this is a few requests for the largest catalogue. */
export const bitvavoPace = { intervalMs: 200, burst: 5 };

/** Errors that speak of our rate, not of what was asked. */
const rateErrors = new Set([105, 110]);

/**
 * Bitvavo's WebSocket: the channel `ticker24h` alone, which has prices, statistics and its own time in one message, at
 * most once a second for each market that changed. The channel `ticker` is faster but has no time, so that the two
 * could not be put in order. There is no heartbeat: silence is found out by a ping of the WebSocket protocol. A market
 * that did not change since the subscription sends nothing; it is asked for over REST. Whether a new subscription begins
 * with the current values is not documented, so nothing depends on it.
 */
export class BitvavoLive implements LiveProtocol {
  readonly #options: BitvavoLiveOptions;
  readonly #channel: LiveChannel;
  readonly #subscriptions: Subscriptions;

  constructor(options: BitvavoLiveOptions, channel: LiveChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#subscriptions = new Subscriptions({
      clock: options.clock,
      style: 'set',
      batchMax: 100,
      listener: channel.emit,
      send: (action, symbols, _request, sent) => {
        const markets = symbols.flatMap((symbol) => options.directory.bySymbol.get(symbol)?.liveName ?? []);
        channel.send({ action, channels: [{ name: 'ticker24h', markets }] }, sent);
      },
    });
  }

  opened(): void {
    // Nothing to say before the first subscription.
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.resubscribe(symbols);
  }

  ping(): void {
    this.#channel.pingSocket();
  }

  stop(): void {
    this.#subscriptions.stop();
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text));
    switch (frame?.event) {
      case 'ticker24h':
        this.#tickers(frame);
        break;
      case 'subscribed':
        this.#subscriptions.confirmed(this.#symbolsOf(asObject(frame.subscriptions)?.ticker24h));
        break;
      case 'unsubscribed':
        break;
      case 'error':
        // Nothing but subscriptions is ever asked on this connection.
        if (!rateErrors.has(asCount(frame.errorCode, 9_999) ?? 0)) this.#subscriptions.refusedRequest();
        break;
      default:
        this.#channel.dropped(frame === undefined ? 'malformed' : 'unknown_kind');
    }
  }

  #symbolsOf(names: unknown): MarketSymbol[] {
    const { byLiveName } = this.#options.directory;
    return (asList(names) ?? []).flatMap((name) => byLiveName.get(asText(name) ?? '')?.symbol ?? []);
  }

  #tickers(frame: WireObject): void {
    const receivedAt = this.#options.clock.now();
    const tickers: UpstreamTicker[] = [];
    for (const value of asList(frame.data) ?? []) {
      const entry = asObject(value) ?? {};
      const [symbol] = this.#symbolsOf([entry.market]);
      if (symbol === undefined) this.#channel.dropped('unknown_symbol');
      else tickers.push(readTicker(symbol, entry, 'live', { askedAt: receivedAt, receivedAt }));
    }
    for (const { symbol } of tickers) this.#subscriptions.delivered(symbol);
    if (tickers.length > 0) this.#channel.emit({ type: 'ticker', isSnapshot: false, tickers });
  }
}
