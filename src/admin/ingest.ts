import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { hasTokenShape, tokenDigest } from '../access/operator-token.ts';
import type { PushConnector } from '../feed/push/connector.ts';
import { closeCodes, type ServiceMessage } from '../feed/push/messages.ts';
import { requestIds } from '../http/request-ids.ts';
import { assertOwnHost } from '../management/hosts.ts';
import type { AdminParts } from '../management/parts.ts';
import { Problem, problemBody, problemOf, problemTable } from '../management/problems.ts';

const path = '/ingest/v1';
/** A catalogue of 20,000 markets. */
const frameBytesMax = 8 * 1024 * 1024;
/** A revoked token ends its connection within this time. */
const tokenCheckEveryMs = 1_000;
/** Connections of one token: an engine needs one, and a second while it takes over from itself. */
const connectionsMax = 8;

/**
 * Where an engine of the operator's own pushes its prices: a WebSocket at `/ingest/v1`, opened with a token of its
 * source.
 */
export function addIngest(app: FastifyInstance, parts: AdminParts): { stop(): void } {
  const ids = requestIds(parts.randomness);
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: frameBytesMax });
  const open = new Map<string, number>();
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    admitted(request, parts)
      .then(({ engine, digest }) => {
        if (socket.destroyed) return;
        const name = tokenName(digest);
        const count = open.get(name) ?? 0;
        if (count >= connectionsMax) throw tooManyConnections();
        open.set(name, count + 1);
        socket.on('close', () => open.set(name, open.get(name)! - 1));
        server.handleUpgrade(request, socket, head, (webSocket) => connect(webSocket, engine, digest, parts));
      })
      .catch((error: unknown) => refuse(socket, error, ids.next(), parts));
  });
  return {
    stop() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** Throws the problem to answer. */
async function admitted(request: IncomingMessage, parts: AdminParts) {
  assertOwnHost(request, parts.configuration.admin);
  if (request.url !== path) throw pathUnknown();
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (text === '') throw notSignedIn();
  const digest = tokenDigest(text);
  const token = hasTokenShape('source', text) ? await parts.store.sourceTokens.find(digest) : undefined;
  if (token === undefined) throw invalidToken();
  const engine = parts.feed.engine(token.source);
  if (engine !== undefined) {
    await forgetRevoked(engine, parts);
    return { engine, digest };
  }
  const { source } = token;
  const known = parts.feed.sources().find(({ id }) => id === source);
  if (known?.isPaused) throw sourcePaused(source);
  throw known?.kind === 'push' ? feedElsewhere() : sourceUnknown(source);
}

function tooManyConnections(): Problem {
  return new Problem('STORE_UNAVAILABLE', 'Too many connections have this token.');
}

function pathUnknown(): Problem {
  return new Problem('NOT_FOUND', `Nothing exists at this path. An engine connects to ${path}.`);
}

function notSignedIn(): Problem {
  return new Problem('NOT_SIGNED_IN', 'Send the token of the source as `Authorization: Bearer mds_…`.');
}

function invalidToken(): Problem {
  return new Problem('INVALID_TOKEN', 'The source token is not valid. `mdapi sources token ID` makes one.');
}

function sourcePaused(source: string): Problem {
  return new Problem('CONFLICT', `The source "${source}" is paused.`);
}

function feedElsewhere(): Problem {
  return new Problem('STORE_UNAVAILABLE', 'Another process runs the feed now. Connect to that one, or try again.');
}

function sourceUnknown(source: string): Problem {
  return new Problem('CONFLICT', `There is no source "${source}" of kind push in the configuration.`);
}

function connectionFailed(): Problem {
  return new Problem('INTERNAL_ERROR', 'The connection could not be opened because of an internal error.');
}

/** An epoch holds as long as the token of the engine that set it. */
async function forgetRevoked(engine: PushConnector, { store }: AdminParts): Promise<void> {
  const { epochToken } = engine;
  if (epochToken === undefined) return;
  const token = await store.sourceTokens.find(Buffer.from(epochToken, 'hex'));
  if (token === undefined && engine.epochToken === epochToken) engine.forgetEpoch();
}

function tokenName(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

function connect(
  socket: WebSocket,
  engine: PushConnector,
  digest: Uint8Array,
  { clock, store, log, feed }: AdminParts,
): void {
  const transport = {
    send: (message: ServiceMessage) => void socket.send(JSON.stringify(message)),
    close(code: number) {
      socket.close(code);
      // A peer that never answers the closing frame keeps the connection no longer than this.
      clock.after(1_000, () => socket.terminate());
    },
    unsentBytes: () => socket.bufferedAmount,
  };
  const session = engine.accept(transport, tokenName(digest));
  const watch = clock.every(tokenCheckEveryMs, async () => {
    // A store that cannot be reached revokes nothing.
    const token = await store.sourceTokens.find(digest).catch(() => 'unknown' as const);
    if (token === undefined) socket.close(closeCodes.REVOKED.code);
    else if (feed.engine(engine.id) !== engine) socket.close(closeCodes.AGAIN.code);
  });
  log.info({ source: engine.id }, 'an engine has connected');
  socket.on('message', (data: Buffer, isBinary) => session.received(isBinary ? '' : data.toString()));
  socket.on('error', () => socket.terminate());
  socket.on('close', (code) => {
    watch.cancel();
    session.closed();
    log.info({ source: engine.id, code }, 'the connection of an engine has ended');
  });
}

function refuse(socket: Duplex, error: unknown, id: string, { log }: AdminParts): void {
  const known = problemOf(error);
  if (known === undefined) log.error({ err: error, requestId: id }, 'a connection of an engine failed');
  socket.end(rawProblem(known ?? connectionFailed(), id));
}

/** A whole answer, for a connection that never becomes a request. It is closed after it. */
export function rawProblem(problem: Problem, requestId: string): string {
  const { status } = problemTable[problem.code];
  const body = JSON.stringify(problemBody(problem, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer realm="ingest"'] : []),
    ...(status === 503 ? ['Retry-After: 1'] : []),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
