import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import Big from 'big.js';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { untilLive } from '../support/mdapi-process.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { SteadyClient } from '../support/steady-client.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { installed, type ServingProcess } from './serving-process.ts';

/**
 * Five seconds are promised for a takeover, and `npm run bench -- --only scaling` measures them: here the machine may
 * be busy.
 */
const timeoutMs = 30_000;

interface Node {
  readonly server: ServingProcess;
  readonly api: ApiClient;
  /** The way from this process to Redis. */
  readonly network: TcpProxy;
  leads(): Promise<boolean>;
}

/** Two processes that may lead, of which the first does, and all prices there. Each has a way of its own to Redis. */
async function startPair(t: TestContext) {
  const redis = await RedisServer.start(t);
  const exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
  t.after(() => exchange.stop());
  const { installation, key, start } = await installed(t, exchange, { server: { shutdownDeadline: '1s' } });
  const startNode = async (): Promise<Node> => {
    const network = await TcpProxy.listen({ targetPort: redis.port });
    t.after(() => network.close());
    installation.env.MDAPI_REDIS = `redis://127.0.0.1:${network.port}`;
    const server = await start();
    const leads = async () => (await server.metrics()).value('mdapi_feed_leading') === 1;
    return { server, api: await ApiClient.of(server.baseUrl, key), network, leads };
  };
  const first = await startNode();
  await eventually('the first leads', first.leads);
  await untilLive(first.api);
  const second = await startNode();
  await untilLive(second.api);
  assert.equal(await second.leads(), false);
  const show = async (price: string, ...nodes: readonly Node[]) => {
    exchange.setPrice({ symbol: 'BTC/EUR', bid: price, ask: price });
    for (const { api } of nodes) {
      await eventually(
        `${price} is served`,
        async () => {
          const { buyPrice, sellPrice } = await api.ticker('BTCEUR');
          return (
            buyPrice === Big(price).times('1.005').toFixed(1) && sellPrice === Big(price).times('0.995').toFixed(1)
          );
        },
        timeoutMs,
      );
    }
  };
  return { first, second, show };
}

async function takesOver(node: Node): Promise<void> {
  await eventually('it leads', node.leads, timeoutMs);
}

async function followsAgain(node: Node): Promise<void> {
  await eventually('it follows', async () => !(await node.leads()), timeoutMs);
}

async function isAlone(node: Node, isIt: boolean): Promise<void> {
  const alone = async () => (await node.server.metrics()).value('mdapi_feed_alone') === Number(isIt);
  await eventually(`it is ${isIt ? '' : 'no longer '}on a feed of its own`, alone, timeoutMs);
}

describe('of two processes, one of which runs the feed', { concurrency: true }, () => {
  test(
    'the other takes over from one that is frozen, which overwrites nothing when it wakes; no client sees a time go back',
    needsRedis,
    async (t) => {
      const { first, second, show } = await startPair(t);
      const clients = [await SteadyClient.watch(first.api), await SteadyClient.watch(second.api)];
      first.server.signal('SIGSTOP');
      await takesOver(second);
      await show('41000.0', second);
      first.server.signal('SIGCONT');
      await followsAgain(first);
      await show('42000.0', first, second);
      assert.equal(await second.leads(), true);
      for (const client of clients) assert.ok((await client.stop()).rounds > 0);
    },
  );

  test(
    'the other takes over from one that is cut off; that one goes on with the feed that it has, fresh, and follows once it is back (fault row 69)',
    needsRedis,
    async (t) => {
      const { first, second, show } = await startPair(t);
      const clients = [await SteadyClient.watch(first.api), await SteadyClient.watch(second.api)];
      first.network.blackHole();
      await takesOver(second);
      await show('43000.0', first, second);
      await isAlone(first, true);
      await first.network.clear();
      await show('45000.0', first, second);
      await isAlone(first, false);
      await show('45500.0', first, second);
      assert.deepEqual([await first.leads(), await second.leads()], [false, true]);
      for (const client of clients) {
        const { rounds, states } = await client.stop();
        assert.ok(rounds > 0);
        assert.ok(states.every((state) => state !== 'outage'));
      }
    },
  );

  test(
    'one that follows and is cut off goes on with a feed of its own, and follows again once it is back (fault row 69)',
    needsRedis,
    async (t) => {
      const { first, second, show } = await startPair(t);
      const client = await SteadyClient.watch(second.api);
      second.network.blackHole();
      await show('46000.0', first, second);
      await isAlone(second, true);
      await second.network.clear();
      await isAlone(second, false);
      await show('47000.0', first, second);
      assert.deepEqual([await first.leads(), await second.leads()], [true, false]);
      assert.ok((await client.stop()).rounds > 0);
    },
  );

  test(
    'one that follows and stood still for over five seconds says `degraded` in its first answer (fault row 49)',
    needsRedis,
    async (t) => {
      const { first, second, show } = await startPair(t);
      second.server.signal('SIGSTOP');
      // What it would read between waking and answering could be fresh already.
      second.network.blackHole();
      await new Promise((resolve) => setTimeout(resolve, 5_500));
      const asked = second.api.status();
      second.server.signal('SIGCONT');
      assert.equal((await asked).components.ticker, 'degraded');
      await second.network.clear();
      await show('48000.0', first, second);
      await eventually('operational', async () => (await second.api.status()).status === 'operational', timeoutMs);
    },
  );
});
