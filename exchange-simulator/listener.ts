import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../src/ground/clock.ts';

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const retryMs = 50;
const retriesMax = 200;

/** An HTTP listener that can close with all its connections and reopen on the same port. */
export class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #host: string;
  readonly #sockets = new Set<Socket>();
  #port: number;
  #stopped = false;

  constructor(clock: Clock, host: string, port: number, onRequest: RequestListener, onUpgrade?: UpgradeHandler) {
    this.#clock = clock;
    this.#host = host;
    this.#port = port;
    this.#server = createServer({ keepAliveTimeout: 75_000 }, onRequest);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
    });
    if (onUpgrade !== undefined) this.#server.on('upgrade', onUpgrade);
  }

  /** `127.0.0.1:41234`, known after the first `listen`. */
  get authority(): string {
    return `${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  /** Listens; with port 0 the system picks one, which is kept from then on. Rejects when the port is taken. */
  listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(this.#port, this.#host, () => {
      this.#server.off('error', reject);
      this.#port = (this.#server.address() as AddressInfo).port;
      resolve();
    });
    return promise;
  }

  /** Listens again after `close`, retrying for a while when another process holds the port. */
  async reopen(): Promise<void> {
    for (let attempt = 1; !this.#server.listening && !this.#stopped; attempt++) {
      try {
        await this.listen();
      } catch (error) {
        if (attempt === retriesMax) throw error;
        await new Promise<void>((resolve) => this.#clock.after(retryMs, resolve));
      }
    }
  }

  /** Closes and stays closed. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.close();
  }

  /** Stops listening and drops every connection at once. */
  close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    return promise;
  }
}
