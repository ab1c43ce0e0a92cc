import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { requestIds } from '../http/request-ids.ts';
import { addManagementApi } from './api/api.ts';
import { ManagementCounts } from './api/counts.ts';
import { problemOf } from './api/failures.ts';
import { Problem, problemBody, problemTable } from './api/problems.ts';
import type { ManagementSources } from './api/sources.ts';
import { BoardViewSchema, boardView } from './board-view.ts';
import { addConsole } from './console.ts';
import { metricsRegistry } from './metrics.ts';
import { explainPrice } from './prices.ts';
import { ReadinessSchema, readiness } from './readiness.ts';
import type { AdminSources } from './sources.ts';

const bodyBytesMax = 64 * 1024;
const requestTimeoutMs = 15_000;

/**
 * The private listener: liveness, readiness, metrics, the board and the derivation of prices, without sign-in;
 * the management API, with one; and the console. It is bound to loopback unless configured otherwise.
 */
export function adminListener(sources: AdminSources, management: ManagementSources): FastifyInstance {
  const app = listenerOf(management);
  const counts = new ManagementCounts();
  const gate = addManagementApi(app, { ...sources, ...management }, counts);
  addReadings(app, sources, { counts, sessions: () => gate.sessions.size });
  addConsole(app);
  return app;
}

/** Says no to everything, in the one form that problems have. */
function listenerOf({ randomness, log }: ManagementSources): FastifyInstance {
  const nextId = requestIds(randomness);
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    genReqId: nextId,
    frameworkErrors: (error, request, reply) => answerFailure(error, request, reply as FastifyReply),
    clientErrorHandler(_error, socket) {
      if (socket.writable) socket.end(notHttp(nextId()));
    },
  });
  function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error) ?? ourFault(error, request);
    reply
      .code(problemTable[problem.code].status)
      .headers({ ...commonHeaders(request), 'Cache-Control': 'no-store', ...problem.headers })
      .header('Content-Type', 'application/problem+json');
    if (problemTable[problem.code].status === 401) reply.header('WWW-Authenticate', 'Bearer realm="management"');
    reply.send(Buffer.from(JSON.stringify(problemBody(problem, request.id))));
  }
  function ourFault(error: unknown, request: FastifyRequest): Problem {
    log.error({ err: error, requestId: request.id }, 'a request to the private listener failed');
    return new Problem('INTERNAL_ERROR', 'The request could not be answered because of an internal error.');
  }
  app.setErrorHandler<FastifyError>(answerFailure);
  app.setNotFoundHandler((request, reply) =>
    answerFailure(new Problem('NOT_FOUND', 'Nothing exists at this path.') as never, request, reply),
  );
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request));
  });
  return app;
}

/** What is no HTTP never becomes a request: its answer is written as it stands, and the connection ends. */
function notHttp(id: string): string {
  const body = JSON.stringify(
    problemBody(new Problem('INVALID_INPUT', 'This is not HTTP/1.1 as this server takes it.'), id),
  );
  const headers = [
    'HTTP/1.1 400 Bad Request',
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

function commonHeaders({ id }: FastifyRequest): Record<string, string> {
  return { 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };
}

/** What needs no sign-in: for probes, scrapers and the command line. */
function addReadings(
  app: FastifyInstance,
  sources: AdminSources,
  management: NonNullable<Parameters<typeof metricsRegistry>[1]>,
): void {
  const registry = metricsRegistry(sources, management);
  app.get('/livez', () => ({ live: true }));

  app.get('/readyz', { schema: { response: { 200: ReadinessSchema, 503: ReadinessSchema } } }, (_request, reply) => {
    const state = readiness(sources);
    return reply
      .code(state.ready ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send(state);
  });

  app.get('/metrics', async (_request, reply) => {
    const text = await registry.metrics();
    return reply.header('Content-Type', registry.contentType).send(text);
  });

  app.get('/board', { schema: { response: { 200: BoardViewSchema } } }, (_request, reply) =>
    reply.header('Content-Type', 'application/json').header('Cache-Control', 'no-store').send(boardView(sources)),
  );

  app.get<{ Params: { symbol: string } }>('/prices/:symbol', (request, reply) => {
    const answer = explainPrice(sources, request.params.symbol);
    return reply.code(answer.kind === 'priced' ? 200 : 404).send(answer.kind === 'priced' ? answer.report : answer);
  });
}
