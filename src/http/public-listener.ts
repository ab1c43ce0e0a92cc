import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net';
import { type ConnectionFigures, Connections } from './connections.ts';
import { type ExchangeParts, Exchanges, type Offer } from './exchanges.ts';
import { Handshakes } from './handshakes.ts';
import {
  answerRequests,
  type Certificate,
  httpServer,
  type PublicListenerOptions,
  secureOptions,
} from './http-server.ts';
import { Overload, type Pressure } from './overload.ts';
import { RequestCounts } from './request-counts.ts';

export interface PublicListenerParts extends ExchangeParts {
  /** Asked once, with the port listened on, before any request is looked at. */
  readonly offerAt: (port: number) => Offer;
  /** The load of the process: of the last few seconds, and the heap as it is. */
  readonly pressure: () => Omit<Pressure, 'unsentBytes'>;
  /** Bytes of the machine's memory that the process may use. */
  readonly memoryBytes: number;
}

/** Longer than a request takes to arrive. */
const idleGraceMs = 500;
/**
 * Parts of the memory for answers that clients have not taken: above the first requests are shed, above the second
 * clients are cut.
 */
const unsentPartShed = 1 / 16;
const unsentPartCut = 1 / 8;

/** The public HTTP listener: its port, its certificate, its connections, and their end. */
export class PublicListener {
  readonly counts = new RequestCounts();
  readonly connections: Connections;
  readonly overload: Overload;
  readonly #handshakes: Handshakes;
  readonly #options: PublicListenerOptions;
  readonly #parts: PublicListenerParts;
  readonly #server: Server;
  /** Made when the port is known. */
  #exchanges: Exchanges | undefined;

  constructor(options: PublicListenerOptions, parts: PublicListenerParts) {
    this.#options = options;
    this.#parts = parts;
    const { clock, memoryBytes, log } = parts;
    const { limits } = options;
    const bucketOf = (socket: Socket) => parts.addresses.peerBucket(socket.remoteAddress);
    this.#handshakes = new Handshakes();
    const bounds = { ...limits, unsentBytesMax: memoryBytes * unsentPartCut };
    this.connections = new Connections(clock, bounds, this.#handshakes);
    this.overload = new Overload(clock, {
      pressure: () => ({ ...parts.pressure(), unsentBytes: this.connections.unsentBytes() }),
      bounds: {
        eventLoopDelayMs: limits.overloadDelayMs,
        heapShare: limits.overloadHeapShare,
        unsentBytes: memoryBytes * unsentPartShed,
      },
      log,
      markEstablished: () => this.connections.markEstablished(),
    });
    this.#server = httpServer(options, {
      accepted: (socket) => this.connections.admit(socket, bucketOf(socket)),
      connected: (socket) => this.connections.add(socket, bucketOf(socket)),
      dropped: () => this.connections.wasDropped(),
      handshakes: this.#handshakes,
    });
  }

  connectionFigures(): ConnectionFigures {
    return this.connections.figures();
  }

  /** Resolves with the address listened on; rejects with the system's error when that cannot be. */
  async listen(): Promise<AddressInfo> {
    const { host, port, reusePort } = this.#options;
    await once(this.#server.listen({ host, port, reusePort, backlog: 1024 }), 'listening');
    const address = this.#server.address() as AddressInfo;
    this.#answerAt(address.port);
    return address;
  }

  /** New connections get this certificate; those that are open go on. Only for a listener that was made with one. */
  renewCertificate(certificate: Certificate): void {
    (this.#server as TlsServer).setSecureContext(secureOptions(certificate));
  }

  /** From now on every answer asks its client to close the connection, so that none is cut while it asks. */
  drain(): void {
    this.#exchanges?.drain();
  }

  /**
   * Takes no more connections, lets the answers under way finish and resolves when all are closed,
   * at the latest after `deadlineMs` (0: at once), when the rest are cut. A request that is on its way on an idle
   * connection is answered; connections on which none comes within half a second are closed.
   */
  async close(deadlineMs: number): Promise<void> {
    this.drain();
    const { clock } = this.#parts;
    // The HTTP server's own `close` would cut idle connections at once, with the request that may be on its way.
    const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(this.#server, () => resolve()));
    if (deadlineMs === 0) this.#closeAllConnections();
    const idle = clock.every(idleGraceMs, () => {
      this.#handshakes.cut();
      if (!this.connections.isRepeating) this.#server.closeIdleConnections();
    });
    const cut = clock.after(deadlineMs, () => this.#closeAllConnections());
    await closed;
    idle.cancel();
    cut.cancel();
    // All it still does is to stop looking for late requests.
    this.#server.close();
    this.connections.stop();
    this.overload.stop();
  }

  #closeAllConnections(): void {
    this.#handshakes.cut();
    this.#server.closeAllConnections();
  }

  #answerAt(port: number): void {
    const { connections, overload, counts } = this;
    const { tls, limits } = this.#options;
    this.#exchanges = new Exchanges({
      ...this.#parts,
      ...this.#parts.offerAt(port),
      connections,
      overload,
      counts,
      isSecure: tls !== undefined,
      keepAliveSeconds: Math.floor(limits.keepAliveTimeoutMs / 1_000),
    });
    answerRequests(this.#server, this.#exchanges);
  }
}
