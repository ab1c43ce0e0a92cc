import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';
import { ClusterNode, endlessWindowMs } from '../support/cluster-harness.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { History, observationOf } from '../support/history.ts';
import { exchange, openSocket } from '../support/http-client.ts';
import { json } from '../support/listener-harness.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { Wire } from '../support/wire.ts';
import { seed, sized } from './full-size.ts';
import { Chooser } from './mutations.ts';

const windowMs = endlessWindowMs;
/** Long enough to do something while a request waits. */
const timeoutMs = 400;

const keepAlive = { headers: { Connection: 'keep-alive' } };

/** Clients on kept connections to all nodes, each asking until `isOver`. */
async function ask(nodes: readonly ClusterNode[], keys: readonly string[], history: History, isOver: () => boolean) {
  const client = async (number: number) => {
    const { api } = nodes[number % nodes.length]!;
    const random = new Chooser(seededRandomness(seed + number));
    let wire = await Wire.open(api.port);
    while (!isOver()) {
      const key = random.of(keys);
      const path = random.of(['/v1/time', '/v1/status', '/v1/nothing']);
      const sentAtMs = systemClock.now();
      const response = await wire.ask(api.requestText(path, { key, ...keepAlive }));
      api.validate('GET', path, response);
      const asked = { client: `client ${number} as ${key}`, key, path, sentAtMs, answeredAtMs: systemClock.now() };
      history.observe(observationOf(asked, response));
      if (wire.isClosed) wire = await Wire.open(api.port);
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: 12 }, (_, number) => client(number)));
}

test(
  `what clients of three nodes with clocks 30 s apart see is one consistent history (fault rows 23, 24, 26 and 28, seed ${seed})`,
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const nodes: ClusterNode[] = [];
    for (const skewMs of [0, 30_000, -30_000]) nodes.push(await ClusterNode.start(t, redis, { skewMs }));
    const keys = [0, 1, 2].map(
      (number) => nodes.map(({ api }) => api.addKey({ limitPerMinute: [7, 60, 400][number]! }))[0]!,
    );
    const history = new History();
    const endMs = performance.now() + sized(2_000, 130_000);
    await ask(nodes, keys, history, () => performance.now() > endMs && history.observed > 1_000);
    assert.deepEqual(history.finish(), []);
    t.diagnostic(`${history.observed} answers`);
    for (const { limits } of nodes) assert.equal(limits.figures().countedAlone, 0);
  },
);

test(
  'while the server is killed and comes back again and again, no answer is a 500 and no key gets more than its limit from each node (fault rows 29 and 49)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const nodes: ClusterNode[] = [];
    for (let count = 0; count < 3; count++) nodes.push(await ClusterNode.start(t, redis, { windowMs }));
    const keys = Array.from({ length: 60 }, () => nodes.map(({ api }) => api.addKey())[0]!);
    let over = false;
    const sent = new Map(keys.map((key) => [key, 0]));
    const admitted = new Map(keys.map((key) => [key, 0]));
    const client = async (number: number) => {
      const { api } = nodes[number % 3]!;
      const random = new Chooser(seededRandomness(seed + number));
      const wire = await Wire.open(api.port);
      while (!over) {
        const key = random.of(keys);
        const { status } = await wire.ask(api.requestText('/v1/time', { key, ...keepAlive }));
        assert.ok(status === 200 || status === 429, `${status}`);
        sent.set(key, sent.get(key)! + 1);
        if (status === 200) admitted.set(key, admitted.get(key)! + 1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      wire.close();
    };
    const clients = Array.from({ length: 9 }, (_, number) => client(number));
    for (let round = 0; round < sized(3, 50); round++) {
      await redis.kill();
      await eventually('all nodes count alone', () => nodes.every(({ limits }) => !limits.figures().isUp));
      await redis.restart();
      for (const node of nodes) await node.untilUp();
    }
    over = true;
    await Promise.all(clients);
    const wrong = keys.filter((key) => {
      const admittedOfKey = admitted.get(key)!;
      return admittedOfKey > 3 * 60 || admittedOfKey < Math.min(sent.get(key)!, 60);
    });
    assert.deepEqual(wrong, []);
  },
);

test(
  'pipelined requests are answered in their order, exactly the limit of them with 200 (fault row 9)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const { api } = await ClusterNode.start(t, redis, { windowMs });
    const wire = await Wire.open(api.port);
    const responses = await wire.askAll(Array.from({ length: 100 }, () => api.requestText('/v1/time', keepAlive)));
    wire.close();
    assert.deepEqual(
      responses.map(({ status, headers }) => `${status} ${headers['x-ratelimit-remaining']}`),
      Array.from({ length: 100 }, (_, index) => (index < 60 ? `200 ${59 - index}` : '429 0')),
    );
  },
);

test(
  'all nodes name the same end of the window, and the refusal of a key on one holds on the others at once',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const one = await ClusterNode.start(t, redis, { windowMs, skewMs: 45_000, limits: { key: 3 } });
    const other = await ClusterNode.start(t, redis, { windowMs, skewMs: -45_000, limits: { key: 3 } });
    const resets = new Set<string>();
    for (const { api } of [one, other, one, other]) {
      const { headers } = await api.get('/v1/time');
      resets.add(headers['x-ratelimit-reset']!);
    }
    const secondsLeft = () => Math.ceil(Number([...resets][0]) - systemClock.now() / 1000);
    const most = secondsLeft();
    const refused = await other.api.get('/v1/time');
    assert.deepEqual([refused.status, resets.size], [429, 1]);
    const seconds = Number(refused.headers['retry-after']);
    // Never too soon; of the server's time only the earliest that it can be is known, which is a little before.
    assert.ok(seconds >= secondsLeft() && seconds <= most + 1, `${seconds} s, ${most} s left`);
  },
);

test('a refusal that Redis decided is noted of its key', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const { api } = await ClusterNode.start(t, redis, { windowMs, limits: { key: 2 } });
  const wire = await Wire.open(api.port);
  await wire.askAll(Array.from({ length: 5 }, () => api.requestText('/v1/time', keepAlive)));
  wire.close();
  const [breach, ...others] = api.breaches.drain(systemClock.now());
  assert.deepEqual([breach?.refused, breach?.limitPerMinute, others.length], [3, 2, 0]);
});

test(
  'answers arrive while the server is frozen: GET, HEAD, without a key and with a wrong one (fault rows 17 and 29)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const { api, limits } = await ClusterNode.start(t, redis, { windowMs, timeoutMs });
    redis.freeze();
    const [got, head, root, wrong] = await Promise.all([
      api.get('/v1/time'),
      api.get('/v1/time', { method: 'HEAD' }),
      api.get('/', { key: null }),
      api.get('/v1/time', { key: 'wrong' }),
    ]);
    assert.deepEqual([got.status, head.status, root.status, wrong.status], [200, 200, 200, 401]);
    assert.deepEqual([got, head].map(({ headers }) => headers['x-ratelimit-remaining']).sort(), ['58', '59']);
    assert.equal(head.body.length, 0);
    assert.equal(limits.figures().isUp, false);
  },
);

/** A node whose requests wait, as its server is frozen. */
async function waitingNode(t: Parameters<typeof ClusterNode.start>[0]) {
  const redis = await RedisServer.start(t);
  const node = await ClusterNode.start(t, redis, { windowMs, timeoutMs });
  redis.freeze();
  return { redis, node, api: node.api };
}

test(
  'a request that waits is answered while the listener closes, and its connection ends (fault row 48)',
  needsRedis,
  async (t) => {
    const { api } = await waitingNode(t);
    const wire = await Wire.open(api.port);
    const answer = wire.ask(api.requestText('/v1/time', keepAlive));
    await eventually('it is under way', () => api.listener.connectionFigures().open === 1);
    await new Promise((resolve) => setImmediate(resolve));
    const closed = api.listener.close(10_000);
    const { status, headers } = await answer;
    assert.deepEqual([status, headers.connection], [200, 'close']);
    await closed;
  },
);

test(
  'of pipelined requests that wait when the draining begins all are answered, and only the last ends the connection',
  needsRedis,
  async (t) => {
    const { api } = await waitingNode(t);
    const wire = await Wire.open(api.port);
    const answers = wire.askAll(Array.from({ length: 3 }, () => api.requestText('/v1/time', keepAlive)));
    await eventually('they were taken', async () => (await requestsTaken(api.port)) >= 0);
    api.listener.drain();
    const connections = (await answers).map(({ status, headers }) => `${status} ${headers.connection}`);
    assert.deepEqual(connections, ['200 keep-alive', '200 keep-alive', '200 close']);
  },
);

/** An uncounted page, which does not wait: once it is answered, what was sent before has been read. */
async function requestsTaken(port: number): Promise<number> {
  const text = 'GET /errors HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  return (await exchange(port, text, ['GET'])).responses.length;
}

test('a request that waits is answered before what follows it and is no HTTP', needsRedis, async (t) => {
  const { api } = await waitingNode(t);
  for (const [fault, status] of [
    ['GET /v1/time HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['NONSENSE\r\n\r\n', 400],
  ] as const) {
    const wire = await Wire.open(api.port);
    const [good, bad] = await wire.askAll([api.requestText('/v1/time', keepAlive), fault]);
    assert.deepEqual([good!.status, good!.headers.connection], [200, 'keep-alive']);
    assert.deepEqual([bad!.status, bad!.headers.connection], [status, 'close']);
  }
});

test(
  'a request with a body waits and is answered, once, and nothing after it is looked at (fault row 4)',
  needsRedis,
  async (t) => {
    const { api } = await waitingNode(t);
    const head = api.requestText('/v1/time', { headers: { Connection: 'keep-alive', 'Content-Length': '5' } });
    const text = `${head}hello${api.requestText('/v1/time', keepAlive)}garbage`;
    const { responses } = await exchange(api.port, text, ['GET', 'GET']);
    assert.deepEqual(
      responses.map(({ status, headers }) => `${status} ${headers.connection}`),
      ['200 close'],
    );
  },
);

test(
  'a client that goes while its request waits is counted once and harms nobody (fault row 11)',
  needsRedis,
  async (t) => {
    const { api, node, redis } = await waitingNode(t);
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(api.port)));
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.write(api.requestText('/v1/time', keepAlive));
    }
    assert.equal(await requestsTaken(api.port), 1);
    for (const socket of sockets) socket.resetAndDestroy();
    await eventually('they are gone', () => api.listener.connectionFigures().open === 0);
    redis.thaw();
    await node.untilUp();
    const { headers } = await api.get('/v1/time');
    assert.equal(headers['x-ratelimit-remaining'], '39');
    assert.deepEqual(api.logged, []);
  },
);

test(
  'a key that is withdrawn while its request is counted is answered, and nobody else is blamed',
  needsRedis,
  async (t) => {
    const { api } = await waitingNode(t);
    const key = api.addKey({ limitPerMinute: 1 });
    const answers = [api.get('/v1/time', { key }), api.get('/v1/time', { key })];
    assert.equal(await requestsTaken(api.port), 1);
    const { digestOf } = await import('../../src/access/api-key.ts');
    api.directory.remove(digestOf(key));
    const codes = (await Promise.all(answers)).map((answer) => json(answer).code ?? 'OK');
    assert.deepEqual(codes.sort(), ['OK', 'RATE_LIMIT_EXCEEDED']);
    assert.deepEqual(api.breaches.drain(systemClock.now()), []);
  },
);
