import type { Clock } from '../clock.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { DroppedFrame, LiveEvent, LivePair } from './connector.ts';
import type { PairDirectory } from './pair-directory.ts';
import type { TickerArrival, TickerValues } from './polled-tickers.ts';
import { type AcknowledgementStyle, type SubscriptionMethod, Subscriptions } from './subscriptions.ts';
import { asText, type WireObject } from './wire.ts';

/** The connection, as a protocol uses it. After its end every call does nothing. */
export interface LiveChannel {
  readonly emit: (event: LiveEvent) => void;
  readonly dropped: (reason: DroppedFrame) => void;
  /** Sends within the pace; an object as JSON. `sent` is called when it goes out. */
  readonly send: (message: object | string, sent?: () => void) => void;
  /** Sends at once, outside the pace: for keep-alives. */
  readonly sendNow: (message: object | string) => void;
  /** A ping of the WebSocket protocol itself, which every server answers. */
  readonly pingSocket: () => void;
  /** The exchange announced the end of this connection: it is replaced before that. */
  readonly announceEnd: (detail: string) => void;
}

/** What all connections of one connector share. */
export interface LiveParts {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  readonly quotes: readonly CurrencyCode[];
}

/** How an exchange takes subscriptions. */
interface SubscriptionTraits {
  readonly style: AcknowledgementStyle;
  /** Symbols in one request, at most. */
  readonly batchMax: number;
}

/** One exchange's messages on one connection. The socket below it is the same for all exchanges. */
export abstract class LiveProtocol {
  protected readonly clock: Clock;
  protected readonly directory: PairDirectory;
  protected readonly channel: LiveChannel;
  protected readonly subscriptions: Subscriptions;
  readonly #quotes: readonly CurrencyCode[];

  constructor({ clock, directory, quotes }: LiveParts, channel: LiveChannel, traits: SubscriptionTraits) {
    this.clock = clock;
    this.directory = directory;
    this.channel = channel;
    this.#quotes = quotes;
    this.subscriptions = new Subscriptions({
      ...traits,
      clock,
      listener: channel.emit,
      send: (method, symbols, request, sent) => {
        const names = symbols.flatMap((symbol) => directory.bySymbol.get(symbol)?.liveName ?? []);
        channel.send(this.request(method, names, request), sent);
      },
    });
  }

  /** Reads one text frame. Whatever it throws makes the frame malformed: it is dropped, and the connection stays. */
  abstract received(text: string): void;

  /** The message that subscribes to these names or unsubscribes from them. `request` counts from 1. */
  protected abstract request(method: SubscriptionMethod, liveNames: readonly string[], request: number): object;

  /** Called when the connection is open: sends the first messages, none by default. */
  opened(): void {}

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    this.subscriptions.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    this.subscriptions.resubscribe(symbols);
  }

  /** Requests an answer of any kind. */
  ping(): void {
    this.channel.pingSocket();
  }

  /** Called when the connection has ended: cancels every timer. */
  stop(): void {
    this.subscriptions.stop();
  }

  protected symbolOf(liveName: unknown): MarketSymbol | undefined {
    return this.directory.byLiveName.get(asText(liveName) ?? '')?.symbol;
  }

  /** Path and times of a ticker whose frame has just arrived. */
  protected arrival(): TickerArrival {
    const receivedAt = this.clock.now();
    return { path: 'live', askedAt: receivedAt, receivedAt };
  }

  /** The tickers of a frame's entries, whose member `name` names the pair. An entry of an unknown pair is dropped. */
  protected readTickers(
    entries: readonly WireObject[],
    name: string,
    read: (entry: WireObject) => TickerValues,
  ): UpstreamTicker[] {
    const arrival = this.arrival();
    return entries.flatMap((entry) => {
      const symbol = this.symbolOf(entry[name]);
      if (symbol !== undefined) return { symbol, ...read(entry), ...arrival };
      this.channel.dropped('unknown_symbol');
      return [];
    });
  }

  /** Emits tickers, if there are any. Their arrival acknowledges the subscriptions. */
  protected emitTickers(tickers: readonly UpstreamTicker[], isSnapshot = false): void {
    for (const { symbol } of tickers) this.subscriptions.accepted(symbol);
    if (tickers.length > 0) this.channel.emit({ type: 'ticker', isSnapshot, tickers });
  }

  /** Emits what a `TickerAssembler` returned. */
  protected emitTicker(ticker: UpstreamTicker | undefined, isSnapshot = false): void {
    if (ticker !== undefined) this.emitTickers([ticker], isSnapshot);
  }

  /** A pair of a catalogue change. `quote` is its currency code. */
  protected livePair(liveName: string, quote: unknown, status: LivePair['status']): LivePair {
    const name = liveName.slice(0, 40);
    return { name, symbol: this.symbolOf(name), isOurs: this.#quotes.some((ours) => ours === quote), status };
  }
}
