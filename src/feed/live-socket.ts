import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { readRetryAfter } from './bounded-fetch.ts';
import type { CloseReason, DroppedFrame, LiveConnection, LiveEvent, LiveListener } from './connector.ts';
import { type SendPace, SendQueue } from './send-queue.ts';

/** One exchange's words on one connection. The socket below it is the same for all. */
export interface LiveProtocol {
  /** The connection is open: sends what every connection begins with. */
  opened(): void;
  /** Reads one text frame. Whatever it throws makes the frame malformed: it is dropped, and the connection stays. */
  received(text: string): void;
  subscribe(symbols: readonly MarketSymbol[]): void;
  unsubscribe(symbols: readonly MarketSymbol[]): void;
  resubscribe(symbols: readonly MarketSymbol[]): void;
  /** Asks for an answer of any kind. */
  ping(): void;
  /** The connection has ended: cancels every timer. */
  stop(): void;
}

/** What a protocol does with its connection. After the end of the connection every call does nothing. */
export interface LiveChannel {
  readonly emit: (event: LiveEvent) => void;
  readonly dropped: (reason: DroppedFrame) => void;
  /** Sends within the pace; an object as JSON. `sent` is called when it goes out. */
  readonly send: (message: object | string, sent?: () => void) => void;
  /** Sends at once, outside the pace: for keep-alives. */
  readonly sendNow: (message: object | string) => void;
  /** A ping of the WebSocket protocol itself, which every server answers. */
  readonly pingSocket: () => void;
  /** The exchange announced that it ends this connection: another one takes over before that. */
  readonly announceEnd: (detail: string) => void;
}

export interface LiveSocketOptions {
  readonly clock: Clock;
  readonly url: string;
  /** A larger frame ends the connection. */
  readonly frameBytesMax: number;
  readonly pace: SendPace;
  readonly protocol: (channel: LiveChannel) => LiveProtocol;
}

const connectTimeoutMs = 10_000;

/** The code for a connection without a closing frame (RFC 6455 §7.1.5). */
const abnormalClosure = 1006;

/** One WebSocket to an exchange: bounds on time and size, and every way it can end. What the frames say is the protocol's. */
export class LiveSocket implements LiveConnection {
  readonly #options: LiveSocketOptions;
  readonly #listener: LiveListener;
  readonly #socket: WebSocket;
  readonly #connectTimer: Timer;
  readonly #queue: SendQueue;
  readonly #protocol: LiveProtocol;
  #hasEnded = false;

  constructor(options: LiveSocketOptions, listener: LiveListener, announceEnd: (detail: string) => void) {
    const { clock } = options;
    this.#options = options;
    this.#listener = listener;
    this.#queue = new SendQueue(clock, options.pace, (text) => this.#send(text));
    this.#protocol = options.protocol({
      emit: (event) => this.#emit(event),
      dropped: (reason) => this.#emit({ type: 'dropped', reason }),
      send: (message, sent) => this.#queue.push(textOf(message), sent),
      sendNow: (message) => this.#send(textOf(message)),
      pingSocket: () => this.#pingSocket(),
      announceEnd: (detail) => {
        if (!this.#hasEnded) announceEnd(detail);
      },
    });
    // Validation of UTF-8 is ours: a bad frame is dropped, where `ws` would drop the connection.
    this.#socket = new WebSocket(options.url, {
      perMessageDeflate: false,
      maxPayload: options.frameBytesMax,
      skipUTF8Validation: true,
    });
    this.#connectTimer = clock.after(connectTimeoutMs, () =>
      this.#end('connect_timeout', `no connection within ${connectTimeoutMs} ms`),
    );
    this.#listen();
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    this.#protocol.subscribe(symbols);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    this.#protocol.unsubscribe(symbols);
  }

  resubscribe(symbols: readonly MarketSymbol[]): void {
    this.#protocol.resubscribe(symbols);
  }

  ping(): void {
    this.#protocol.ping();
  }

  terminate(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#connectTimer.cancel();
    this.#queue.stop();
    this.#protocol.stop();
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#received(data, isBinary));
    socket.on('ping', () => this.#emit({ type: 'frame' }));
    socket.on('pong', () => this.#emit({ type: 'frame' }));
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
    if (!this.#hasEnded) this.#protocol.opened();
  }

  #closed(code: number): void {
    if (code === abnormalClosure) this.#end('network', 'ended without a closing frame');
    else this.#end('closed', `closed with code ${code}`);
  }

  #failed(code: string): void {
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      this.#emit({ type: 'dropped', reason: 'oversized' });
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

  #emit(event: LiveEvent): void {
    if (!this.#hasEnded) this.#listener(event);
  }

  #send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  #pingSocket(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#hasEnded) return;
    this.#listener({ type: 'frame' });
    if (isBinary) this.#emit({ type: 'dropped', reason: 'binary' });
    else if (!isUtf8(data)) this.#emit({ type: 'dropped', reason: 'not_utf8' });
    else this.#read(data.toString('utf8'));
  }

  #read(text: string): void {
    try {
      this.#protocol.received(text);
    } catch {
      this.#emit({ type: 'dropped', reason: 'malformed' });
    }
  }
}

function textOf(message: object | string): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}
