import type { MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { SocketTraits } from '../connector-base.ts';
import { type LiveChannel, type LiveParts, LiveProtocol } from '../live-protocol.ts';
import { type Statistics, TickerAssembler } from '../ticker-assembler.ts';
import { Loop } from '../timers.ts';
import { asObject, asText, parsePlain, type WireObject } from '../wire.ts';
import { readTopOfBook } from './messages.ts';

interface BitstampLiveParts extends LiveParts {
  /** The current tickers of all markets over REST: no channel has statistics. */
  readonly loadTickers: (signal: AbortSignal) => Promise<readonly UpstreamTicker[]>;
}

export const bitstampSocket: SocketTraits = {
  /** Bitstamp documents no limit; other clients send more than 20 messages a second. */
  pace: { intervalMs: 50, burst: 10 },
  /** A book of 100 levels a side has about 10 kB. */
  frameBytesMax: 1_048_576,
};
const statisticsEveryMs = 5_000;
/** The longest interval while they cannot be read: it doubles with each failure. */
const statisticsEveryMsMax = 60_000;
const channelPrefix = 'order_book_';

/**
 * Bitstamp's `order_book` channels, of which the first level of each side is read, with the statistics of the REST ticker.
 * One channel for each message and market.
 */
export class BitstampLive extends LiveProtocol {
  readonly #loadTickers: BitstampLiveParts['loadTickers'];
  readonly #assembler: TickerAssembler;
  readonly #statistics: Loop;
  #statisticsEveryMs = statisticsEveryMs;

  constructor(parts: BitstampLiveParts, channel: LiveChannel) {
    super(parts, channel, { style: 'each', batchMax: 1 });
    this.#loadTickers = parts.loadTickers;
    this.#assembler = new TickerAssembler(parts.clock, () => channel.dropped('old_statistics'));
    this.#statistics = new Loop(parts.clock, (signal) => this.#loadStatistics(signal));
  }

  override opened(): void {
    this.#statistics.start();
  }

  override unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.#assembler.dropPrices(symbol);
    super.unsubscribe(symbols);
  }

  /** The heartbeat keeps a quiet connection open; that it is answered is not documented, so the socket is pinged as well. */
  override ping(): void {
    this.channel.sendNow({ event: 'bts:heartbeat' });
    super.ping();
  }

  override stop(): void {
    this.#statistics.stop();
    super.stop();
  }

  received(text: string): void {
    const frame = asObject(parsePlain(text)) ?? {};
    switch (frame.event) {
      case 'data':
        this.#book(frame);
        break;
      case 'bts:subscription_succeeded':
      case 'bts:unsubscription_succeeded':
      case 'bts:error':
        this.#answered(frame);
        break;
      case 'bts:request_reconnect':
        this.channel.announceEnd('request_reconnect');
        break;
      case 'bts:heartbeat':
        break;
      default:
        this.channel.dropped('unknown_kind');
    }
  }

  protected request(method: string, [name]: readonly string[]): object {
    return { event: `bts:${method}`, data: { channel: `${channelPrefix}${name}` } };
  }

  /** An error without a channel refuses no symbol: its subscription times out. */
  #answered({ event, channel }: WireObject): void {
    const symbol = this.#symbolOfChannel(channel);
    if (symbol === undefined) {
      if (event === 'bts:error') this.channel.dropped('unknown_kind');
    } else if (event === 'bts:subscription_succeeded') this.subscriptions.accepted(symbol);
    else if (event === 'bts:error') this.subscriptions.refused(symbol);
    else this.subscriptions.unsubscribed(symbol);
  }

  #book(frame: WireObject): void {
    const symbol = this.#symbolOfChannel(frame.channel);
    const data = asObject(frame.data);
    if (symbol === undefined || data === undefined) {
      this.channel.dropped(symbol === undefined ? 'unknown_symbol' : 'malformed');
      return;
    }
    this.subscriptions.accepted(symbol);
    this.emitTicker(this.#assembler.prices(symbol, { ...readTopOfBook(data), ...this.arrival() }));
  }

  async #loadStatistics(signal: AbortSignal): Promise<number> {
    try {
      const tickers = await this.#loadTickers(signal);
      this.#statisticsEveryMs = statisticsEveryMs;
      for (const ticker of signal.aborted ? [] : tickers) {
        this.emitTicker(this.#assembler.statistics(ticker.symbol, statisticsOf(ticker)));
      }
    } catch {
      this.#statisticsEveryMs = Math.min(2 * this.#statisticsEveryMs, statisticsEveryMsMax);
    }
    return this.#statisticsEveryMs;
  }

  #symbolOfChannel(channel: unknown): MarketSymbol | undefined {
    const name = asText(channel) ?? '';
    return name.startsWith(channelPrefix) ? this.symbolOf(name.slice(channelPrefix.length)) : undefined;
  }
}

function statisticsOf({
  last,
  high24h,
  low24h,
  volume24h,
  vwap24h,
  priceChangePercent24h,
}: UpstreamTicker): Statistics {
  return { last, high24h, low24h, volume24h, vwap24h, priceChangePercent24h };
}
