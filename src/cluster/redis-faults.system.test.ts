import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { systemClock } from '../ground/clock.ts';
import { LimitingNode } from './limiting-node.testing.ts';

type Test = Parameters<typeof LimitingNode.start>[0];

/** No test sees the end of such a window: the current one began in 1970 and ends in 2033. */
const windowMs = 2_000_000_000_000;

/** The timeout of the nodes here: short for a test that waits for it, long for a busy machine. */
const timeoutMs = 500;

const untilUp = (node: LimitingNode) => eventually('counting in Redis', () => node.isUp);
const untilAlone = (node: LimitingNode) =>
  eventually('counting alone', async () => {
    await node.take(99, 1_000_000);
    return !node.isUp;
  });

async function startNode(t: Test, redis: RedisServer, address: Partial<RedisServer['address']> = {}) {
  const node = LimitingNode.start(t, redis, { windowMs, timeoutMs, address });
  await untilUp(node);
  return node;
}

/** A server, and the way to it that a test makes bad. */
async function startBehindProxy(t: Test) {
  const redis = await RedisServer.start(t);
  const proxy = await TcpProxy.listen({ targetPort: redis.port });
  t.after(() => proxy.close());
  return { redis, proxy, address: { port: proxy.port } };
}

async function remainingAfter(node: LimitingNode, requests: number): Promise<number> {
  let remaining = Number.NaN;
  for (let asked = 0; asked < requests; asked++) ({ remaining } = await node.take());
  return remaining;
}

/** A thing that an operator or the world does to a server, and how it ends. */
interface Fault {
  readonly begin: (redis: RedisServer) => unknown;
  readonly end: (redis: RedisServer) => unknown;
  readonly reason: RegExp;
}

const faults: Readonly<Record<string, Fault>> = {
  'is frozen': { begin: (redis) => redis.freeze(), end: (redis) => redis.thaw(), reason: /no answer within/ },
  'is killed and comes back empty': {
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart(),
    reason: /closed|ECONN/i,
  },
  'is a replica that cannot be written to': {
    begin: (redis) => redis.ask('REPLICAOF', '127.0.0.1', '1'),
    end: (redis) => redis.ask('REPLICAOF', 'NO', 'ONE'),
    reason: /READONLY/,
  },
  'is out of memory': {
    begin: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '100kb'),
    end: (redis) => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    reason: /OOM/,
  },
  'lacks the replicas that it is configured to need': {
    begin: (redis) => redis.ask('CONFIG', 'SET', 'min-replicas-to-write', '1'),
    end: (redis) => redis.ask('CONFIG', 'SET', 'min-replicas-to-write', '0'),
    reason: /NOREPLICAS/,
  },
};

for (const [what, { begin, end, reason }] of Object.entries(faults)) {
  test(
    `while the server ${what}, a node goes on counting from where it was, and reports to the server afterwards (fault row 29)`,
    needsRedis,
    async (t) => {
      const redis = await RedisServer.start(t);
      const node = await startNode(t, redis);
      assert.equal(await remainingAfter(node, 10), 50);
      await begin(redis);
      assert.equal(await remainingAfter(node, 10), 40, 'nobody gets a fresh limit');
      assert.equal(node.isUp, false);
      assert.match(node.limits.figures().reason, reason);
      await end(redis);
      await untilUp(node);
      assert.equal(await remainingAfter(node, 1), 39);
      const { countedShared } = node.limits.figures();
      assert.equal(await remainingAfter(node, 39), 0);
      assert.equal((await node.take()).allowed, false);
      assert.equal(node.limits.figures().countedShared, countedShared + 39, 'counted on the server again');
      const other = await startNode(t, redis);
      assert.equal((await other.take()).allowed, false, 'the server knows of every request');
      assert.equal(node.limits.figures().fallbacks, 1);
      const lines = node.logged.filter((line) => !line.includes('clock'));
      assert.equal(lines.length, 3, 'one each when it came up, when it fell back and when it came back');
      assert.match(lines[1]!, /by this node alone/);
    },
  );
}

test('requests that a frozen server counts when it wakes are not counted twice', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const node = await startNode(t, redis);
  redis.freeze();
  const taken = await Promise.all(Array.from({ length: 20 }, () => node.take()));
  assert.deepEqual(
    taken.map(({ remaining }) => remaining),
    Array.from({ length: 20 }, (_, index) => 59 - index),
  );
  redis.thaw();
  await untilUp(node);
  assert.equal(await remainingAfter(node, 1), 39);
});

test(
  'a count that is being reported to a frozen server is not admitted a second time meanwhile',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const node = LimitingNode.idle(t, redis, { windowMs, timeoutMs: 300 });
    const admitted = { count: 0 };
    const take = async () => {
      if ((await node.take(1)).allowed) admitted.count++;
    };
    for (let asked = 0; asked < 50; asked++) await take();
    await node.limits.start();
    await eventually('it counts in Redis', () => node.isUp);
    redis.freeze();
    const ofAnotherKey = node.take(2);
    // The next turn: the report to the server goes in a call of its own, which fails later.
    await new Promise((resolve) => setTimeout(resolve));
    const reporting = take();
    await ofAnotherKey;
    assert.equal(node.isUp, false);
    for (let asked = 0; asked < 100; asked++) await take();
    await reporting;
    assert.equal(admitted.count, 60);
    redis.thaw();
    await eventually('it counts in Redis again', () => node.isUp);
    await take();
    assert.equal(admitted.count, 60);
  },
);

test(
  'while the circuit is broken nobody waits: decisions are there at once, not as promises',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const node = await startNode(t, redis);
    redis.freeze();
    await untilAlone(node);
    const decision = node.limits.takeForKey({ slot: 1, limitPerMinute: undefined }, node.clock.now());
    assert.ok(!(decision instanceof Promise));
    assert.equal(decision.remaining, 59);
  },
);

test(
  'a node that has never reached the server counts by itself, each key, address and failure',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    await redis.kill();
    const node = LimitingNode.start(t, redis, { windowMs, figures: { key: 3, address: 2, failedAuthentication: 1 } });
    const admitted = async (take: () => Promise<{ allowed: boolean }>) => {
      const taken = await Promise.all(Array.from({ length: 9 }, take));
      return taken.filter(({ allowed }) => allowed).length;
    };
    assert.equal(await admitted(() => node.take()), 3);
    assert.equal(await admitted(() => node.takeForAddress('192.0.2.1')), 2);
    assert.equal(await admitted(() => node.takeForFailure('192.0.2.1')), 1);
    await redis.restart();
    await untilUp(node);
    assert.equal((await node.take()).allowed, false, 'it is still the same window');
  },
);

test('two nodes without a server admit at most the limit each', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const nodes = [await startNode(t, redis), await startNode(t, redis)];
  for (const node of nodes) await remainingAfter(node, 5);
  await redis.kill();
  const taken = await Promise.all(nodes.flatMap((node) => Array.from({ length: 100 }, () => node.take())));
  // The first node knew of 5 requests and the second of 10.
  assert.equal(taken.filter(({ allowed }) => allowed).length, 55 + 50);
});

test(
  'on a slow network a node counts by itself, and returns when the network is quick again (fault row 29)',
  needsRedis,
  async (t) => {
    const { redis, proxy, address } = await startBehindProxy(t);
    const node = await startNode(t, redis, address);
    proxy.set('down', { latencyMs: 3 * timeoutMs });
    assert.equal(await remainingAfter(node, 5), 55);
    assert.equal(node.isUp, false);
    await proxy.clear();
    await untilUp(node);
    assert.equal(await remainingAfter(node, 1), 54);
  },
);

test(
  'however slow the way to the server is, a refused key is admitted as soon as the next window has begun there',
  needsRedis,
  async (t) => {
    const { redis, proxy, address } = await startBehindProxy(t);
    const node = LimitingNode.start(t, redis, { windowMs: 2000, address });
    await untilUp(node);
    proxy.set('down', { latencyMs: 400 });
    let refused = await node.take(1, 1);
    while (refused.allowed) refused = await node.take(1, 1);
    await eventually('the next window', () => systemClock.now() >= refused.resetSeconds * 1000);
    assert.ok((await node.take(1, 1)).allowed);
  },
);

test('a connection that dies silently is given up, and a new one made (fault row 29)', needsRedis, async (t) => {
  const { redis, proxy, address } = await startBehindProxy(t);
  const node = await startNode(t, redis, address);
  proxy.blackHole();
  await untilAlone(node);
  // Whatever connection it made meanwhile is as dead as the first.
  await eventually('a second connection', () => proxy.accepted >= 2);
  await proxy.clear();
  await untilUp(node);
});

test(
  'a reset connection and answers that come byte by byte cost no request its answer (fault row 29)',
  needsRedis,
  async (t) => {
    const { redis, proxy, address } = await startBehindProxy(t);
    const node = await startNode(t, redis, address);
    const pending = Array.from({ length: 10 }, () => node.take());
    proxy.reset();
    await Promise.all(pending);
    await untilUp(node);
    proxy.set('both', { sliceBytes: 1 });
    assert.ok((await node.take()).remaining < 50);
  },
);

test(
  'a server that wants a password is counted with when it is given, and no log line holds it',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t, '--requirepass', 'a-secret');
    await startNode(t, redis, { password: 'a-secret' });
    for (const password of [undefined, 'wrong-secret']) {
      const node = LimitingNode.start(t, redis, { windowMs, timeoutMs, address: { password } });
      await eventually('the reason is logged', () => node.logged.length > 0);
      assert.match(node.logged.join('\n'), /NOAUTH|WRONGPASS/);
      assert.doesNotMatch(node.logged.join('\n'), /secret/);
      assert.equal(await remainingAfter(node, 2), 58);
    }
  },
);

test('a cluster-mode server takes all counters, as they lie in one slot', needsRedis, async (t) => {
  const redis = await RedisServer.start(t, '--cluster-enabled', 'yes');
  await redis.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  const node = await startNode(t, redis);
  await Promise.all([node.take(), node.takeForAddress('192.0.2.1'), node.takeForFailure('192.0.2.1')]);
  assert.equal(node.limits.figures().countedShared, 3);
});

for (const answer of [
  '-LOADING Redis is loading the dataset in memory',
  '-BUSY a script is running',
  '+OK',
  '*1\r\n:5',
  '$-1',
]) {
  test(`a server that answers ${JSON.stringify(answer)} to everything is not counted with`, async (t) => {
    const server = createServer((socket) =>
      socket.on('data', () => socket.write(`${answer}\r\n`)).on('error', () => {}),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const address = { host: '127.0.0.1', port, tls: false, user: undefined, password: undefined, database: 0 };
    const node = LimitingNode.start(t, { address } as RedisServer, { windowMs, timeoutMs });
    await eventually('the reason is logged', () => node.logged.length > 0);
    assert.equal(await remainingAfter(node, 2), 58);
    assert.equal(node.isUp, false);
    node.limits.stop();
  });
}
