import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { LimitingNode, type NodeOptions, Tally } from './limiting-node.testing.ts';

type Test = Parameters<typeof LimitingNode.start>[0];

/** No test sees the end of such a window: the current one began in 1970 and ends in 2033. */
const windowMs = 2_000_000_000_000;

async function startNodes(t: Test, redis: RedisServer, ...options: NodeOptions[]): Promise<LimitingNode[]> {
  const nodes = options.map((each) => LimitingNode.start(t, redis, each));
  await eventually('all nodes count in Redis', () => nodes.every(({ isUp }) => isUp));
  return nodes;
}

/** Requests of several keys from all nodes at once, until the time is over. Gives a tally per key. */
async function hammer(nodes: readonly LimitingNode[], keys: number, durationMs: number, limit?: number) {
  const tallies = Array.from({ length: keys }, () => new Tally());
  const endMs = performance.now() + durationMs;
  const client = async (node: LimitingNode, number: number) => {
    for (let asked = 0; performance.now() < endMs; asked++) {
      const key = (number + asked) % keys;
      tallies[key]!.add(await node.take(key, limit));
      if (asked % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(nodes.flatMap((node) => Array.from({ length: 8 }, (_, number) => client(node, number))));
  return tallies;
}

test(
  'three nodes whose clocks disagree admit exactly the limit per key and window, also where windows meet (fault rows 23, 24 and 26)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const short = { windowMs: 1000 };
    const nodes = await startNodes(t, redis, short, { ...short, skewMs: 30_000 }, { ...short, skewMs: -30_000 });
    const tallies = await hammer(nodes, 5, 4500, 50);
    assert.deepEqual(
      tallies.flatMap((tally) => tally.faults(50)),
      [],
    );
    assert.ok(
      tallies.every(({ windows }) => windows.length >= 4),
      'several windows were seen',
    );
    for (const { limits } of nodes) {
      assert.equal(limits.figures().countedAlone, 0);
      assert.equal(limits.figures().fallbacks, 0);
    }
    assert.deepEqual(
      nodes.map(({ limits }) => Math.round(limits.figures().clockSkewMs! / 1000) + 0),
      [0, 30, -30],
    );
  },
);

test(
  'requests below the limit are all admitted, by any node, each with a smaller Remaining than the one before',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const nodes = await startNodes(t, redis, {}, {}, {});
    const seen: number[] = [];
    const resets = new Set<number>();
    for (let asked = 0; asked < 45; asked++) {
      const { remaining, resetSeconds, allowed } = await nodes[asked % 3]!.take();
      assert.ok(allowed);
      if (!resets.has(resetSeconds)) seen.length = 0;
      assert.ok(seen.length === 0 || remaining === seen.at(-1)! - 1, `${remaining} after ${seen.at(-1)}`);
      seen.push(remaining);
      resets.add(resetSeconds);
    }
    assert.ok([...resets].every((reset) => reset % 60 === 0));
  },
);

test('a burst right after the start of several nodes is admitted once', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const nodes = [1, 2, 3].map(() => LimitingNode.idle(t, redis, { windowMs }));
  const tally = new Tally();
  await Promise.all(
    nodes.map(async (node) => {
      await node.limits.start();
      for (const decision of await Promise.all(Array.from({ length: 100 }, () => node.take()))) tally.add(decision);
    }),
  );
  assert.deepEqual(tally.faults(60), []);
});

test(
  'what a node admitted alone before the first answer counts on the server, however the clocks disagree',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    for (const skewMs of [0, windowMs, -windowMs / 4]) {
      const node = LimitingNode.idle(t, redis, { windowMs, skewMs });
      const slot = 1 + Math.abs(skewMs);
      for (let asked = 0; asked < 60; asked++) assert.ok((await node.take(slot)).allowed);
      await node.limits.start();
      await eventually('it counts in Redis', () => node.isUp);
      assert.equal((await node.take(slot)).allowed, false, `skew ${skewMs}`);
    }
  },
);

test('each of the three counters counts by itself, and a key by its own limit', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const [node] = await startNodes(t, redis, { windowMs, figures: { key: 4, address: 3, failedAuthentication: 2 } });
  const admitted = async (take: () => Promise<{ allowed: boolean }>) => {
    const taken = await Promise.all(Array.from({ length: 9 }, take));
    return taken.filter(({ allowed }) => allowed).length;
  };
  assert.equal(await admitted(() => node!.takeForFailure('192.0.2.1')), 2);
  assert.equal(await admitted(() => node!.takeForAddress('192.0.2.1')), 3);
  assert.equal(await admitted(() => node!.takeForAddress('2001:db8::/64')), 3);
  assert.equal(await admitted(() => node!.take(1)), 4);
  assert.equal(await admitted(() => node!.take(2, 7)), 7);
  assert.equal(await admitted(() => node!.take(1, 6)), 2, 'a limit that was raised admits the rest at once');
});

test(
  'all counters carry one hash tag, name no key’s text, and end by themselves within two windows (fault row 27)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const [node] = await startNodes(t, redis, {});
    await Promise.all([node!.take(), node!.takeForAddress('192.0.2.1'), node!.takeForFailure('2001:db8::/64')]);
    const names = (await redis.ask('KEYS', '*')) as string[];
    assert.deepEqual(names.sort(), [
      '{mdapi}:limit:address:192.0.2.1',
      '{mdapi}:limit:failure:2001:db8::/64',
      '{mdapi}:limit:key:key_1',
      '{mdapi}:limit:probe',
    ]);
    for (const name of names) {
      const ttl = Number(await redis.ask('PTTL', name));
      assert.ok(ttl > 0 && ttl <= 120_000, `${name} ends in ${ttl} ms`);
    }
  },
);

test('a counter is right whatever is stored under its name', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const [node] = await startNodes(t, redis, {});
  await redis.ask('RPUSH', '{mdapi}:limit:key:key_1', 'x');
  await redis.ask('SET', '{mdapi}:limit:key:key_2', 'nonsense');
  await redis.ask('SET', '{mdapi}:limit:key:key_3', '99:60');
  for (const slot of [1, 2, 3]) assert.equal((await node!.take(slot)).remaining, 59);
  assert.equal(node!.limits.figures().countedAlone, 0);
});

test(
  'a key that is known to be refused is refused without asking, until its window ends by the server’s clock',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const [node] = await startNodes(t, redis, { windowMs: 1000, skewMs: 7300 });
    const tally = (await hammer([node!], 1, 2500, 5))[0]!;
    assert.deepEqual(tally.faults(5), []);
    assert.ok(tally.windows.length >= 2);
    const { refusedUnasked, countedShared } = node!.limits.figures();
    assert.ok(refusedUnasked > 10 * countedShared, `${refusedUnasked} refused without asking, ${countedShared} asked`);
  },
);

test('a refused client that waits as long as asked is admitted (fault row 25)', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const [node] = await startNodes(t, redis, { windowMs: 1000 });
  for (let round = 0; round < 3; round++) {
    let refused = await node!.take(1, 2);
    while (refused.allowed) refused = await node!.take(1, 2);
    const before = performance.now();
    await eventually('Retry-After has passed', () => performance.now() - before >= refused.retryAfterSeconds * 1000);
    assert.ok((await node!.take(1, 2)).allowed);
  }
});

test('requests of one turn of the event loop go to the server together', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const [node] = await startNodes(t, redis, {});
  await node!.take();
  await redis.ask('CONFIG', 'RESETSTAT');
  const taken = await Promise.all(Array.from({ length: 600 }, (_, slot) => node!.take(slot, 1000)));
  assert.ok(taken.every(({ allowed }) => allowed));
  const stats = String(await redis.ask('INFO', 'commandstats'));
  assert.match(stats, /cmdstat_evalsha:calls=3,/);
});

test(
  'a server that forgets its scripts is sent them again, and no request notices (fault row 29)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const [node] = await startNodes(t, redis, { windowMs });
    assert.ok((await node!.take()).allowed);
    await redis.ask('SCRIPT', 'FLUSH');
    const remaining = await Promise.all([node!.take(), node!.take(), node!.take()]);
    assert.deepEqual(
      remaining.map((decision) => decision.remaining),
      [58, 57, 56],
    );
    assert.equal(node!.limits.figures().countedAlone, 0);
  },
);

test('a server that loses all counts within a window gets the counts that the nodes knew', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const nodes = await startNodes(t, redis, { windowMs }, { windowMs });
  for (let asked = 0; asked < 40; asked++) await nodes[asked % 2]!.take();
  await redis.ask('FLUSHALL');
  let admitted = 40;
  for (let asked = 0; asked < 60; asked++) if ((await nodes[asked % 2]!.take()).allowed) admitted++;
  // The node that is asked first knew of 39 only: one request more than the limit, not forty.
  assert.equal(admitted, 61);
});

test(
  'the server’s clock may step back: the newest window any node knows stays the current one',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const [node] = await startNodes(t, redis, {});
    const { resetSeconds } = await node!.take(1, 5);
    // As a clock that stepped back leaves it: a counter of the next minute.
    await redis.ask('SET', '{mdapi}:limit:key:key_1', `${resetSeconds / 60}:4`, 'PX', '120000');
    const held = await node!.take(1, 5);
    assert.deepEqual([held.allowed, held.remaining, held.resetSeconds], [true, 0, resetSeconds + 60]);
    assert.ok(held.retryAfterSeconds >= 1);
    assert.equal((await node!.take(1, 5)).allowed, false);
    assert.equal((await node!.take(2, 5)).resetSeconds, resetSeconds + 60, 'of the other keys too');
  },
);

test(
  'a key’s newest position is kept with its count, never lowered, and one that is none is ignored and repaired',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const [ahead, behind] = await startNodes(t, redis, { windowMs }, { windowMs });
    const kept = async () => String(await redis.ask('GET', '{mdapi}:limit:key:key_1')).replace(/^0:/, '');
    ahead!.position.follow({ fence: 5, number: 7 });
    behind!.position.follow({ fence: 5, number: 6 });
    await ahead!.take();
    assert.equal(await kept(), '1:5:7');
    assert.ok(ahead!.position.isShown);
    const waiting = behind!.take();
    await eventually('it waits', () => behind!.position.isAwaited);
    behind!.position.follow({ fence: 5, number: 8 });
    assert.ok((await waiting).allowed);
    assert.equal(await kept(), '2:5:8', 'what it answers with is kept before the answer');
    const ttl = Number(await redis.ask('PTTL', '{mdapi}:limit:key:key_1'));
    assert.ok(ttl > 0 && ttl <= 2 * windowMs);
    for (const garbage of [
      '0:2',
      '0:2:x:y',
      '0:2:99999999999999999999:1',
      '0:2:5:99999999999999999999',
      '0:2:5',
      '0:2:::',
    ]) {
      await redis.ask('SET', '{mdapi}:limit:key:key_1', garbage, 'PX', '60000');
      const before = { ...behind!.position.waits };
      assert.ok((await behind!.take()).allowed, garbage);
      assert.match(await kept(), /^\d+:5:8$/, garbage);
      assert.deepEqual(behind!.position.waits, before, garbage);
    }
    await ahead!.takeForAddress('192.0.2.1');
    assert.equal(await redis.ask('GET', '{mdapi}:limit:address:192.0.2.1'), '0:1', 'addresses have none');
    await redis.kill();
    await eventually('each counts alone', () => !ahead!.limits.figures().isUp);
    ahead!.position.follow({ fence: 5, number: 9 });
    assert.ok((await ahead!.take()).allowed);
    assert.ok(ahead!.position.isShown, 'also what nobody counts');
  },
);
