import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { assertSound } from '../faults/oracle.ts';
import { installed, type ServingProcess } from '../faults/serving-process.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { exchange } from '../support/http-client.ts';
import { json } from '../support/listener-harness.ts';
import { RedisServer } from '../support/redis.ts';
import { needsProxies, type ShippedProxy, startProxies } from '../support/shipped-proxies.ts';
import { Wire } from '../support/wire.ts';
import { KeyWatch } from './key-watch.ts';
import { isAsked, keysForNodes } from './keys-for-nodes.ts';

/** What is no HTTP. HAProxy and Caddy refuse it in words of their own, which nothing changes. */
const refused: readonly [what: string, request: string][] = [
  ['no HTTP', 'HELLO\r\n\r\n'],
  ['a version there is not', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n'],
];

describe('nginx, Caddy and HAProxy as they are shipped, in front of two nodes', needsProxies, () => {
  const cleanups: (() => unknown)[] = [];
  const nodes: ServingProcess[] = [];
  const watches: KeyWatch[] = [];
  let simulator: ExchangeSimulator;
  let redis: RedisServer;
  let ports: readonly number[];
  let keys: readonly string[];
  let proxies: readonly ShippedProxy[];
  let startOn: (port: number) => Promise<ServingProcess>;
  const t = { after: (run: () => unknown) => cleanups.unshift(run) };

  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 50 });
    cleanups.push(() => simulator.stop());
    redis = await RedisServer.start(t);
    const { installation, key, start } = await installed(t, simulator, {
      server: { baseUrl: 'https://api.example.com', trustedProxies: ['127.0.0.1'], shutdownDeadline: '10s' },
    });
    installation.env.MDAPI_REDIS = redis.url;
    startOn = async (port) => {
      installation.env.MDAPI_SERVER_PORT = String(port);
      const node = await start();
      await eventually('it is ready', async () => (await node.admin('/readyz')).status === 200, 30_000);
      return node;
    };
    ports = [await fixedPort(), await fixedPort()];
    for (const port of ports) nodes.push(await startOn(port));
    proxies = await startProxies(t, ports);
    let made = 0;
    const makeKey = async () => {
      if (made++ === 0) return key;
      const email = `client${made}@example.com`;
      const { id } = await installation.json<{ id: string }>('accounts', 'create', '--email', email);
      return (await installation.json<{ key: string }>('keys', 'create', '--account', id)).key;
    };
    const throughs = proxies.map(({ port }) => port);
    keys = await keysForNodes(throughs, nodes, makeKey);
    for (const proxy of proxies) for (const one of keys) watches.push(new KeyWatch(proxy, one));
    cleanups.unshift(() => Promise.all(watches.map((watch) => watch.stop())));
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  /** Resolves once every client got many answers in a row. */
  const settled = async (what: string) => {
    for (const watch of watches) watch.expectServed();
    for (const watch of watches) await eventually(`${what}: ${watch.name}`, () => watch.isServed(), 40_000);
    for (const { name, faults } of watches) assert.deepEqual(faults, [], name);
  };
  /** Nodes that run a feed for themselves. */
  const alone = async () => {
    const values = await Promise.all(nodes.map(async (node) => (await node.metrics()).value('mdapi_feed_alone')));
    return values.filter((value) => value === 1).length;
  };

  test('nginx refuses what is no HTTP in the form of every other error (fault row 109)', async () => {
    const { port } = proxies.find(({ name }) => name === 'nginx')!;
    for (const [what, request] of refused) {
      const { responses } = await exchange(port, request);
      assert.equal(responses.length, 1, what);
      assertSound(responses[0]!);
      assert.equal(responses[0]!.status, 400, what);
    }
  });

  test('no request fails and nothing goes back while the nodes restart one after the other (fault row 109)', async () => {
    await settled('before');
    for (const [index, node] of nodes.entries()) {
      node.signal('SIGTERM');
      assert.deepEqual(await node.ended, { code: 0, signal: null });
      await settled('on the other node');
      nodes[index] = await startOn(ports[index]!);
      for (const { name, port } of proxies) {
        await eventually(`${name} asks it again`, () => isAsked(nodes[index]!, port, keys));
      }
      await settled('on both');
    }
    assert.deepEqual(
      watches.filter(({ refusals }) => refusals > 0).map(({ name, refusals }) => `${name}: ${refusals}`),
      [],
    );
  });

  test('a frozen node costs refusals as documented, and nothing goes back (fault row 109)', async () => {
    nodes[0]!.signal('SIGSTOP');
    await settled('on the node that is not frozen');
    nodes[0]!.signal('SIGCONT');
    await settled('after the thaw');
  });

  test('nothing fails or goes back while Redis is paused, and after (fault row 109)', async (context) => {
    redis.freeze();
    await eventually('each node has a feed of its own', async () => (await alone()) === nodes.length);
    await settled('without Redis');
    redis.thaw();
    await eventually('one feed for both', async () => (await alone()) === 0, 30_000);
    await settled('with Redis');
    const answered = watches.reduce((sum, watch) => sum + watch.answered, 0);
    context.diagnostic(`${answered} answers to ${watches.length} clients`);
  });

  test('answer 503 as documented while no node is there (fault row 109)', async () => {
    await Promise.all(watches.map((watch) => watch.stop()));
    for (const node of nodes) node.signal('SIGTERM');
    for (const node of nodes) assert.deepEqual(await node.ended, { code: 0, signal: null });
    for (const { name, port } of proxies) {
      const wire = await Wire.open(port);
      for (const head of ['GET', 'HEAD', 'GET']) {
        const response = await wire.ask(`${head} /v1/tickers HTTP/1.1\r\nHost: a\r\n\r\n`);
        assertSound(response, head === 'GET');
        assert.equal(response.status, 503, name);
        assert.equal(response.headers['cache-control'], 'no-store', name);
        if (head === 'GET') assert.equal(json(response).code, 'SERVICE_OVERLOADED', name);
      }
      wire.close();
    }
  });
});
