import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type ServerOptions as TlsServerOptions,
} from 'node:https';
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net';
import type { ClientAddresses } from '../access/client-address.ts';
import type { Clock, Randomness } from '../clock.ts';
import { errorTable } from '../contract/errors.ts';
import { overloadRetryAfterSeconds } from '../contract/limits.ts';
import type { Log } from '../log.ts';
import { type Answer, problem } from './answer.ts';
import { type ConnectionState, Connections } from './connections.ts';
import { Handshakes } from './handshakes.ts';
import { findHttpFault, parserProblem, writeRawProblem } from './malformed-request.ts';
import { Overload, type Strain } from './overload.ts';
import { type Deciding, type Decision, type Gate, internalError, Pipeline, type Routes } from './pipeline.ts';
import { RequestCounts, unmatchedRoute } from './request-counts.ts';
import { requestIds } from './request-ids.ts';
import { splitTarget } from './request-target.ts';
import type { Sources } from './resource.ts';
import { status } from './resources/status.ts';
import { writeAnswer } from './response-writer.ts';

/** Bounds on what one connection may cost. The defaults and their reasons are in the configuration's schema. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the parser's timeouts are looked at, which is how exact they are. */
  readonly connectionsCheckIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  /** A client that has not taken its answer by then is cut off. */
  readonly writeTimeoutMs: number;
  /** Event-loop delay above which requests are shed. */
  readonly overloadDelayMs: number;
  /** Part of the heap in use above which requests are shed, 0 to 1. */
  readonly overloadHeapShare: number;
}

/** PEM texts: the certificate with its chain, and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface PublicListenerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Other processes of this user may listen on the same port; the system spreads connections over all of them. */
  readonly reusePort: boolean;
  /** `undefined` serves plain HTTP. */
  readonly tls: Certificate | undefined;
  readonly limits: ConnectionLimits;
}

/** What is served, which can name the port that was taken. */
export interface Offer {
  readonly routes: Routes;
  /** Absolute, without a trailing slash: what the `type` of an Error starts with. */
  readonly errorsUrl: string;
}

/** The state of the listener's connections. */
export interface ConnectionFigures {
  readonly open: number;
  /** Refused since the start because too many were open. */
  readonly dropped: number;
  /** Cut since the start because the peer did not take its answer in time. */
  readonly cut: number;
}

/** What the listener stands on. */
export interface PublicListenerParts {
  /** Asked once, with the port listened on, before any request is looked at. */
  readonly offerAt: (port: number) => Offer;
  readonly gate: Gate;
  readonly addresses: ClientAddresses;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** How the process fares: the 99th percentile of the last few seconds, and the heap as it is. */
  readonly strain: () => Strain;
}

/** Longer than a request is on its way. */
const idleGraceMs = 500;

/** A request under way, and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: ConnectionState;
  readonly requestId: string;
  /** Its answer is the last on its connection. */
  closes: boolean;
}

/**
 * The public HTTP listener. It reads a request's identifier, address and instant once, has the
 * pipeline decide, and writes the answer; every failure, however low it happens, is a problem
 * document.
 */
export class PublicListener {
  readonly counts = new RequestCounts();
  readonly connections: Connections;
  readonly #handshakes = new Handshakes();
  readonly #options: PublicListenerOptions;
  readonly #parts: PublicListenerParts;
  #pipeline!: Pipeline;
  #errorsUrl = '';
  readonly #nextId: () => string;
  readonly #overload: Overload;
  readonly #server: Server;
  #draining = false;
  #dropped = 0;

  constructor(options: PublicListenerOptions, parts: PublicListenerParts) {
    this.#options = options;
    this.#parts = parts;
    this.#nextId = requestIds(parts.randomness);
    this.connections = new Connections(parts.clock, options.limits.writeTimeoutMs);
    this.#overload = new Overload(parts.clock, {
      strain: parts.strain,
      bounds: { eventLoopDelayMs: options.limits.overloadDelayMs, heapShare: options.limits.overloadHeapShare },
      changed: (isShedding, strain) => this.#overloadChanged(isShedding, strain),
    });
    this.#server = this.#createServer();
  }

  /** True while requests of clients that are new to the service are refused. */
  get isShedding(): boolean {
    return this.#overload.isShedding;
  }

  connectionFigures(): ConnectionFigures {
    return { open: this.connections.open, dropped: this.#dropped, cut: this.connections.cut };
  }

  /** Resolves with the address listened on; rejects with the system's error when that cannot be. */
  listen(): Promise<AddressInfo> {
    const { host, port, reusePort } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, reusePort, backlog: 1024 }, () => {
        this.#server.removeListener('error', reject);
        const address = this.#server.address() as AddressInfo;
        this.#offer(address.port);
        resolve(address);
      });
    });
  }

  /** New connections get this certificate; those that are open go on. Only for a listener that was made with one. */
  renewCertificate(certificate: Certificate): void {
    (this.#server as TlsServer).setSecureContext(certificate);
  }

  /** From now on every answer asks its client to close the connection, so that none is cut while it asks. */
  drain(): void {
    this.#draining = true;
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
      this.#server.closeIdleConnections();
    });
    const cut = clock.after(deadlineMs, () => this.#closeAllConnections());
    await closed;
    idle.cancel();
    cut.cancel();
    // All it still does is to stop looking for late requests.
    this.#server.close();
    this.connections.stop();
    this.#overload.stop();
  }

  #closeAllConnections(): void {
    this.#handshakes.cut();
    this.#server.closeAllConnections();
  }

  #overloadChanged(isShedding: boolean, { eventLoopDelayMs, heapShare }: Strain): void {
    if (isShedding) this.connections.markEstablished();
    const message = isShedding ? 'overloaded: requests of new clients are refused' : 'no longer overloaded';
    const figures = { eventLoopDelayMs: Math.round(eventLoopDelayMs), heapPercent: Math.round(heapShare * 100) };
    this.#parts.log.warn(figures, message);
  }

  #offer(port: number): void {
    const { offerAt, gate, sources } = this.#parts;
    const { routes, errorsUrl } = offerAt(port);
    this.#errorsUrl = errorsUrl;
    this.#pipeline = new Pipeline(routes, gate, sources, this.counts, this.#logFailure);
  }

  #createServer(): Server {
    const { limits, tls } = this.#options;
    const serverOptions: ServerOptions = {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
      insecureHTTPParser: false,
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      noDelay: true,
    };
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    const server =
      tls === undefined
        ? createServer(serverOptions, handle)
        : this.#createTlsServer({ ...serverOptions, ...tls }, handle);
    server.maxConnections = limits.maxConnections;
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => this.connections.add(socket));
    server.on('drop', () => this.#dropped++);
    server.on('checkContinue', handle);
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      this.#refuseExpectation(request, response),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#onClientError(error, socket));
    return server;
  }

  #createTlsServer(options: TlsServerOptions, handle: RequestListener): Server {
    // A handshake and a head are the same to who waits for a request.
    const server = createTlsServer({ ...options, handshakeTimeout: this.#options.limits.headersTimeoutMs }, handle);
    server.on('connection', (socket: Socket) => this.#handshakes.begun(socket));
    server.on('secureConnection', (socket: Socket) => this.#handshakes.done(socket));
    return server;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#take(request, response);
    if (exchange === undefined) return;
    try {
      const decision = this.#decide(exchange);
      if (!(decision instanceof Promise)) this.#write(exchange, decision);
      else decision.then((known) => this.#write(exchange, known)).catch((error) => this.#failed(exchange, error));
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  /**
   * Whatever concerns the requests that follow on the connection is settled here, in the order of the requests:
   * their decisions may come in another. `node:http` writes the answers in order.
   */
  #take(request: IncomingMessage, response: ServerResponse): Exchange | undefined {
    const connection = this.connections.taking(request.socket);
    if (connection === undefined) return undefined;
    const exchange = { request, response, connection, requestId: this.#nextId(), closes: false };
    connection.lastResponse = response;
    if (announcesBody(request.headers)) {
      this.connections.discardBody(request, response);
      this.#closeAfter(exchange);
    }
    return exchange;
  }

  #closeAfter(exchange: Exchange): void {
    exchange.closes = true;
    exchange.connection.closing = true;
  }

  #failed(exchange: Exchange, error: unknown): void {
    const { request, response, requestId } = exchange;
    this.#logFailure(error, requestId);
    if (response.headersSent) request.socket.destroy();
    else this.#write(exchange, unrouted(internalError));
  }

  readonly #logFailure = (error: unknown, requestId: string): void => {
    this.#parts.log.error({ err: error, requestId }, 'a request failed');
  };

  #decide(exchange: Exchange): Deciding {
    const { request, connection, requestId } = exchange;
    const fault = findHttpFault(request);
    if (fault !== undefined) {
      this.#closeAfter(exchange);
      return unrouted(fault);
    }
    const { clock, addresses } = this.#parts;
    const { headers, method = '', url = '/', socket } = request;
    const target = splitTarget(url);
    if (this.#overload.isShedding && isToBeShed(connection, target.path)) return unrouted(overloaded);
    const now = clock.now();
    const address = addresses.resolve(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined);
    return this.#pipeline.decide({ requestId, now, address, method, target, headers });
  }

  #refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#take(request, response);
    if (exchange === undefined) return;
    this.#closeAfter(exchange);
    this.#write(exchange, unrouted(expectationFailed));
  }

  #write(exchange: Exchange, { answer, route, verdict }: Decision): void {
    const { request, response, connection, requestId } = exchange;
    const { headers } = request;
    // A request that was taken after this one is answered before the connection ends.
    if (this.#draining && connection.lastResponse === response) this.#closeAfter(exchange);
    connection.wasShed = answer === overloaded;
    const written = writeAnswer(response, answer, {
      requestId,
      verdict,
      acceptEncoding: headers['accept-encoding'] as string | undefined,
      ifNoneMatch: headers['if-none-match'],
      closes: exchange.closes,
      errorsUrl: this.#errorsUrl,
    });
    this.counts.answered(route, written);
    if (answer.kind === 'problem') this.counts.problem(answer.code);
    if (answer === overloaded) this.counts.wasShed();
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.connections.taking(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    if (connection === undefined) {
      this.connections.afterLastAnswer(socket, () => socket.destroy());
      return;
    }
    const answer = parserProblem(error.code);
    connection.closing = true;
    this.counts.answered(unmatchedRoute, errorTable[answer.code].status);
    this.counts.problem(answer.code);
    this.connections.afterLastResponse(socket, () => writeRawProblem(socket, answer, this.#nextId(), this.#errorsUrl));
  }
}

/** A GET has no use for a body; one that announces it gets its answer, and then the connection ends. */
function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Clients that poll already are served on, and everybody may ask how the service is. */
function isToBeShed(connection: ConnectionState, path: string): boolean {
  return path !== status.route && !connection.isEstablished;
}

function unrouted(answer: Answer): Decision {
  return { answer, route: unmatchedRoute, verdict: undefined };
}

const overloaded = problem(
  'SERVICE_OVERLOADED',
  'The service has more requests than it can answer in time. GET /v1/status keeps answering.',
  overloadRetryAfterSeconds,
);

const expectationFailed = problem('EXPECTATION_FAILED', 'The Expect header cannot be satisfied.');
