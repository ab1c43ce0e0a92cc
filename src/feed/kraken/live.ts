import type { Clock } from '../../clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import type { LivePair } from '../connector.ts';
import type { LiveChannel, LiveProtocol } from '../live-socket.ts';
import type { PairDirectory } from '../pair-directory.ts';
import { Subscriptions } from '../subscriptions.ts';
import { asText } from '../wire.ts';
import { pairStatus } from './catalogue.ts';
import { type KrakenFrame, readFrame } from './frames.ts';
import { commonCode } from './names.ts';
import { readLiveTicker } from './prices.ts';

interface KrakenLiveOptions {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  readonly quotes: readonly CurrencyCode[];
}

type TickerFrame = Extract<KrakenFrame, { type: 'ticker' }>;
type AcknowledgementFrame = Extract<KrakenFrame, { type: 'acknowledgement' }>;
type InstrumentFrame = Extract<KrakenFrame, { type: 'instrument' }>;

/** Kraken takes no notice of single requests, but of connections that flood it. */
export const krakenPace = { intervalMs: 100, burst: 2 };

/** Version 2 of Kraken's WebSocket: the channels `ticker` (by best bid and offer), `instrument` and `status`. */
export class KrakenLive implements LiveProtocol {
  readonly #options: KrakenLiveOptions;
  readonly #channel: LiveChannel;
  readonly #subscriptions: Subscriptions;
  #pingCount = 0;

  constructor(options: KrakenLiveOptions, channel: LiveChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#subscriptions = new Subscriptions({
      clock: options.clock,
      style: 'each',
      batchMax: 50,
      listener: channel.emit,
      send: (method, symbols, request, sent) => channel.send(this.#request(method, symbols, request), sent),
    });
  }

  opened(): void {
    this.#channel.send({ method: 'subscribe', params: { channel: 'instrument', snapshot: true } });
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
    this.#channel.sendNow({ method: 'ping', req_id: ++this.#pingCount });
  }

  stop(): void {
    this.#subscriptions.stop();
  }

  received(text: string): void {
    const frame = readFrame(text);
    switch (frame.type) {
      case 'ticker':
        this.#tickers(frame);
        break;
      case 'instrument':
        this.#instruments(frame);
        break;
      case 'status':
        this.#channel.emit({ type: 'system', status: frame.system });
        break;
      case 'acknowledgement':
        this.#acknowledged(frame);
        break;
      case 'malformed':
        this.#channel.dropped('malformed');
        break;
      case 'unknown':
        this.#channel.dropped('unknown_kind');
        break;
      default:
    }
  }

  #request(method: 'subscribe' | 'unsubscribe', symbols: readonly MarketSymbol[], request: number): object {
    const names = symbols.flatMap((symbol) => this.#options.directory.bySymbol.get(symbol)?.liveName ?? []);
    const snapshot = method === 'subscribe' ? { snapshot: true } : {};
    return { method, params: { channel: 'ticker', symbol: names, event_trigger: 'bbo', ...snapshot }, req_id: request };
  }

  #acknowledged({ liveName, method, isSuccess, error }: AcknowledgementFrame): void {
    const symbol = this.#options.directory.byLiveName.get(liveName ?? '')?.symbol;
    if (symbol === undefined) return;
    if (method === 'unsubscribe') this.#subscriptions.unsubscribed(symbol);
    else if (isSuccess || error?.startsWith('Already subscribed')) this.#subscriptions.accepted(symbol);
    else this.#subscriptions.refused(symbol);
  }

  #tickers(frame: TickerFrame): void {
    const receivedAt = this.#options.clock.now();
    const tickers: UpstreamTicker[] = [];
    for (const entry of frame.entries) {
      const symbol = this.#options.directory.byLiveName.get(asText(entry.symbol) ?? '')?.symbol;
      if (symbol === undefined) this.#channel.dropped('unknown_symbol');
      else tickers.push(readLiveTicker(symbol, entry, receivedAt));
    }
    for (const ticker of tickers) this.#subscriptions.delivered(ticker.symbol);
    if (tickers.length > 0) this.#channel.emit({ type: 'ticker', isSnapshot: frame.isSnapshot, tickers });
  }

  #instruments(frame: InstrumentFrame): void {
    const pairs: LivePair[] = [];
    for (const entry of frame.pairs) {
      const name = asText(entry.symbol)?.slice(0, 40);
      if (name === undefined) continue;
      const quote = commonCode(asText(entry.quote) ?? '');
      pairs.push({
        name,
        symbol: this.#options.directory.byLiveName.get(name)?.symbol,
        isOurs: this.#options.quotes.some((ours) => ours === quote),
        status: entry.status === 'delisted' ? 'delisted' : pairStatus(entry.status),
      });
    }
    this.#channel.emit({ type: 'instruments', pairs });
  }
}
