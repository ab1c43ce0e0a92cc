import Fastify, { type FastifyInstance } from 'fastify';
import { BoardViewSchema, boardView } from './board-view.ts';
import { metricsRegistry } from './metrics.ts';
import { explainPrice } from './prices.ts';
import { ReadinessSchema, readiness } from './readiness.ts';
import type { AdminSources } from './sources.ts';

/**
 * The private listener: liveness, readiness, metrics, the board and the derivation of prices. It has no
 * authentication and is bound to loopback unless configured otherwise.
 */
export function adminListener(sources: AdminSources): FastifyInstance {
  const registry = metricsRegistry(sources);
  const app = Fastify({ logger: false, forceCloseConnections: true });

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

  return app;
}
