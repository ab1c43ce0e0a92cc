import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { systemClock } from '../ground/clock.ts';
import { FeedLease } from './feed-lease.ts';
import { RedisConnection } from './redis-connection.ts';
import { fenceKey, redisLeases } from './redis-lease.ts';

const leaseKey = '{mdapi}:feed:lease';

type Test = Parameters<typeof RedisServer.start>[0];

async function contender(t: Test, redis: RedisServer, name: string) {
  const connection = new RedisConnection(redis.address, systemClock, seededRandomness(1), {
    opened: () => {},
    lost: () => {},
  });
  connection.start();
  t.after(() => connection.stop());
  await eventually('connected', () => connection.isOpen);
  const store = redisLeases((command) => connection.call(command));
  const events: string[] = [];
  const observer = {
    gained: (fence: number) => events.push(`gained ${fence}`),
    elsewhere: () => events.push('elsewhere'),
    unreachable: (why: string) => events.push(`unreachable: ${why}`),
    failed: (why: string) => events.push(`failed: ${why}`),
  };
  const lease = new FeedLease(store, systemClock, name, observer);
  t.after(() => lease.stop());
  return { connection, store, lease, events };
}

test(
  'of several nodes exactly one holds the lease, and another takes over within five seconds of its death',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const nodes = [await contender(t, redis, 'a'), await contender(t, redis, 'b'), await contender(t, redis, 'c')];
    for (const { lease } of nodes) lease.start();
    const holders = () => nodes.filter(({ lease }) => lease.fence !== undefined);
    await eventually('a holder', () => holders().length === 1);
    const [first] = holders();
    const firstFence = first!.lease.fence!;
    first!.connection.stop();
    const next = await eventually('another holder', () => holders().find((node) => node !== first), 5_000);
    assert.ok(next.lease.fence! > firstFence, 'the fencing number grows');
    assert.equal(first!.lease.fence, undefined);
    await eventually('it knows that nobody can be asked', () =>
      first!.events.at(-1)!.startsWith('unreachable: not connected'),
    );
    assert.ok(first!.events.at(-2)!.startsWith('failed: not connected'), 'the first failure is told');
  },
);

test('a holder that stops gives the lease back at once', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const one = await contender(t, redis, 'a');
  one.lease.start();
  await eventually('a holder', () => one.lease.fence !== undefined);
  await one.lease.stop();
  const other = await contender(t, redis, 'b');
  assert.ok((await other.store.acquire('b', 1000)) !== undefined);
});

test(
  'the fencing number grows also when the server has forgotten it, and a script that is forgotten is sent again',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const { store } = await contender(t, redis, 'a');
    const first = await store.acquire('a', 10_000);
    await redis.ask('FLUSHALL');
    await redis.ask('SCRIPT', 'FLUSH');
    assert.equal(await store.renew('a', first!, 10_000), true, 'nobody has taken what the server lost');
    await redis.ask('FLUSHALL');
    const second = await store.acquire('a', 10_000);
    assert.ok(second! > first!, `${second} after ${first}`);
    // A clock that has stepped back does not make it smaller either.
    await redis.ask('SET', fenceKey, '9000000000000000');
    await store.release('a', second!);
    assert.equal(await store.acquire('a', 10_000), 9_000_000_000_000_001);
  },
);

test('a lease is renewed and released by its holder alone', needsRedis, async (t) => {
  const redis = await RedisServer.start(t);
  const { store } = await contender(t, redis, 'a');
  const fence = (await store.acquire('a', 10_000))!;
  assert.equal(await store.acquire('b', 10_000), undefined);
  assert.equal(await store.renew('b', fence, 10_000), false);
  assert.equal(await store.renew('a', fence - 1, 10_000), false);
  await store.release('b', fence);
  assert.equal(await store.renew('a', fence, 20_000), true);
  assert.ok(Number(await redis.ask('PTTL', '{mdapi}:feed:lease')) > 10_000);
});

test(
  'a lease or a fence that is no such value blocks nobody: it is renewed over it, or taken (fault row 69)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const { store } = await contender(t, redis, 'a');
    let fence = (await store.acquire('a', 10_000))!;
    const damages: readonly (readonly string[])[] = [
      ['SET', fenceKey, 'abc'],
      ['SET', fenceKey, 'inf'],
      ['SET', fenceKey, '-5'],
      ['SET', fenceKey, '99999999999999999999'],
      ['RPUSH', fenceKey, '1'],
      ['SET', leaseKey, 'abc'],
      ['SET', leaseKey, 'b:1'],
      ['HSET', leaseKey, 'a', 'b'],
    ];
    for (const damage of damages) {
      const harm = async () => {
        await redis.ask('DEL', damage[1]!);
        await redis.ask(...damage);
      };
      await harm();
      assert.equal(await store.renew('a', fence, 10_000), true, `renewed after ${damage.join(' ')}`);
      assert.equal(await store.acquire('b', 10_000), undefined, 'and held again');
      assert.equal(await redis.ask('GET', fenceKey), String(fence));
      await store.release('a', fence);
      await harm();
      const next = await store.acquire('a', 10_000);
      assert.ok(next! > fence, `taken after ${damage.join(' ')}: ${next} after ${fence}`);
      fence = next!;
    }
  },
);

test(
  'a holder that asks again gets the next number, and a renewal under an old one is refused',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const { store } = await contender(t, redis, 'a');
    const first = (await store.acquire('a', 10_000))!;
    const second = (await store.acquire('a', 10_000))!;
    assert.ok(second > first);
    assert.equal(await store.renew('a', first, 10_000), false);
  },
);
