import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Timer } from '../ground/clock.ts';
import type { Ban } from './ban.ts';
import { errorBytesMax, readRetryAfter } from './bounded-fetch.ts';
import type { CloseReason, LiveEvent, LiveListener } from './connector.ts';
import type { LiveChannel, LiveParts, LiveProtocol } from './live-protocol.ts';
import { PacedQueue } from './pace.ts';
import { leadsTo, type Refusal, understand, waitMsMax } from './refusal.ts';
import { saidIn } from './rest-client.ts';
import { agentFor, redirectOf, userAgent } from './ways-out.ts';

export interface LiveSocketOptions extends LiveParts {
  readonly url: string;
  readonly ban: Ban;
  /** The configured limit of a frame. */
  readonly frameBytesMax: number;
  readonly protocol: (parts: LiveParts, channel: LiveChannel) => LiveProtocol<unknown>;
}

const connectTimeoutMs = 10_000;

/** The code for a connection without a closing frame (RFC 6455 §7.1.5). */
const abnormalClosure = 1006;

/**
 * One WebSocket to an exchange: bounds on time and size, and every way it can end. The content of frames is up to the
 * protocol.
 */
export class LiveSocket implements LiveChannel {
  readonly protocol: LiveProtocol<unknown>;
  readonly #options: LiveSocketOptions;
  readonly #listener: LiveListener;
  readonly #socket: WebSocket;
  readonly #queue: PacedQueue;
  /** Until it is open, the deadline for that; then its lifetime. */
  #timer: Timer | undefined;
  #hasEnded = false;

  constructor(options: LiveSocketOptions, listener: LiveListener) {
    const { clock, url, traits, frameBytesMax } = options;
    this.#options = options;
    this.#listener = listener;
    this.#queue = new PacedQueue(clock, traits.pace, () => options.ban.waitMs);
    this.protocol = options.protocol(options, this);
    // Validation of UTF-8 is ours: a bad frame is dropped, where `ws` would drop the connection.
    this.#socket = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: Math.min(traits.frameBytesMax, frameBytesMax),
      skipUTF8Validation: true,
      agent: agentFor(url),
      headers: { 'User-Agent': userAgent },
    });
    this.#timer = clock.after(connectTimeoutMs, () =>
      this.#end('connect_timeout', `no connection within ${connectTimeoutMs} ms`),
    );
    this.#listen();
  }

  emit(event: LiveEvent): void {
    if (!this.#hasEnded) this.#listener(event);
  }

  send(message: object | string, sent?: () => void): void {
    const begin = () => {
      this.sendNow(message);
      sent?.();
    };
    this.#queue.push({ begin });
  }

  sendNow(message: object | string): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  pingSocket(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  banned({ waitMs, words }: Refusal): void {
    this.#options.ban.note(waitMs ?? 0, words);
    this.#end('refused', words, waitMs);
  }

  terminate(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#timer?.cancel();
    this.#queue.stop();
    this.protocol.stop();
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#received(data, isBinary));
    socket.on('ping', () => this.emit({ type: 'frame' }));
    socket.on('pong', () => this.emit({ type: 'frame' }));
    socket.on('close', (code: number) => this.#closed(code));
    // Never removed: after `terminate()` a connecting socket still reports its end as an error.
    socket.on('error', (error: Error & { code?: string }) => this.#failed(error.code ?? error.name));
    socket.on('unexpected-response', (request: { destroy(): void }, response: IncomingMessage) => {
      const { statusCode = 0, headers } = response;
      const moved = redirectOf(statusCode, headers.location, this.#options.url);
      const finish = (text: string) => {
        request.destroy();
        if (moved !== undefined) this.#end('refused', `HTTP status ${statusCode}: ${moved}`);
        else this.#refused(statusCode, headers['retry-after'], text);
      };
      readText(response, finish);
    });
  }

  /** The handshake was answered with an error. */
  #refused(status: number, retryAfter: string | undefined, text: string): void {
    const { traits, clock } = this.#options;
    const { refusals } = traits;
    const now = clock.now();
    const headerMs = readRetryAfter(retryAfter, now, waitMsMax);
    const refusal = understand(refusals, { ...saidIn(refusals, text), status }, now, headerMs);
    if (leadsTo[refusal.kind] === 'stay_away') this.banned(refusal);
    else this.#end('refused', refusal.words, refusal.waitMs);
  }

  #opened(): void {
    if (this.#hasEnded) return;
    this.#timer?.cancel();
    const { clock, traits } = this.#options;
    if (traits.lifetimeMs !== undefined) {
      const detail = 'the connection reached its age limit';
      this.#timer = clock.after(traits.lifetimeMs, () => this.emit({ type: 'ending', detail }));
    }
    this.emit({ type: 'opened' });
    if (!this.#hasEnded) this.protocol.opened();
  }

  #closed(code: number): void {
    if (code === abnormalClosure) this.#end('network', 'ended without a closing frame');
    else this.#end('closed', `closed with code ${code}`);
  }

  #failed(code: string): void {
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      const { traits, frameBytesMax } = this.#options;
      const setBy = traits.frameBytesMax < frameBytesMax ? 'the limit of this exchange' : 'feed.frameBytesMax';
      const bytes = Math.min(traits.frameBytesMax, frameBytesMax);
      this.emit({ type: 'dropped', reason: 'oversized' });
      this.#end('oversized', `a frame of more than ${bytes} bytes (${setBy})`);
    } else if (code === 'ERR_PROXY_TUNNEL') {
      this.#end('network', 'the proxy refuses the tunnel');
    } else {
      this.#end(code.startsWith('WS_ERR') ? 'protocol' : 'network', code);
    }
  }

  #end(reason: CloseReason, detail: string, retryAfterMs?: number): void {
    if (this.#hasEnded) return;
    this.terminate();
    this.#listener({ type: 'closed', reason, detail, retryAfterMs });
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#hasEnded) return;
    this.#listener({ type: 'frame' });
    if (isBinary) this.emit({ type: 'dropped', reason: 'binary' });
    else if (!isUtf8(data)) this.emit({ type: 'dropped', reason: 'not_utf8' });
    else this.#read(data.toString('utf8'));
  }

  #read(text: string): void {
    try {
      this.protocol.received(text);
    } catch {
      this.emit({ type: 'dropped', reason: 'malformed' });
    }
  }
}

/** Gives what arrives of a body, at most the part of it that is read, when it ends in whichever way. */
function readText(response: IncomingMessage, finish: (text: string) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    if (bytes < errorBytesMax) parts.push(part);
    bytes += part.byteLength;
    if (bytes >= errorBytesMax) response.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => finish(Buffer.concat(parts).toString('utf8')));
}
