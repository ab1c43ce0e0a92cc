import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';
import { RecordQuestions } from '../../src/history/query/questions.ts';
import { openSqliteSegmentsToRead } from '../../src/history/segment/sqlite-segments.ts';
import { symbol } from '../../src/market/samples.testing.ts';
import { ClusterNode, endlessWindowMs } from '../support/cluster-harness.ts';
import { eventually } from '../support/eventually.ts';
import { json } from '../support/listener-harness.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { RecordedClients } from './recorded-clients.ts';

type Test = Parameters<typeof RedisServer.start>[0];

/** Below the time that a request waits for its count, and beyond. */
const delaysMs = [5, 300];

async function startDelayed(t: Test) {
  const redis = await RedisServer.start(t);
  const proxy = await TcpProxy.listen({ targetPort: redis.port });
  t.after(() => proxy.close());
  return { redis, proxy };
}

test(
  'a price whose request waits for its count is dated with its own capture time, and stays so (fault row 70)',
  needsRedis,
  async (t) => {
    const { redis, proxy } = await startDelayed(t);
    const address = { ...redis.address, port: proxy.port };
    const node = await ClusterNode.start(t, { ...redis, address } as RedisServer, { windowMs: endlessWindowMs });
    const { api } = node;
    const key = api.addKey({ limitPerMinute: 1_000_000 });
    api.list('BTC');
    const captured = new Map<string, number>();
    let price = 1_000_000;
    const tick = () => {
      const text = (price++ / 100).toFixed(2);
      api.tick('BTC', text, text);
      const { ticker } = api.markets.pricer.price(symbol('BTCEUR'), api.clock.now()) as {
        ticker: { buyPrice: string };
      };
      captured.set(ticker.buyPrice, api.markets.acceptedTicker(symbol('BTCEUR'))!.capturedAt);
    };
    tick();
    const ticking = api.clock.every(1, tick);
    t.after(() => ticking.cancel());
    for (const latencyMs of delaysMs.toReversed()) {
      proxy.set('both', { latencyMs });
      if (latencyMs < 300) await node.untilUp();
      const client = async () => {
        for (let asked = 0; asked < (latencyMs > 100 ? 5 : 30); asked++) {
          const { buyPrice, timestampMs } = json<{ buyPrice: string; timestampMs: number }>(
            await api.get('/v1/ticker?symbol=BTCEUR', { key }),
          );
          assert.equal(timestampMs, captured.get(buyPrice), `the time of the price ${buyPrice}`);
        }
      };
      await Promise.all([client(), client(), client()]);
    }
    assert.ok(node.limits.figures().countedShared > 60, 'requests waited for their count');
  },
);

test(
  'what is served while counts are late is built again from the record, byte for byte (fault row 70)',
  needsRedis,
  async (t) => {
    const { proxy } = await startDelayed(t);
    const service = await ServiceHarness.start(t, {
      simulator: { updatesPerSecond: 1_000 },
      settingsFrom: () => ({ redis: `redis://127.0.0.1:${proxy.port}`, 'history.url': 'sqlite:history.sqlite' }),
    });
    const clients = new RecordedClients(service.credentials.key);
    for (const latencyMs of delaysMs) {
      proxy.set('both', { latencyMs });
      const before = clients.answers.length;
      const asking = clients.ask(service.service.baseUrl);
      await eventually('answers', () => clients.answers.length >= before + 300, 30_000);
      clients.stop();
      await asking;
    }
    const metrics = await service.metrics();
    const counted = (where: string) => metrics.value('mdapi_redis_limits_requests_total', { where });
    assert.ok(counted('redis') > 0 && counted('alone') > 0);
    proxy.set('both', { latencyMs: 0 });
    await service.stopService();
    const store = openSqliteSegmentsToRead(join(service.directory, 'history.sqlite'))!;
    t.after(() => store.close());
    const questions = new RecordQuestions(store, systemClock);
    for (const { requestId, body } of clients.answers) assert.equal((await questions.answer(requestId))?.body, body);
    t.diagnostic(`${clients.answers.length} answers`);
  },
);
