import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { type EpochMs, systemClock } from '../ground/clock.ts';
import { decimal } from '../market/samples.testing.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { ReplicatedNode } from './replicated-node.testing.ts';

type Test = Parameters<typeof ReplicatedNode.start>[0];

async function startNodes(t: Test) {
  const redis = await RedisServer.start(t);
  return { redis, leader: await ReplicatedNode.start(t, redis), follower: await ReplicatedNode.start(t, redis) };
}

/** A leader with prices, and a follower that has them. */
async function startPair(t: Test) {
  const nodes = await startNodes(t);
  await nodes.leader.lead(nodes.redis);
  playFeed(nodes.leader);
  nodes.follower.follower.start();
  await alike(nodes.leader, nodes.follower);
  return nodes;
}

const alike = (one: ReplicatedNode, other: ReplicatedNode) =>
  eventually('both publish the same', () => {
    const now = one.clock.now();
    return one.published(now) === other.published(now);
  });

function playFeed(node: ReplicatedNode): void {
  node.list('BTC', 'ETH');
  node.rate('24.50');
  node.tick('BTC', '100.00', '100.10');
  node.tick('ETH', '10.00', '10.10');
  node.feed.referencePricesChanged('BTCEUR' as MarketSymbol, {
    price1hAgo: decimal('99'),
    price24hAgo: undefined,
    price7dAgo: decimal('80'),
  });
}

test(
  'a node that joins late and one that follows from the start publish the leader’s bodies, byte by byte, under the same entity tags',
  needsRedis,
  async (t) => {
    const { redis, leader, follower } = await startNodes(t);
    follower.follower.start();
    await leader.lead(redis);
    playFeed(leader);
    await alike(leader, follower);
    assert.match(leader.published(), /BTCCZK/);
    const late = await ReplicatedNode.start(t, redis);
    late.follower.start();
    await alike(leader, late);
    const random = seededRandomness(7);
    for (let tick = 0; tick < 500; tick++) {
      const cents = Math.floor(random.fraction() * 90) + 10;
      leader.tick(random.fraction() < 0.5 ? 'BTC' : 'ETH', `100.${cents}`, `101.${cents}`);
      if (tick === 200) leader.rate('25.10');
      if (tick === 300) leader.feed.marketChanged('ETHEUR' as MarketSymbol, { status: 'paused' }, leader.clock.now());
      if (tick === 400) leader.feed.feedPathChanged('fallback', leader.clock.now());
      if (tick % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await alike(leader, follower);
    await alike(leader, late);
    assert.equal(late.follower.resyncs, 1, 'the state was taken once');
  },
);

test('a node that misses changes takes the state again', needsRedis, async (t) => {
  const { redis, leader, follower } = await startPair(t);
  await follower.follower.stop();
  leader.tick('BTC', '200.00', '200.10');
  await eventually('it is published', async () =>
    String(await redis.ask('XREVRANGE', '{mdapi}:feed:changes', '+', '-', 'COUNT', '1')).includes('200.00'),
  );
  // The changes that the follower has not read are gone; the leader writes its state within seconds.
  await redis.ask('XTRIM', '{mdapi}:feed:changes', 'MAXLEN', '0');
  leader.tick('ETH', '20.00', '20.10');
  follower.follower.start();
  await eventually('the state', async () => {
    leader.feed.feedCurrent('live', leader.clock.now());
    await new Promise((resolve) => setImmediate(resolve));
    return follower.published().includes('201.11');
  });
  await alike(leader, follower);
});

test('a leader that was superseded is refused, and what it publishes reaches nobody', needsRedis, async (t) => {
  const { redis, leader, follower } = await startPair(t);
  const next = await ReplicatedNode.start(t, redis);
  await next.follower.catchUp();
  await next.lead(redis);
  await alike(next, follower);
  leader.tick('BTC', '999.00', '999.10');
  await eventually('it is refused', () => leader.timesRefused > 0);
  // Another market: what had reached the follower would still be there.
  next.tick('ETH', '300.00', '300.10');
  await alike(next, follower);
  assert.doesNotMatch(String(follower.markets.contents().tickers.get('BTCEUR' as MarketSymbol)!.bid), /999/);
});

test('what a node has newer as it follows again becomes the price of all, once', needsRedis, async (t) => {
  const { redis, leader, follower } = await startPair(t);
  const returning = await ReplicatedNode.start(t, redis);
  await redis.ask('SET', '{mdapi}:feed:offers', 'abc');
  returning.list('BTC', 'ETH');
  for (const { clock } of [leader, follower, returning]) clock.shift(2_000);
  const at = (leader.clock.now() - 500) as EpochMs;
  returning.tick('BTC', '150.00', '150.10', at);
  const theirs = { tickers: leader.markets.contents().tickers, references: [], rates: [] };
  await eventually('the offer replaces what is no offer', async () => {
    returning.publisher.offer(theirs);
    await new Promise((resolve) => setImmediate(resolve));
    return leader.capturedAt('BTCEUR') === at;
  });
  await alike(leader, follower);
  assert.equal(follower.capturedAt('BTCEUR'), at);
  await eventually('no offer is left', async () => (await redis.ask('EXISTS', '{mdapi}:feed:offers')) === 0);
});

test('over a takeover no client of any node sees a ticker or the feed go back in time', needsRedis, async (t) => {
  const { redis, leader, follower } = await startPair(t);
  const third = await ReplicatedNode.start(t, redis);
  third.follower.start();
  await alike(leader, third);
  // The leader serves its own clients something newer, and dies before it publishes that. Time passes first, for each
  // node would date what is ahead of its clock by itself.
  for (const { clock } of [leader, follower, third]) clock.shift(2_000);
  const lastOfLeader = (leader.clock.now() - 1_000) as EpochMs;
  leader.publisher.resign();
  leader.tick('BTC', '150.00', '150.10', lastOfLeader);
  const before = [follower.capturedAt('BTCEUR'), third.capturedAt('BTCEUR')];
  await follower.follower.catchUp();
  await follower.lead(redis);
  leader.follower.start();
  await eventually('the first takes the state of the second', () => leader.follower.resyncs > 0);
  assert.equal(leader.capturedAt('BTCEUR'), lastOfLeader, 'what it served its clients stays');
  assert.ok(follower.capturedAt('BTCEUR') >= before[0]! && third.capturedAt('BTCEUR') >= before[1]!);
  follower.tick('BTC', '160.00', '160.10', (lastOfLeader + 1) as EpochMs);
  await alike(follower, leader);
  await alike(follower, third);
});

test(
  'what a leader has answered with and not published stays as it gives way, and becomes the price of all (fault row 69)',
  needsRedis,
  async (t) => {
    const { redis, leader, follower } = await startPair(t);
    for (const { clock } of [leader, follower]) clock.shift(2_000);
    await follower.follower.stop();
    await follower.lead(redis);
    const at = (leader.clock.now() - 500) as EpochMs;
    leader.tick('BTC', '150.00', '150.10', at);
    leader.position.show();
    leader.publisher.giveWay();
    leader.follower.start();
    await eventually('it has the state of the next', () => leader.follower.resyncs > 0);
    assert.deepEqual([leader.capturedAt('BTCEUR'), leader.feedStatus.lastUpdatedAt], [at, at]);
    await alike(follower, leader);
    assert.deepEqual([follower.capturedAt('BTCEUR'), follower.feedStatus.lastUpdatedAt], [at, at]);
  },
);

test(
  'while the server is away all nodes keep what they have, and afterwards they are alike again',
  needsRedis,
  async (t) => {
    const { redis, leader, follower } = await startPair(t);
    await redis.kill();
    const held = follower.published();
    leader.tick('BTC', '400.00', '400.10');
    await eventually('the follower has noticed', () => follower.logged.length > 0);
    assert.equal(follower.published(), held);
    await redis.restart();
    await eventually('connected', () => leader.connection.isOpen && follower.connection.isOpen);
    // The server has lost the lease with all else: the leader takes it again.
    await leader.lead(redis);
    await alike(leader, follower);
    assert.match(follower.published(), /402\.11/);
  },
);

test('a state from before an operator’s decision takes nothing of it back', needsRedis, async (t) => {
  const { leader, follower } = await startPair(t);
  await follower.follower.stop();
  const decided = [
    { symbol: 'BTCEUR' as MarketSymbol, operatorPaused: true, delistedAt: undefined },
    { symbol: 'ETHCZK' as MarketSymbol, operatorPaused: false, delistedAt: follower.clock.now() },
  ];
  follower.markets.applyControls(decided);
  follower.follower.start();
  await eventually('the state is taken again', () => follower.follower.resyncs === 2);
  const statuses = decided.map(({ symbol }) => follower.markets.catalogue.find(symbol)?.status);
  assert.deepEqual(statuses, ['paused', 'delisted']);
  leader.markets.applyControls(decided);
  await alike(leader, follower);
});

test('an entry in Redis that is no state or change is ignored', needsRedis, async (t) => {
  const { redis, follower } = await startNodes(t);
  await redis.ask('SET', '{mdapi}:feed:state', '1-0 {"records":[]}');
  follower.follower.start();
  await eventually('it is logged', () => follower.logged.length > 0);
  assert.equal(follower.follower.resyncs, 0);
});

test(
  'the leader tells each second that it lives, and for how long its feed has been silent (fault row 69)',
  needsRedis,
  async (t) => {
    const { leader, follower } = await startPair(t);
    const silentMs = ({ feedStatus, clock }: ReplicatedNode) =>
      feedStatus.sign(clock.now(), clock.monotonicMs()).silentMs;
    const isAlive = () =>
      leader.feedStatus.signOfLife(leader.clock.monotonicMs(), leader.clock.now(), leader.clock.monotonicMs());
    const living = systemClock.every(100, isAlive);
    t.after(() => living.cancel());
    await eventually('its feed lives, though no price comes', () => silentMs(follower) < 2_500);
    living.cancel();
    const { feedStatus, clock } = leader;
    const polledEveryMs = () =>
      follower.feedStatus.sign(follower.clock.now(), follower.clock.monotonicMs()).pollEveryMs;
    feedStatus.source('first').current(false, clock.now(), clock.monotonicMs(), 700);
    feedStatus.source('').lost();
    await eventually('how soon it polls again is known', () => polledEveryMs() === 700);
    await eventually('its feed is silent', () => silentMs(follower) > 5_000);
    const signMs = follower.clock.monotonicMs() - silentMs(follower);
    assert.ok(signMs <= leader.clock.monotonicMs() - silentMs(leader) + 100, 'no later than it was');
  },
);

test('a state alone, of whatever age, is no sign that its leader lives', needsRedis, async (t) => {
  const { redis, leader } = await startPair(t);
  leader.publisher.resign();
  const late = await ReplicatedNode.start(t, redis);
  late.follower.start();
  await eventually('it has the state', () => late.follower.resyncs > 0 && late.feedStatus.lastUpdatedAt !== undefined);
  assert.equal(late.feedStatus.sign(late.clock.now(), late.clock.monotonicMs()).silentMs, Number.POSITIVE_INFINITY);
});

test(
  'a follower that holds an id above those of a server that lost its own takes the state again (fault row 69)',
  needsRedis,
  async (t) => {
    const { redis, leader, follower } = await startPair(t);
    await follower.follower.stop();
    const state = String(await redis.ask('GET', '{mdapi}:feed:state'));
    await redis.ask('SET', '{mdapi}:feed:state', `9999999999999-0${state.slice(state.indexOf(' '))}`);
    follower.follower.start();
    await eventually('it has taken that', () => follower.follower.resyncs === 2);
    leader.tick('BTC', '500.00', '500.10');
    await alike(leader, follower);
  },
);

test('values of another type are replaced, and the leader starts anew (fault row 69)', needsRedis, async (t) => {
  const { redis, leader, follower } = await startPair(t);
  let price = 600;
  for (const key of ['{mdapi}:feed:changes', '{mdapi}:feed:state']) {
    for (const damage of [
      ['DEL', key],
      ['HSET', key, 'a', 'b'],
    ]) {
      await redis.ask('DEL', key);
      await redis.ask(...damage);
      price++;
      leader.tick('BTC', `${price}.00`, `${price}.10`);
      await alike(leader, follower);
    }
  }
});
