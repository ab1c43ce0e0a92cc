import { EventEmitter } from 'node:events';
import { type PublicAnswer, type PublicServer, theWorld } from '../world.ts';

/** A connection of a client, as far as the service looks at one. */
export class VirtualSocket extends EventEmitter {
  readonly remoteAddress: string;
  bytesRead = 0;
  readonly writableLength = 0;
  destroyed = false;
  readonly writable = true;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
    // The parser's own listener, which the service takes away.
    this.on('data', () => {});
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  pause(): void {}
  resume(): void {}
}

/** The platform's response, as far as the service uses it. */
class VirtualResponse extends EventEmitter {
  statusCode = 200;
  shouldKeepAlive = true;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  readonly writableLength = 0;
  readonly destroyed = false;
  /** Set by the service, see `response-writer.ts`. */
  _header: string | null = null;
  #headers: Record<string, string> = {};
  readonly #answered: (answer: PublicAnswer) => void;

  constructor(answered: (answer: PublicAnswer) => void) {
    super();
    this.#answered = answered;
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.statusCode = status;
    for (let at = 0; at < headers.length; at += 2) this.#headers[headers[at]!.toLowerCase()] = headers[at + 1]!;
  }

  end(body: string | Buffer = '', encoding: BufferEncoding = 'utf8'): void {
    this.headersSent = true;
    this.writableEnded = true;
    this.writableFinished = true;
    for (const line of this._header?.split('\r\n').slice(1) ?? []) {
      const colon = line.indexOf(': ');
      if (colon > 0) this.#headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 2);
    }
    const text = typeof body === 'string' ? Buffer.from(body, encoding).toString() : body.toString();
    this.#answered({ status: this.statusCode, headers: this.#headers, body: text });
    this.emit('finish');
  }
}

/** The public listener's server without parser and sockets: requests come as they are parsed. */
export class VirtualServer extends EventEmitter implements PublicServer {
  maxConnections = 0;
  readonly #connections = new Set<VirtualSocket>();
  #isListening = false;
  #closed: (() => void) | undefined;

  listen(_options: object): this {
    const { lane, listeners } = theWorld();
    lane.later(1, () => {
      this.#isListening = true;
      listeners.set(lane.name, this);
      lane.own(() => this.#gone(lane.name));
      this.emit('listening');
    });
    return this;
  }

  address() {
    return { address: '127.0.0.1', port: 8080, family: 'IPv4' };
  }

  /** `undefined` where nothing listens. */
  connect(address: string): VirtualSocket | undefined {
    if (!this.#isListening) return undefined;
    const socket = new VirtualSocket(address);
    this.#connections.add(socket);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#lookClosed();
    });
    this.emit('connection', socket);
    return socket.destroyed ? undefined : socket;
  }

  request(
    socket: VirtualSocket,
    target: string,
    headers: Readonly<Record<string, string>>,
    answered: (answer: PublicAnswer) => void,
  ): void {
    socket.bytesRead += 200;
    const request = { socket, url: target, method: 'GET', headers, httpVersionMajor: 1, httpVersionMinor: 1 };
    const response = new VirtualResponse((answer) => {
      answered(answer);
      if (answer.headers.connection === 'close') socket.destroy();
    });
    this.emit('request', request, response);
  }

  closeListening(closed: () => void): void {
    this.#isListening = false;
    this.#closed = closed;
    this.#lookClosed();
  }

  closeIdleConnections(): void {
    this.closeAllConnections();
  }

  closeAllConnections(): void {
    for (const socket of [...this.#connections]) socket.destroy();
  }

  close(): void {
    this.#isListening = false;
  }

  #lookClosed(): void {
    if (this.#connections.size > 0) return;
    this.#closed?.();
    this.#closed = undefined;
  }

  #gone(name: string): void {
    this.#isListening = false;
    const { listeners } = theWorld();
    if (listeners.get(name) === this) listeners.delete(name);
    for (const socket of this.#connections) socket.destroyed = true;
  }
}

export const createServer = () => new VirtualServer();
