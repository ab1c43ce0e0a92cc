import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../../clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { readRetryAfter } from '../bounded-fetch.ts';
import type { CloseReason, DroppedFrame, LiveConnection, LiveListener, LivePair } from '../connector.ts';
import { asText } from '../wire.ts';
import { pairStatus } from './catalogue.ts';
import { type KrakenFrame, readFrame } from './frames.ts';
import { commonCode, type PairDirectory } from './names.ts';
import { readLiveTicker } from './prices.ts';
import { Subscriber } from './subscriber.ts';

interface KrakenLiveOptions {
  readonly clock: Clock;
  /** For example `wss://ws.kraken.com/v2`. */
  readonly url: string;
  readonly directory: PairDirectory;
  readonly quotes: readonly CurrencyCode[];
  readonly frameBytesMax: number;
}

type TickerFrame = Extract<KrakenFrame, { type: 'ticker' }>;
type AcknowledgementFrame = Extract<KrakenFrame, { type: 'acknowledgement' }>;
type InstrumentFrame = Extract<KrakenFrame, { type: 'instrument' }>;

const connectTimeoutMs = 10_000;

/** The code for a connection without a closing frame (RFC 6455 §7.1.5). */
const abnormalClosure = 1006;

/** One connection to Kraken's version-2 WebSocket. */
export class KrakenLive implements LiveConnection {
  readonly #options: KrakenLiveOptions;
  readonly #listener: LiveListener;
  readonly #socket: WebSocket;
  readonly #connectTimer: Timer;
  readonly #subscriber: Subscriber;
  #hasEnded = false;
  #pingCount = 0;

  constructor(options: KrakenLiveOptions, listener: LiveListener) {
    this.#options = options;
    this.#listener = listener;
    this.#subscriber = new Subscriber({
      clock: options.clock,
      directory: options.directory,
      send: (message) => this.#send(message),
      answered: (symbol, outcome) =>
        listener(outcome === 'accepted' ? { type: 'accepted', symbol } : { type: 'rejected', symbol, reason: outcome }),
    });
    // Validation of UTF-8 is ours: a bad frame is dropped, where `ws` would drop the connection.
    this.#socket = new WebSocket(options.url, {
      perMessageDeflate: false,
      maxPayload: options.frameBytesMax,
      skipUTF8Validation: true,
    });
    this.#connectTimer = options.clock.after(connectTimeoutMs, () =>
      this.#end('connect_timeout', `no connection within ${connectTimeoutMs} ms`),
    );
    this.#listen();
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriber.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriber.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    this.#subscriber.resubscribe(symbols);
  }

  ping(): void {
    this.#send({ method: 'ping', req_id: ++this.#pingCount });
  }

  terminate(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#connectTimer.cancel();
    this.#subscriber.stop();
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#received(data, isBinary));
    socket.on('close', (code: number) => this.#closed(code));
    // Never removed: after `terminate()` a connecting socket still reports its end as an error.
    socket.on('error', (error: Error & { code?: string }) => this.#failed(error.code ?? error.name));
    socket.on('unexpected-response', (request: { destroy(): void }, response: IncomingMessage) => {
      const retryAfterMs = readRetryAfter(response.headers['retry-after'], this.#options.clock.now());
      request.destroy();
      this.#end('refused', `HTTP status ${response.statusCode}`, retryAfterMs);
    });
  }

  #opened(): void {
    if (this.#hasEnded) return;
    this.#connectTimer.cancel();
    this.#listener({ type: 'opened' });
    this.#send({ method: 'subscribe', params: { channel: 'instrument', snapshot: true } });
  }

  #closed(code: number): void {
    if (code === abnormalClosure) this.#end('network', 'ended without a closing frame');
    else this.#end('closed', `closed with code ${code}`);
  }

  #failed(code: string): void {
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      this.#drop('oversized');
      this.#end('oversized', `a frame of more than ${this.#options.frameBytesMax} bytes (feed.frameBytesMax)`);
    } else {
      this.#end(code.startsWith('WS_ERR') ? 'protocol' : 'network', code);
    }
  }

  #end(reason: CloseReason, detail: string, retryAfterMs?: number): void {
    if (this.#hasEnded) return;
    this.terminate();
    this.#listener({ type: 'closed', reason, detail, retryAfterMs });
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #drop(reason: DroppedFrame): void {
    if (!this.#hasEnded) this.#listener({ type: 'dropped', reason });
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#hasEnded) return;
    this.#listener({ type: 'frame' });
    if (isBinary) this.#drop('binary');
    else if (!isUtf8(data)) this.#drop('not_utf8');
    else this.#read(data.toString('utf8'));
  }

  #read(text: string): void {
    try {
      this.#handle(readFrame(text));
    } catch {
      this.#drop('malformed');
    }
  }

  #handle(frame: KrakenFrame): void {
    switch (frame.type) {
      case 'ticker':
        this.#tickers(frame);
        break;
      case 'instrument':
        this.#instruments(frame);
        break;
      case 'status':
        this.#listener({ type: 'system', status: frame.system });
        break;
      case 'acknowledgement':
        this.#acknowledged(frame);
        break;
      case 'malformed':
        this.#drop('malformed');
        break;
      case 'unknown':
        this.#drop('unknown_kind');
        break;
      default:
    }
  }

  #acknowledged(frame: AcknowledgementFrame): void {
    const symbol = this.#options.directory.byLiveName.get(frame.liveName ?? '')?.symbol;
    if (symbol !== undefined) this.#subscriber.acknowledged(symbol, frame);
  }

  #tickers(frame: TickerFrame): void {
    const receivedAt = this.#options.clock.now();
    const tickers: UpstreamTicker[] = [];
    for (const entry of frame.entries) {
      const symbol = this.#options.directory.byLiveName.get(asText(entry.symbol) ?? '')?.symbol;
      if (symbol === undefined) this.#drop('unknown_symbol');
      else tickers.push(readLiveTicker(symbol, entry, receivedAt));
    }
    for (const ticker of tickers) this.#subscriber.delivered(ticker.symbol);
    if (tickers.length > 0) this.#listener({ type: 'ticker', isSnapshot: frame.isSnapshot, tickers });
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
    this.#listener({ type: 'instruments', pairs });
  }
}
