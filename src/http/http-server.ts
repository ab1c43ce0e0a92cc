import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionBounds } from './connections.ts';
import type { Exchanges } from './exchanges.ts';
import type { Handshakes } from './handshakes.ts';
import type { ParserError } from './malformed-request.ts';
import { acceptedBeyondMax } from './open-files.ts';

/** Bounds on what one connection may cost. The defaults and their reasons are in the configuration's schema. */
export interface ConnectionLimits extends Omit<ConnectionBounds, 'unsentBytesMax'> {
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the parser's timeouts are looked at, which is how exact they are. */
  readonly connectionsCheckIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Event-loop delay above which requests are shed, if the thread is busy. */
  readonly overloadDelayMs: number;
  /** Part of the heap in use above which requests are shed, 0 to 1. */
  readonly overloadHeapShare: number;
}

/** PEM texts: the certificate with its chain, and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Keys that encrypt session tickets, see `TicketKeys`. */
  readonly ticketKeys?: Buffer | undefined;
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

/** Handlers of connections. */
export interface ConnectionHandlers {
  /** A connection was accepted, before any handshake; false when it was ended. */
  readonly accepted: (socket: Socket) => boolean;
  /** Requests may come on it. */
  readonly connected: (socket: Socket) => void;
  /** The system refused a connection. */
  readonly dropped: () => void;
  readonly handshakes: Handshakes;
}

/**
 * A certificate as `node:tls` takes it. Sessions are bound to a context, by default one that depends on the command
 * line.
 */
export function secureOptions(certificate: Certificate) {
  return { ...certificate, sessionIdContext: 'mdapi' };
}

/** The platform's server, with every default set that would let a client hold or confuse it (docs/decisions/0002). */
export function httpServer({ limits, tls }: PublicListenerOptions, handlers: ConnectionHandlers): Server {
  const options: ServerOptions = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
    insecureHTTPParser: false,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    noDelay: true,
    // No stream is set up and torn down for a body that no GET has.
    optimizeEmptyRequests: true,
  };
  // A slow handshake and a slow head both hold a connection without a request: one bound for both.
  const server: Server =
    tls === undefined
      ? createServer(options)
      : createTlsServer({ ...options, ...secureOptions(tls), handshakeTimeout: limits.headersTimeoutMs });
  server.maxConnections = limits.maxConnections + acceptedBeyondMax;
  server.on('connection', (socket: Socket) => {
    if (!handlers.accepted(socket)) return;
    if (tls === undefined) handlers.connected(socket);
    else handlers.handshakes.begun(socket);
  });
  server.on('secureConnection', (socket: Socket) => {
    handlers.handshakes.done(socket);
    handlers.connected(socket);
  });
  server.on('drop', handlers.dropped);
  return server;
}

/** Has the server's requests answered, and whatever is none refused. */
export function answerRequests(server: Server, exchanges: Exchanges): void {
  const handle: RequestListener = (request, response) => exchanges.handle(request, response);
  server.on('request', handle);
  server.on('checkContinue', handle);
  server.on('checkExpectation', (request, response) => exchanges.refuseExpectation(request, response));
  server.on('clientError', (error: ParserError, socket: Socket) => exchanges.refuseBytes(error, socket));
  server.on('connect', (_request, socket) => exchanges.refuseTunnel(socket as Socket));
}
