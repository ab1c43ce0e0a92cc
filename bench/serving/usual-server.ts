import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import type { TickerBody } from '../../src/contract/schemas.ts';
import type { Recording } from './answers.ts';

// What one would write instead: Fastify with its rate limiter, keys in a Map, and every body made from
// the objects when it is asked for.
const compress = promisify(gzip);
const { answers, keys } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Recording;
const list = answers.find(({ path, gzip }) => path === '/v1/tickers' && !gzip)!;
const { tickers } = JSON.parse(Buffer.from(list.bodyBase64, 'base64').toString()) as { tickers: TickerBody[] };
const bySymbol = new Map(tickers.map((ticker) => [ticker.symbol, ticker]));
const owners = new Map(keys.map((key, index) => [key, { account: index }]));

const app = fastify();
await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: 60_000,
  keyGenerator: (request) => String(request.headers['x-exchange-apikey']),
});
app.addHook('onRequest', async (request, reply) => {
  if (!owners.has(String(request.headers['x-exchange-apikey']))) {
    await reply.code(401).send({ code: 'INVALID_API_KEY' });
  }
});
app.addHook('onSend', async (request, reply, payload) => {
  if (!request.headers['accept-encoding']?.includes('gzip')) return payload;
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return compress(payload as string);
});
app.get('/v1/tickers', async (_request, reply) =>
  reply.type('application/json').send(JSON.stringify({ tickers: [...bySymbol.values()] })),
);
app.get<{ Querystring: { symbol: string } }>('/v1/ticker', async (request, reply) => {
  const ticker = bySymbol.get(request.query.symbol.toUpperCase());
  if (ticker === undefined) return reply.code(404).send({ code: 'UNKNOWN_SYMBOL' });
  return reply.type('application/json').send(JSON.stringify(ticker));
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ identity: url, gzip: url })}\n`);
