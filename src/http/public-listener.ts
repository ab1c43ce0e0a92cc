import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net';
import type { ClientAddresses } from '../access/client-address.ts';
import type { MaybePromise } from '../access/limits.ts';
import type { Clock, Randomness } from '../clock.ts';
import { errorTable } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import { type Answer, methodNotAllowed, type ProblemAnswer, problem } from './answer.ts';
import type { AnsweredRequest, ServedRequest } from './answered-request.ts';
import type { Connection } from './connection.ts';
import { type ConnectionFigures, Connections, keylessKeepAliveSeconds } from './connections.ts';
import { Handshakes } from './handshakes.ts';
import { type Certificate, httpServer, type PublicListenerOptions, secureOptions } from './http-server.ts';
import { findHttpFault, type ParserError, parserProblem, writeRawProblem } from './malformed-request.ts';
import { Overload, type Pressure } from './overload.ts';
import {
  type Decision,
  type Gate,
  internalError,
  overloaded,
  Pipeline,
  type PublicRequest,
  type Routes,
} from './pipeline.ts';
import { RequestCounts, unmatchedRoute } from './request-counts.ts';
import { type RequestIds, requestIds } from './request-ids.ts';
import { splitTarget } from './request-target.ts';
import type { ReadModel } from './resource.ts';
import { type Written, writeAnswer } from './response-writer.ts';

/** Routes and addresses, which can name the port that was taken. */
export interface Offer {
  readonly routes: Routes;
  /** Absolute, without a trailing slash: what the `type` of an Error starts with. */
  readonly errorsUrl: string;
}

/** Everything that the listener is made from. */
export interface PublicListenerParts {
  /** Asked once, with the port listened on, before any request is looked at. */
  readonly offerAt: (port: number) => Offer;
  readonly gate: Gate;
  readonly addresses: ClientAddresses;
  readonly readModel: ReadModel;
  /** Called after every answer to well-formed HTTP, with the headers of the request. */
  readonly onAnswered?: ((answered: AnsweredRequest, headers: IncomingHttpHeaders) => void) | undefined;
  /** Called after every answer to a valid key, before anything else can be published. */
  readonly onServed?: ((served: ServedRequest) => void) | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** The load of the process: of the last few seconds, and the heap as it is. */
  readonly pressure: () => Omit<Pressure, 'unsentBytes'>;
  /** Bytes of the machine's memory that the process may use. */
  readonly memoryBytes: number;
}

/** Longer than a request takes to arrive. */
const idleGraceMs = 500;
/** Parts of the memory for answers that clients have not taken: above the first requests are shed, above the second clients are cut. */
const unsentPartShed = 1 / 16;
const unsentPartCut = 1 / 8;

/** A request under way, and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly requestId: string;
  /** The number that the id hides. */
  readonly number: number;
  /** When it came, by the monotonic clock. */
  readonly cameMs: number;
  /** Its answer is the last on its connection. */
  closes: boolean;
  /** The request as it is decided, once it was looked at. */
  asked: PublicRequest | undefined;
}

/**
 * The public HTTP listener. It reads a request's identifier, address and instant once, has the
 * pipeline decide, and writes the answer; every failure, however low it happens, is a problem
 * document.
 */
export class PublicListener {
  readonly counts = new RequestCounts();
  readonly connections: Connections;
  readonly overload: Overload;
  readonly #handshakes: Handshakes;
  readonly #options: PublicListenerOptions;
  readonly #parts: PublicListenerParts;
  #pipeline!: Pipeline;
  #errorsUrl = '';
  readonly #ids: RequestIds;
  readonly #server: Server;
  #draining = false;

  constructor(options: PublicListenerOptions, parts: PublicListenerParts) {
    this.#options = options;
    this.#parts = parts;
    this.#ids = requestIds(parts.randomness);
    const { clock, memoryBytes, log } = parts;
    const { limits } = options;
    const bucketOf = (socket: Socket) => parts.addresses.peerBucket(socket.remoteAddress);
    this.#handshakes = new Handshakes(bucketOf);
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
      request: (request, response) => this.#handle(request, response),
      expectation: (request, response) => this.#refuseExpectation(request, response),
      failed: (error, socket) => this.#onClientError(error, socket),
      tunnel: (socket) => this.#refuseTunnel(socket),
      handshakes: this.#handshakes,
    });
  }

  /** Turns request ids into their numbers, see `RequestIds`. */
  get requestKey(): Uint8Array {
    return this.#ids.key;
  }

  connectionFigures(): ConnectionFigures {
    return this.connections.figures();
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
    (this.#server as TlsServer).setSecureContext(secureOptions(certificate));
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
    this.overload.stop();
  }

  #closeAllConnections(): void {
    this.#handshakes.cut();
    this.#server.closeAllConnections();
  }

  #offer(port: number): void {
    const { offerAt, gate, readModel: sources } = this.#parts;
    const { routes, errorsUrl } = offerAt(port);
    this.#errorsUrl = errorsUrl;
    this.#pipeline = new Pipeline(routes, gate, sources, this.counts, this.#parts.clock, this.#logFailure);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#take(request, response);
    if (exchange !== undefined) this.connections.whenItsTurn(exchange.connection, () => this.#answer(exchange));
  }

  #answer(exchange: Exchange): void {
    exchange.connection.answering(exchange.response);
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
    const cameMs = this.#parts.clock.monotonicMs();
    const exchange = {
      request,
      response,
      connection,
      requestId: this.#ids.next(),
      number: this.#ids.last,
      cameMs,
      closes: false,
      asked: undefined,
    };
    connection.lastResponse = response;
    if (announcesBody(request.headers)) {
      this.connections.discardBody(request, response);
      this.#closeAfter(exchange);
    }
    // The parser takes what follows an upgrade for another protocol (RFC 9110 §7.8), which is not supported.
    if (request.headers.upgrade !== undefined) this.#closeAfter(exchange);
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

  #decide(exchange: Exchange): MaybePromise<Decision> {
    const { request, connection, requestId } = exchange;
    const fault = findHttpFault(request);
    if (fault !== undefined) {
      this.#closeAfter(exchange);
      return unrouted(fault);
    }
    const { clock, addresses } = this.#parts;
    const { headers, method = '', url = '/', socket } = request;
    const target = splitTarget(url);
    const now = clock.now();
    const address = addresses.resolve(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined);
    const shed = this.overload.shed(connection.isEstablished);
    exchange.asked = { requestId, now, address, method, target, headers, shed };
    return this.#pipeline.decide(exchange.asked);
  }

  #refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#take(request, response);
    if (exchange === undefined) return;
    this.#closeAfter(exchange);
    this.connections.whenItsTurn(exchange.connection, () => {
      exchange.connection.answering(response);
      this.#write(exchange, unrouted(expectationFailed));
    });
  }

  #write(exchange: Exchange, decision: Decision): void {
    const { request, response, connection, requestId } = exchange;
    const { answer, verdict, key } = decision;
    const { headers } = request;
    // A request that arrived after this one is answered before the connection ends.
    const isLast = connection.lastResponse === response && !connection.hasMore;
    if (this.#draining && isLast) this.#closeAfter(exchange);
    connection.wasShed = answer === overloaded.answer;
    connection.isKeyed ||= key !== undefined;
    if (connection.isLastRefusal(refusalWeight(decision))) this.#closeAfter(exchange);
    const keepAliveSeconds = connection.isKeyed || !response.shouldKeepAlive ? undefined : keylessKeepAliveSeconds;
    const written = writeAnswer(response, answer, {
      requestId,
      verdict,
      acceptEncoding: headers['accept-encoding'] as string | undefined,
      ifNoneMatch: headers['if-none-match'],
      closes: exchange.closes,
      keepAliveSeconds,
      isSecure: this.#options.tls !== undefined,
      errorsUrl: this.#errorsUrl,
    });
    connection.answered(response, written.bytes);
    if (connection.isKeyed && !exchange.closes) connection.trust();
    if (exchange.closes) this.connections.ended(connection);
    this.#report(exchange, decision, written);
  }

  /** Counts the answer, and passes it to the callbacks that log and record answers. */
  #report(exchange: Exchange, { answer, route, key }: Decision, { status, bytes }: Written): void {
    const { requestId, number, request, asked, cameMs } = exchange;
    const { clock, gate, onAnswered, onServed } = this.#parts;
    const durationMs = clock.monotonicMs() - cameMs;
    const code = answer.kind === 'problem' ? answer.code : undefined;
    const keyId = key && gate.keys.keyIdOf(key.slot);
    this.counts.answered(route, status, durationMs);
    if (code !== undefined) this.counts.problem(code);
    if (answer === overloaded.answer) this.counts.wasShed();
    onAnswered?.({ requestId, at: clock.now(), durationMs, route, status, code, bytes, keyId }, request.headers);
    if (keyId === undefined || asked === undefined) return;
    onServed?.({ request: number, keyId, now: asked.now, query: asked.target.query, route, status, answer });
  }

  #onClientError(error: ParserError, socket: Socket): void {
    const connection = this.connections.taking(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    if (connection === undefined) {
      this.connections.afterLastAnswer(socket, () => socket.destroy());
      return;
    }
    this.#refuseRaw(connection, socket, parserProblem(error));
  }

  #refuseTunnel(socket: Socket): void {
    const connection = this.connections.taking(socket);
    if (connection === undefined) {
      this.connections.afterLastAnswer(socket, () => socket.destroy());
      return;
    }
    // The parser no longer reads it, and unread bytes would reset the connection before the answer arrives.
    socket.resume();
    this.#refuseRaw(connection, socket, methodNotAllowed);
  }

  /** Ends a connection that has no parser any more, with a problem after the answers that are due. */
  #refuseRaw(connection: Connection, socket: Socket, answer: ProblemAnswer): void {
    connection.closing = true;
    this.counts.answered(unmatchedRoute, errorTable[answer.code].status, 0);
    this.counts.problem(answer.code);
    this.connections.afterLastResponse(socket, () =>
      writeRawProblem(socket, answer, this.#ids.next(), this.#errorsUrl),
    );
  }
}

/** A GET has no use for a body; one that announces it gets its answer, and then the connection ends. */
function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** How much an answer refuses its client, who gains nothing by asking again at once; 0 for one that does not. */
function refusalWeight({ answer, limitedBy }: Decision): number {
  if (answer === overloaded.answer) return 10;
  // No client of the API asks for pages ahead.
  if (limitedBy === 'page') return 5;
  if (answer.kind !== 'problem') return 0;
  const { status } = errorTable[answer.code];
  return status === 401 || status === 429 ? 1 : 0;
}

function unrouted(answer: Answer): Decision {
  return { answer, route: unmatchedRoute, verdict: undefined };
}

const expectationFailed = problem('EXPECTATION_FAILED', 'The Expect header cannot be satisfied.');
