import type { Clock } from '../ground/clock.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { DroppedFrame, LiveConnection, LiveEvent, LivePair } from './connector.ts';
import type { PairDirectory } from './market-listing.ts';
import type { Pace } from './pace.ts';
import { leadsTo, type Refusal, type RefusalKind, type RefusalTable, understand } from './refusal.ts';
import type { TickerArrival, TickerValues } from './rest-answers.ts';
import { type AcknowledgementStyle, type SubscriptionMethod, Subscriptions } from './subscriptions.ts';
import { TickerAssembler } from './ticker-assembler.ts';
import { asObject, asText, parseLossless, UpstreamError, type WireObject } from './wire.ts';

/** Traits of the connections of an exchange. */
export interface SocketTraits {
  readonly refusals: RefusalTable;
  /** The pace of frames on one connection. */
  readonly pace: Pace;
  /** A larger frame ends the connection, and so does one over the configured limit. */
  readonly frameBytesMax: number;
  /** The exchange ends every connection about this long after its opening. */
  readonly lifetimeMs?: number;
  /** The most symbols on one session; without it only the exchange's word bounds it. */
  readonly symbolsMax?: number;
  /** How fast sessions may be opened. */
  readonly openingPace?: Pace;
  readonly acknowledges: AcknowledgementStyle;
  /** The most symbols in one request. */
  readonly batchMax: number;
}

/** The connection, as a protocol uses it. After its end every call does nothing. */
export interface LiveChannel {
  emit(event: LiveEvent): void;
  /** Sends within the pace; an object as JSON. `sent` is called when it goes out. */
  send(message: object | string, sent?: () => void): void;
  /** Sends at once, outside the pace: for keep-alives. */
  sendNow(message: object | string): void;
  /** A ping of the WebSocket protocol itself, which every server answers. */
  pingSocket(): void;
  /** The exchange wants nothing from us for a while: ends the connection. */
  banned(refusal: Refusal): void;
  terminate(): void;
}

export interface LiveParts {
  readonly clock: Clock;
  readonly directory: PairDirectory;
  readonly quotes: readonly CurrencyCode[];
  readonly traits: SocketTraits;
  /** It carries what is not of a market; other sessions beside it do not. True where left out. */
  readonly isLeading?: boolean;
}

/** Each reads the frames of one kind. */
export type FrameReaders = Readonly<Record<string, (frame: WireObject) => void>>;

/** Reads nothing of a frame: that it arrived is enough. */
export const ignored = () => {};

/** A pair in a catalogue change, as the exchange writes it; `quote` is a currency code. */
interface ListedState extends Pick<LivePair, 'status'>, Readonly<Record<'liveName' | 'quote', unknown>> {
  /** Reads what is announced of its terms. Throws `UpstreamError` where that is unreadable. */
  readonly terms?: () => LivePair['terms'];
}

/** One exchange's messages on one connection. The socket below it is the same for all exchanges. */
export abstract class LiveProtocol<Context = void> implements LiveConnection {
  /** Given by the connector to each of its connections. */
  protected readonly context: Context;
  protected readonly clock: Clock;
  protected readonly directory: PairDirectory;
  protected readonly channel: LiveChannel;
  protected readonly subscriptions: Subscriptions;
  /** For an exchange that sends best prices and statistics apart. */
  protected readonly assembler: TickerAssembler;
  protected readonly isLeading: boolean;
  readonly #quotes: readonly CurrencyCode[];
  readonly #refusals: RefusalTable;

  constructor(
    { clock, directory, quotes, traits, isLeading = true }: LiveParts,
    channel: LiveChannel,
    context: Context,
  ) {
    this.context = context;
    this.clock = clock;
    this.directory = directory;
    this.channel = channel;
    this.isLeading = isLeading;
    this.#quotes = quotes;
    this.#refusals = traits.refusals;
    this.assembler = new TickerAssembler(clock, () => this.dropped('old_statistics'));
    this.subscriptions = new Subscriptions({
      ...traits,
      clock,
      listener: (event) => channel.emit(event),
      send: (method, symbols, request, sent) => {
        const names = symbols.flatMap((symbol) => directory.bySymbol.get(symbol)?.liveName ?? []);
        channel.send(this.request(method, names, request), sent);
      },
    });
  }

  /** Frames of a kind without a reader are dropped. */
  protected abstract readonly readers: FrameReaders;

  protected abstract kindOf(frame: WireObject): unknown;

  /** The message that subscribes to these names or unsubscribes from them. `request` counts from 1. */
  protected abstract request(method: SubscriptionMethod, liveNames: readonly string[], request: number): object;

  /** Reads one text frame. Whatever it throws makes the frame malformed: it is dropped, and the connection stays. */
  received(text: string): void {
    const frame = asObject(this.parse(text));
    const kind = frame === undefined ? undefined : this.kindOf(frame);
    if (frame === undefined) this.dropped('malformed');
    else if (typeof kind === 'string' && Object.hasOwn(this.readers, kind)) this.readers[kind]!(frame);
    else this.dropped('unknown_kind');
  }

  protected parse(text: string): unknown {
    return parseLossless(text);
  }

  /** Called when the connection is open: sends the first messages, none by default. */
  opened(): void {}

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.subscriptions.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const symbol of symbols) this.assembler.dropPrices(symbol);
    this.subscriptions.unsubscribe(symbols);
  }

  ping(): void {
    this.channel.pingSocket();
  }

  terminate(): void {
    this.channel.terminate();
  }

  /** Called when the connection has ended: cancels every timer. */
  stop(): void {
    this.subscriptions.stop();
  }

  protected dropped(reason: DroppedFrame): void {
    this.channel.emit({ type: 'dropped', reason });
  }

  /** Understands a frame that refuses something. A ban ends the connection. */
  protected refusalIn(frame: WireObject): RefusalKind {
    const said = this.#refusals.read(frame) ?? { words: '' };
    const refusal = understand(this.#refusals, said, this.clock.now());
    if (leadsTo[refusal.kind] === 'stay_away') this.channel.banned(refusal);
    return refusal.kind;
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
      this.dropped('unknown_symbol');
      return [];
    });
  }

  /** Emits tickers, if there are any. Their arrival acknowledges the subscriptions. */
  protected emitTickers(tickers: readonly UpstreamTicker[], isSnapshot = false): void {
    for (const { symbol } of tickers) this.subscriptions.accepted(symbol);
    if (tickers.length > 0) this.channel.emit({ type: 'ticker', isSnapshot, tickers });
  }

  /** Emits what the assembler returned. */
  protected emitTicker(ticker: UpstreamTicker | undefined, isSnapshot = false): void {
    if (ticker !== undefined) this.emitTickers([ticker], isSnapshot);
  }

  /** Emits a catalogue change, of which `read` reads each entry. An entry without a name is ignored. */
  protected emitInstruments(entries: readonly WireObject[], read: (entry: WireObject) => ListedState): void {
    const pairs = entries.flatMap((entry): LivePair | [] => {
      const { liveName, quote, status, terms } = read(entry);
      const name = asText(liveName)?.slice(0, 40);
      if (name === undefined) return [];
      const symbol = this.symbolOf(name);
      const pair: LivePair = { name, symbol, isOurs: this.#quotes.some((ours) => ours === quote), status };
      const announced = symbol === undefined || !pair.isOurs ? undefined : readTerms(terms);
      return announced === undefined ? pair : { ...pair, terms: announced };
    });
    this.channel.emit({ type: 'instruments', pairs });
  }
}

/** Terms that cannot be read announce nothing: it is the list of the exchange that reports them. */
function readTerms(read: ListedState['terms']): LivePair['terms'] {
  try {
    return read?.();
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}
