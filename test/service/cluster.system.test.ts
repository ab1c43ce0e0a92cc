import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, untilLive } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { SteadyClient } from '../support/steady-client.ts';

type Test = Parameters<typeof Installation.for>[0];

interface PriceSources {
  readonly sources: readonly { readonly id: string; readonly state: string }[];
}

/** An installation whose processes share a Redis, its address in a file of its own, and a key. */
async function clustered(t: Test) {
  const redis = await RedisServer.start(t);
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
  t.after(() => simulator.stop());
  const installation = Installation.for(t, simulator, { pricing: { returnAfter: '1s' } });
  const secret = join(installation.directory, 'redis-url');
  writeFileSync(secret, `${redis.url}\n`, { mode: 0o600 });
  installation.env.MDAPI_REDIS_FILE = secret;
  const { key } = await installation.makeKey();
  return { redis, simulator, installation, key };
}

async function startNode(installation: Installation, key: string, ...options: readonly string[]) {
  const server = installation.start('serve', '--json', ...options);
  const addresses = JSON.parse(await server.firstLine()) as { baseUrl?: string; adminUrl: string };
  const metrics = async () => readMetrics(await (await fetch(`${addresses.adminUrl}/metrics`)).text());
  return {
    server,
    ...addresses,
    metrics,
    leads: async () => (await metrics()).value('mdapi_feed_leading') === 1,
    api: async () => ApiClient.of(addresses.baseUrl!, key),
  };
}

describe('several processes with one Redis', () => {
  test(
    'one runs the feed and the others serve the same; when it is killed another takes over and prices go on',
    needsRedis,
    async (t) => {
      const { installation, key, simulator } = await clustered(t);
      const one = await startNode(installation, key);
      await eventually('the first leads', () => one.leads());
      await untilLive(await one.api());
      const two = await startNode(installation, key);
      const [first, second] = [await one.api(), await two.api()];
      await untilLive(second);
      assert.equal(await two.leads(), false);
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await eventually('the price on the second', async () => (await second.ticker('BTCEUR')).buyPrice === '50250.2');
      const [markets, same] = [await first.get('/v1/markets'), await second.get('/v1/markets')];
      assert.deepEqual([same.body, same.headers.etag], [markets.body, markets.headers.etag]);
      one.server.kill('SIGKILL');
      await eventually('the second leads', () => two.leads());
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '60000.0', ask: '60000.1' });
      await eventually('the new price', async () => (await second.ticker('BTCEUR')).buyPrice === '60300.2');
      await eventually('live prices', async () => (await second.status()).components.ticker === 'operational');
    },
  );

  test(
    'each is told of other sources, in any order, and no client of either sees an error or a time that goes back',
    needsRedis,
    async (t) => {
      const { installation, key } = await clustered(t);
      const other = await startExchangeSimulator({ dialect: 'bitvavo', quotes: ['EUR'], updatesPerSecond: 200 });
      t.after(() => other.stop());
      const file = join(installation.directory, 'mdapi.yaml');
      const known = JSON.parse(readFileSync(file, 'utf8')) as { sources: object[] };
      const bitvavo = { id: 'bitvavo', urls: { rest: other.restUrl, ws: other.wsUrl } };
      const write = (sources: readonly object[]) => writeFileSync(file, JSON.stringify({ ...known, sources }));
      const one = await startNode(installation, key);
      await eventually('the first leads', () => one.leads());
      await untilLive(await one.api());
      const two = await startNode(installation, key);
      const apis = [await one.api(), await two.api()];
      await untilLive(apis[1]!);
      const clients = await Promise.all(apis.map((api) => SteadyClient.watch(api)));
      const used = async ({ adminUrl }: { adminUrl: string }) => {
        const { sources } = (await (await fetch(`${adminUrl}/prices/BTCEUR`)).json()) as PriceSources;
        return sources.find(({ state }) => state === 'used')?.id;
      };
      const hangUp = async (node: Awaited<ReturnType<typeof startNode>>) => {
        const count = () => node.server.stderr.split('the sources were reloaded').length;
        const before = count();
        node.server.kill('SIGHUP');
        await eventually('it has reloaded', () => count() > before);
      };
      for (const [sources, order, maker] of [
        [[bitvavo, ...known.sources], [one, two], 'bitvavo'],
        [known.sources, [two, one], 'kraken'],
        [[bitvavo], [one, two], 'bitvavo'],
      ] as const) {
        write(sources);
        for (const node of order) await hangUp(node);
        for (const node of order) await eventually(`${maker} makes it`, async () => (await used(node)) === maker);
      }
      const [first] = clients;
      await first!.stop();
      one.server.kill('SIGKILL');
      await eventually('the second leads', () => two.leads());
      assert.equal(await used(two), 'bitvavo');
      other.setPrice({ symbol: 'BTC/EUR', bid: '60000.0', ask: '60000.1' });
      await eventually('the new price', async () => {
        return Math.abs(Number((await apis[1]!.ticker('BTCEUR')).buyPrice) - 60300.1005) < 1;
      });
      await clients[1]!.stop();
    },
  );

  test(
    'a process with --only feed has no public listener, one with --only api follows it, and neither says the address of Redis',
    needsRedis,
    async (t) => {
      const { installation, key, redis } = await clustered(t);
      const feed = await startNode(installation, key, '--only', 'feed');
      assert.equal(feed.baseUrl, undefined);
      const node = await startNode(installation, key, '--only', 'api');
      const api = await node.api();
      await untilLive(api);
      assert.deepEqual([await feed.leads(), await node.leads()], [true, false]);
      feed.server.kill('SIGTERM');
      assert.equal((await feed.server.ended).code, 0);
      await redis.kill();
      await eventually('it is reported', async () => {
        const { notes } = (await (await fetch(`${node.adminUrl}/readyz`)).json()) as { notes: string[] };
        return notes.some((note) => note.includes('Redis'));
      });
      assert.equal((await node.metrics()).value('mdapi_redis_limits_up'), 0);
      assert.equal((await api.tickers()).size, 8, 'the last prices are served on');
      node.server.kill('SIGTERM');
      assert.equal((await node.server.ended).code, 0);
      assert.ok(![feed.server, node.server].some(({ output }) => output.includes(redis.url)));
    },
  );

  test('the check reports Redis, and a part alone is refused without it', needsRedis, async (t) => {
    const { installation } = await clustered(t);
    const { findings } = await installation.json<{ findings: { name: string; works: boolean; detail: string }[] }>(
      'check',
    );
    const redis = findings.find(({ name }) => name === 'Redis');
    assert.equal(redis?.works, true);
    assert.match(redis!.detail, /^127\.0\.0\.1:\d+: (Redis|Valkey) \d/);
    delete installation.env.MDAPI_REDIS_FILE;
    const refused = await installation.run('serve', '--only', 'api');
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /needs redis in the configuration/);
  });
});
