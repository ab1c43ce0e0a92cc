import type { Clock } from '../../clock.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LiveChannel, LiveProtocol } from '../live-socket.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { Subscriptions } from '../subscriptions.ts';
import { TickerAssembler } from '../ticker-assembler.ts';
import { Loop } from '../timers.ts';
import { asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { readTopOfBook } from './prices.ts';

interface BitstampLiveOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  /** The current tickers of all markets over REST: no channel has statistics. */
  readonly loadTickers: (signal: AbortSignal) => Promise<readonly UpstreamTicker[]>;
}

/** Bitstamp documents no limit; 20 messages a second is slower than what other clients send. */
export const bitstampPace = { intervalMs: 50, burst: 10 };
const statisticsEveryMs = 5_000;
/** While they cannot be read they are asked for less and less often, up to this. */
const statisticsEveryMsMax = 60_000;
const channelPrefix = 'order_book_';

/**
 * Bitstamp's `order_book` channels, of which the first level of each side is read, with the statistics of the REST ticker.
 * One channel for each message and market.
 */
export class BitstampLive implements LiveProtocol {
  readonly #options: BitstampLiveOptions;
  readonly #channel: LiveChannel;
  readonly #subscriptions: Subscriptions;
  readonly #assembler: TickerAssembler;
  readonly #statistics: Loop;
  #statisticsEveryMs = statisticsEveryMs;

  constructor(options: BitstampLiveOptions, channel: LiveChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#assembler = new TickerAssembler(options.clock, () => channel.dropped('old_statistics'));
    this.#statistics = new Loop(options.clock, (signal) => this.#loadStatistics(signal));
    this.#subscriptions = new Subscriptions({
      clock: options.clock,
      style: 'each',
      batchMax: 1,
      listener: channel.emit,
      send: (method, [symbol], _request, sent) => {
        const name = symbol && options.directory.bySymbol.get(symbol)?.liveName;
        channel.send({ event: `bts:${method}`, data: { channel: `${channelPrefix}${name}` } }, sent);
      },
    });
  }

  opened(): void {
    this.#statistics.start();
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#assembler.pricesLost(symbol);
    this.#subscriptions.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriptions.resubscribe(symbols);
  }

  /** The heartbeat keeps a quiet connection; nothing we know says that it is answered, which a ping of the socket always is. */
  ping(): void {
    this.#channel.sendNow({ event: 'bts:heartbeat' });
    this.#channel.pingSocket();
  }

  stop(): void {
    this.#statistics.stop();
    this.#subscriptions.stop();
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text)) ?? {};
    switch (frame.event) {
      case 'data':
        this.#book(frame);
        break;
      case 'bts:subscription_succeeded':
        this.#answered(frame, (symbol) => this.#subscriptions.accepted(symbol));
        break;
      case 'bts:unsubscription_succeeded':
        this.#answered(frame, (symbol) => this.#subscriptions.unsubscribed(symbol));
        break;
      case 'bts:error':
        this.#answered(frame, (symbol) => this.#subscriptions.refused(symbol));
        break;
      case 'bts:request_reconnect':
        this.#channel.announceEnd('request_reconnect');
        break;
      case 'bts:heartbeat':
        break;
      default:
        this.#channel.dropped('unknown_kind');
    }
  }

  /** An error can be without a channel: then the deadline decides. */
  #answered(frame: WireObject, act: (symbol: MarketSymbol) => void): void {
    const symbol = this.#symbolOf(frame.channel);
    if (symbol !== undefined) act(symbol);
    else if (frame.event === 'bts:error') this.#channel.dropped('unknown_kind');
  }

  #book(frame: WireObject): void {
    const symbol = this.#symbolOf(frame.channel);
    const data = asObject(frame.data);
    if (symbol === undefined || data === undefined) {
      this.#channel.dropped(symbol === undefined ? 'unknown_symbol' : 'malformed');
      return;
    }
    this.#subscriptions.delivered(symbol);
    const receivedAt = this.#options.clock.now();
    const dated = { askedAt: receivedAt, receivedAt, path: 'live' } as const;
    this.#emit(this.#assembler.prices(symbol, { ...readTopOfBook(data), ...dated }));
  }

  async #loadStatistics(signal: AbortSignal): Promise<number> {
    try {
      const tickers = await this.#options.loadTickers(signal);
      this.#statisticsEveryMs = statisticsEveryMs;
      for (const ticker of signal.aborted ? [] : tickers) {
        this.#emit(this.#assembler.statistics(ticker.symbol, statisticsOf(ticker)));
      }
    } catch {
      this.#statisticsEveryMs = Math.min(2 * this.#statisticsEveryMs, statisticsEveryMsMax);
    }
    return this.#statisticsEveryMs;
  }

  #emit(ticker: UpstreamTicker | undefined): void {
    if (ticker !== undefined) this.#channel.emit({ type: 'ticker', isSnapshot: false, tickers: [ticker] });
  }

  #symbolOf(channel: unknown): MarketSymbol | undefined {
    const name = asText(channel) ?? '';
    if (!name.startsWith(channelPrefix)) return undefined;
    return this.#options.directory.byLiveName.get(name.slice(channelPrefix.length))?.symbol;
  }
}

function statisticsOf({ last, high24h, low24h, volume24h, vwap24h, priceChangePercent24h }: UpstreamTicker) {
  return { last, high24h, low24h, volume24h, vwap24h, priceChangePercent24h };
}
