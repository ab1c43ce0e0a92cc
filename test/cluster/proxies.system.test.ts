import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { assertSound } from '../faults/oracle.ts';
import { eventually } from '../support/eventually.ts';
import { exchange } from '../support/http-client.ts';
import { json } from '../support/listener-harness.ts';
import { needsProxies } from '../support/shipped-proxies.ts';
import { WatchedProxies } from './watched-proxies.ts';

/** What is no HTTP. HAProxy and Caddy refuse it in words of their own, which nothing changes. */
const refused: readonly [what: string, request: string][] = [
  ['no HTTP', 'HELLO\r\n\r\n'],
  ['a version there is not', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n'],
];

describe('nginx, Caddy and HAProxy as they are shipped, in front of two nodes', needsProxies, () => {
  const cleanups: (() => unknown)[] = [];
  let simulator: ExchangeSimulator;
  let watched: WatchedProxies;

  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 50 });
    cleanups.push(() => simulator.stop());
    watched = await WatchedProxies.start({ after: (run: () => unknown) => cleanups.unshift(run) }, simulator);
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  /** Each node has a feed of its own, and none of the clients sees that. */
  const withoutRedis = async (how: string) => {
    await eventually(`a feed of its own: Redis ${how}`, async () => (await watched.alone()) === watched.nodes.length);
    await watched.settled(`Redis ${how}`);
  };

  test('nginx refuses what is no HTTP in the form of every other error (fault row 109)', async () => {
    const { port } = watched.proxies.find(({ name }) => name === 'nginx')!;
    for (const [what, request] of refused) {
      const { responses } = await exchange(port, request);
      assert.equal(responses.length, 1, what);
      assertSound(responses[0]!);
      assert.equal(responses[0]!.status, 400, what);
    }
  });

  test('no request fails and nothing goes back while the nodes restart one after the other (fault row 109)', async () => {
    for (const index of watched.nodes.keys()) await watched.restart(index);
    for (const { name, refusals } of watched.watches) assert.deepEqual(refusals, [], name);
  });

  test('a frozen node costs refusals as documented, and nothing goes back (fault row 109)', async () => {
    const [node] = watched.nodes;
    node!.signal('SIGSTOP');
    await watched.settled('on the node that is not frozen');
    node!.signal('SIGCONT');
    // While Redis is away nothing would hold back what a key that comes back to it sees.
    await watched.isBack(0);
    await watched.settled('after the thaw');
  });

  test('nothing goes back while Redis is paused or killed, and after (fault row 109)', async (context) => {
    watched.redis.freeze();
    await withoutRedis('is paused');
    watched.redis.thaw();
    await watched.settled('Redis answers again');
    await watched.redis.kill();
    await withoutRedis('is killed');
    await watched.redis.restart();
    await eventually('one feed for both', async () => (await watched.alone()) === 0, 30_000);
    await watched.settled('on one feed');
    const answered = watched.watches.reduce((sum, watch) => sum + watch.answered, 0);
    context.diagnostic(`${answered} answers to ${watched.watches.length} clients`);
  });

  test('answer 503 as documented while no node is there (fault row 109)', async () => {
    await watched.stopWatching();
    await Promise.all([...watched.nodes.keys()].map((index) => watched.stop(index)));
    const asked = watched.proxies.flatMap(({ name, port }) => [gone(name, port, 'GET'), gone(name, port, 'HEAD')]);
    await Promise.all(asked);
  });
});

async function gone(name: string, port: number, method: 'GET' | 'HEAD'): Promise<void> {
  const request = `${method} /v1/tickers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const { responses, rest } = await exchange(port, request, [method]);
  const response = responses[0]!;
  assertSound(response, method === 'GET');
  assert.equal(response.status, 503, name);
  assert.equal(response.headers['cache-control'], 'no-store', name);
  if (method === 'GET') assert.equal(json(response).code, 'SERVICE_OVERLOADED', name);
  assert.equal(rest.length, 0, `${name} sends nothing after an answer to ${method}`);
}
