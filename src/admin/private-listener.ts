import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import type { Registry } from 'prom-client';
import { PriceChangelog } from '../board/price-changelog.ts';
import { notesOf } from '../conditions/notes.ts';
import { ConditionWatch } from '../conditions/watch.ts';
import { requestIds } from '../http/request-ids.ts';
import { addManagementApi } from '../management/api.ts';
import { FeedTimeline } from '../management/feed-timeline.ts';
import { ManagementCounts } from '../management/gate.ts';
import { assertOwnHost } from '../management/hosts.ts';
import type { AdminParts } from '../management/parts.ts';
import { Problem, problemBody, problemOf, problemTable } from '../management/problems.ts';
import { RequestHistory } from '../management/request-history.ts';
import { SourceTrends } from '../management/source-trends.ts';
import { Sparklines } from '../management/sparklines.ts';
import { allRates, boardView, sourceViews } from '../management/views.ts';
import { AlertClaims } from '../notices/alert-claims.ts';
import { Alerting } from '../notices/alerting.ts';
import { explainPrice } from '../operator/price.ts';
import { requestView } from '../operator/request.ts';
import { addConsole } from './console.ts';
import { addIngest, rawProblem } from './ingest.ts';
import { metricsRegistry } from './metrics.ts';
import { PriceStreams } from './price-streams.ts';
import { readiness } from './readiness.ts';
import { addRunbook } from './runbook.ts';

const bodyBytesMax = 64 * 1024;
const requestTimeoutMs = 15_000;
/** Probes name whatever host they like; these say nothing that another site could use. */
const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/**
 * Starts the private listener: liveness, readiness, metrics, the board and the derivation of prices, without sign-in;
 * the management API, with one; and the console. It is bound to loopback unless configured otherwise.
 */
export async function startPrivateListener(parts: AdminParts) {
  const { clock, log, market, store, listener, configuration } = parts;
  const { service } = market;
  const sparklines = new Sparklines(market.markets, service, clock);
  const trends = new SourceTrends(parts.feed, clock);
  const held = () => market.markets.doubts().size;
  const requests = new RequestHistory({ ...parts, counts: listener.counts, store: store.requestMinutes, held });
  const watch = new ConditionWatch(parts);
  const timeline = new FeedTimeline({ ...parts, service, snapshots: store.snapshots });
  const prices = new PriceChangelog(market.markets, market.board, parts.randomness);
  const priceStreams = new PriceStreams(prices, clock, log);
  const app = listenerOf(parts);
  const ingest = addIngest(app, parts);
  const { alerts, mail } = configuration;
  let own = urlOf(configuration.admin);
  const alerting = new Alerting({
    ...parts,
    alerts,
    mail,
    facts: () => watch.facts(),
    places: () => ({
      service: parts.publicUrls().baseUrl,
      console: alerts.consoleUrl ?? own,
      environment: configuration.environment?.title,
    }),
    claims: parts.sharedNames && new AlertClaims(parts.sharedNames, parts.randomness),
  });
  const close = async () => {
    await alerting.stop();
    ingest.stop();
    priceStreams.stop();
    await app.close();
    sparklines.stop();
    trends.stop();
    await Promise.all([watch.stop(), requests.stop(), timeline.stop()]);
  };
  try {
    await timeline.start();
    requests.start();
    const counts = new ManagementCounts();
    const registry = metricsRegistry(parts, counts, alerting);
    const recorded = { sparklines, trends, timeline, requests, prices, priceStreams };
    const judged = { notes: () => notesOf(parts), alerts: () => watch.read() };
    addManagementApi(app, { ...parts, ...recorded, ...judged, startedAt: clock.now() }, counts);
    addReadings(app, parts, registry);
    addConsole(app, configuration.environment);
    addRunbook(app, configuration.environment);
    const { host, port } = configuration.admin;
    alerting.start();
    own = await app.listen({ host, port });
    return { url: own, registry, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where the listener will be reached. */
function urlOf({ host, port }: AdminParts['configuration']['admin']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A listener that answers every error in the one form of problems. */
function listenerOf({ randomness, log, configuration }: AdminParts): FastifyInstance {
  const ids = requestIds(randomness);
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    genReqId: () => ids.next(),
    frameworkErrors: (error, request, reply) => answerFailure(error, request, reply as FastifyReply),
    clientErrorHandler(_error, socket) {
      const problem = new Problem('INVALID_INPUT', 'This is not HTTP/1.1 that this server accepts.');
      if (socket.writable) socket.end(rawProblem(problem, ids.next()));
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
    return new Problem('INTERNAL_ERROR', 'The request could not be answered because of an internal error.', {
      said: { code: 'internal', values: {} },
    });
  }
  app.setErrorHandler<FastifyError>(answerFailure);
  app.setNotFoundHandler((request, reply) =>
    answerFailure(new Problem('NOT_FOUND', 'Nothing exists at this path.') as never, request, reply),
  );
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request));
    if (!probePaths.has(request.routeOptions.url ?? '')) assertOwnHost(request, configuration.admin);
  });
  return app;
}

function commonHeaders({ id }: FastifyRequest): Record<string, string> {
  return { 'X-Request-Id': id, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };
}

/** Adds the readings that need no sign-in: for probes, scrapers and the command line. */
function addReadings(app: FastifyInstance, parts: AdminParts, registry: Registry): void {
  app.get('/livez', () => ({ live: true }));

  app.get('/readyz', (_request, reply) => {
    const state = readiness(parts);
    return reply
      .code(state.ready ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send(state);
  });

  app.get('/metrics', async (_request, reply) => {
    const text = await registry.metrics();
    return reply.header('Content-Type', registry.contentType).send(text);
  });

  app.get('/board', (_request, reply) => reply.header('Cache-Control', 'no-store').send(boardView(parts)));

  app.get<{ Params: { symbol: string } }>('/prices/:symbol', (request, reply) => {
    const answer = explainPrice(parts.market.markets, request.params.symbol, parts.clock.now());
    return reply.code(answer.kind === 'priced' ? 200 : 404).send(answer.kind === 'priced' ? answer.report : answer);
  });

  app.get('/rates', () => ({ rates: allRates(parts, parts.clock.now()) }));

  app.get('/sources', () => ({ sources: sourceViews(parts) }));

  app.get<{ Params: { id: string } }>('/requests/:id', (request, reply) => {
    const found = parts.listener.recent.find(request.params.id);
    return found === undefined ? reply.code(404).send({ kind: 'unknown_request' }) : reply.send(requestView(found));
  });
}
