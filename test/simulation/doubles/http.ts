import { EventEmitter } from 'node:events';
import { type PublicAnswer, type PublicServer, theWorld } from '../world.ts';

interface Waiting {
  bytes: number;
  readonly taken: () => void;
}

const takenEveryMs = 1_000;

/** A connection of a client, as far as the service looks at one. What its client does not read at once waits in it. */
export class VirtualSocket extends EventEmitter {
  readonly remoteAddress: string;
  bytesRead = 0;
  writableLength = 0;
  destroyed = false;
  readonly writable = true;
  readonly #lane = theWorld().lane;
  readonly #waiting: Waiting[] = [];
  #bytesPerS = Number.POSITIVE_INFINITY;

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

  reads(bytesPerS: number): void {
    this.#bytesPerS = bytesPerS;
    if (!Number.isFinite(bytesPerS)) this.#take(bytesPerS);
  }

  /** @param taken called once the client has all of it */
  send(bytes: number, taken: () => void): void {
    if (!Number.isFinite(this.#bytesPerS)) {
      taken();
      return;
    }
    this.writableLength += bytes;
    if (this.#waiting.push({ bytes, taken }) === 1) this.#takeLater();
  }

  #takeLater(): void {
    this.#lane.later(takenEveryMs, () => {
      this.#take((this.#bytesPerS * takenEveryMs) / 1_000);
      if (this.#waiting.length > 0) this.#takeLater();
    });
  }

  #take(bytesMax: number): void {
    for (let left = bytesMax; left > 0 && this.#waiting.length > 0 && !this.destroyed; ) {
      const first = this.#waiting[0]!;
      const bytes = Math.min(left, first.bytes);
      first.bytes -= bytes;
      this.writableLength -= bytes;
      left -= bytes;
      if (first.bytes === 0) this.#waiting.shift()!.taken();
    }
    if (this.destroyed) this.#waiting.length = 0;
  }
}

/** The platform's response, as far as the service uses it. */
class VirtualResponse extends EventEmitter {
  statusCode = 200;
  shouldKeepAlive = true;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  readonly destroyed = false;
  /** Set by the service, see `response-writer.ts`. */
  _header: string | null = null;
  #headers: Record<string, string> = {};
  readonly #socket: VirtualSocket;
  readonly #answered: (answer: PublicAnswer) => void;

  constructor(socket: VirtualSocket, answered: (answer: PublicAnswer) => void) {
    super();
    this.#socket = socket;
    this.#answered = answered;
  }

  get writableLength(): number {
    return this.writableFinished ? 0 : this.#socket.writableLength;
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.statusCode = status;
    for (let at = 0; at < headers.length; at += 2) this.#headers[headers[at]!.toLowerCase()] = headers[at + 1]!;
  }

  end(body: string | Buffer = '', encoding: BufferEncoding = 'utf8'): void {
    this.headersSent = true;
    this.writableEnded = true;
    for (const line of this._header?.split('\r\n').slice(1) ?? []) {
      const colon = line.indexOf(': ');
      if (colon > 0) this.#headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 2);
    }
    const text = typeof body === 'string' ? Buffer.from(body, encoding).toString() : body.toString();
    this.#socket.send(Math.max(1, text.length), () => {
      this.writableFinished = true;
      this.#answered({ status: this.statusCode, headers: this.#headers, body: text });
      this.emit('finish');
    });
  }
}

/** The public listener's server without parser and sockets: requests come as they are parsed. */
export class VirtualServer extends EventEmitter implements PublicServer {
  maxConnections = 0;
  readonly #connections = new Set<VirtualSocket>();
  #isListening = false;
  #closed: (() => void) | undefined;

  listen(_options: object, listening?: () => void): this {
    if (listening !== undefined) this.once('listening', listening);
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
    const response = new VirtualResponse(socket, (answer) => {
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
