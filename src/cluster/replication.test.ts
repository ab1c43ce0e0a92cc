import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RedisModel } from '../../test/simulation/redis-model.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { marketSink } from '../market/feed-target.ts';
import { type MarketState, readState } from '../market/market-state.ts';
import { Markets } from '../market/markets.ts';
import {
  decimal,
  everyEuroMarket,
  pricingPolicy,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { BoardFollower } from './board-follower.ts';
import { BoardPosition, type Position } from './board-position.ts';
import { BoardPublisher, changesKey } from './board-publisher.ts';
import { MarketChanges, positionOf, takeState } from './market-replication.ts';
import { type Caller, readStreamEntries } from './redis-calls.ts';
import { fenceKey, redisLeases } from './redis-lease.ts';

const nothing: MarketState = { tickers: [], references: [], rates: [] };
const spacingMs = 10;
const stateEveryMs = 5_000;

/**
 * Redis, as processes reach it: a read that blocks waits for what comes.
 *
 * @param isLost whether a change is gone, as after a failover
 */
function redisOn(clock: FakeClock, isLost = (_number: number) => false) {
  const model = new RedisModel(clock);
  const call: Caller = async (command) => model.execute(command);
  const read = (command: readonly string[]): unknown => {
    const answer = model.execute(command);
    if (command[0] !== 'XREAD') return answer;
    const left = readStreamEntries(answer).filter(({ fields }) => !isLost(numberIn(fields.state)));
    return left.length === 0 ? null : [[changesKey, left.map(({ id, fields }) => [id, Object.entries(fields).flat()])]];
  };
  const wait: Caller = async (command) => {
    const answer = read(command);
    const block = command.indexOf('BLOCK');
    if (answer !== null || block < 0) return answer;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.after(Number(command[block + 1]), resolve);
    const forget = model.whenGrown(command.at(-2)!, resolve);
    await promise;
    timer.cancel();
    forget();
    return read(command);
  };
  /** All of it is gone but the number of whoever leads, which that one has written again. */
  const lose = (fence: number) => {
    model.flush();
    model.execute(['SET', fenceKey, String(fence)]);
  };
  return { call, wait, lose };
}

/** The number of the publication that a text is of. */
function numberIn(text = ''): number {
  return positionOf(readState(text) ?? nothing).number;
}

function marketOf(clock: FakeClock) {
  const market = { markets: new Markets(pricingPolicy(), everyEuroMarket), feedStatus: new FeedStatus() };
  return { market, feed: marketSink(market, clock), position: new BoardPosition(clock) };
}

/** A process that leads, of which the others follow what its feed says. */
async function leader(clock: FakeClock, call: Caller, refused: () => void = () => assert.fail('it leads')) {
  const { market, feed, position } = marketOf(clock);
  const fence = (await redisLeases(call).acquire('leader', 600_000))!;
  const parts = { call, clock, changes: new MarketChanges(market, clock), fence: () => fence };
  const publisher = new BoardPublisher({ ...parts, refused, position });
  feed.catalogueLoaded(
    ['BTC', 'ETH'].map((base) => upstreamMarket(base)),
    clock.now(),
  );
  publisher.lead();
  const tick = async (base: string, bid: string) => {
    const prices = { bid: decimal(bid), ask: decimal(bid), high24h: decimal(bid), low24h: decimal(bid) };
    feed.tickerReceived(upstreamTicker({ symbol: symbol(`${base}EUR`), ...prices, receivedAt: clock.now() }));
    await clock.advance(2 * spacingMs);
  };
  await clock.advance(spacingMs);
  return { market, position, publisher, fence, tick };
}

/** A process that follows, and its bids. @param took called with the position of each publication that it took */
function follower(
  clock: FakeClock,
  { call, wait }: Readonly<Record<'call' | 'wait', Caller>>,
  took: (at: Position) => void,
) {
  const { market, position } = marketOf(clock);
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, text: string) => warned.push(text) };
  const parts = { ask: call, wait, clock, position, log };
  const made = new BoardFollower({
    ...parts,
    take: (state, aliveMs) => {
      takeState(market, clock, state, aliveMs);
      took(positionOf(state));
      position.follow(positionOf(state));
    },
  });
  const bids = () => ['BTC', 'ETH'].map((base) => market.markets.acceptedTicker(symbol(`${base}EUR`))?.bid);
  const stop = async () => {
    const stopped = made.stop();
    await clock.advance(1_000);
    await stopped;
  };
  return { made, position, bids, warned, stop };
}

test('whoever follows is at the position of each publication that it took, also where it took the whole state', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  const { fence, tick, publisher, position } = await leader(clock, redis.call);
  const [byEarly, byLate]: [Position[], Position[]] = [[], []];
  const early = follower(clock, redis, (at) => byEarly.push(at));
  early.made.start();
  await tick('BTC', '100');
  await tick('ETH', '10');
  await clock.advance(stateEveryMs);
  const late = follower(clock, redis, (at) => byLate.push(at));
  late.made.start();
  await tick('BTC', '101');
  const last = position.current.number;
  const all = Array.from({ length: last }, (_, index) => ({ fence, number: index + 1 }));
  assert.deepEqual(byEarly, all);
  assert.deepEqual(byLate, all.slice(-byLate.length));
  assert.ok(byLate.length > 1 && byLate.length < last, 'from a later state on');
  for (const each of [early, late]) {
    assert.deepEqual([each.bids(), each.position.current], [['101', '10'], position.current]);
    await each.stop();
  }
  publisher.resign();
});

test('whoever has all of one leader goes on with the state of the next', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  const first = await leader(clock, redis.call);
  const { made, bids, position, warned, stop } = follower(clock, redis, () => {});
  made.start();
  await first.tick('BTC', '100');
  first.publisher.resign();
  await clock.advance(600_000);
  const next = await leader(clock, redis.call);
  assert.ok(next.fence > first.fence);
  await next.tick('ETH', '10');
  assert.deepEqual([bids()[1], position.current, warned], ['10', next.position.current, []]);
  await stop();
  next.publisher.resign();
});

test('a change that is missing is never passed over: who was away for longer than changes are kept takes the state, and every change after it', async () => {
  const clock = new FakeClock();
  let lost: number | undefined;
  let isAway = false;
  const redis = redisOn(clock, (number) => number === lost);
  const { tick, publisher, position } = await leader(clock, redis.call);
  const seen: ('state' | number)[] = [];
  const wait: Caller = async (command) => {
    if (isAway) throw new Error('not connected');
    if (command[0] === 'GET') seen.push('state');
    return await redis.wait(command);
  };
  const { made, bids, warned, stop } = follower(clock, { ...redis, wait }, ({ number }) => seen.push(number));
  made.start();
  await tick('BTC', '100');
  assert.equal(seen.at(-1), position.current.number);
  // A read that was begun may still be answered.
  await clock.advance(1_000);
  isAway = true;
  await clock.advance(1_000);
  await tick('BTC', '101');
  lost = position.current.number;
  await tick('ETH', '10');
  await clock.advance(stateEveryMs);
  isAway = false;
  await tick('ETH', '11');
  await clock.advance(1_000);
  assert.deepEqual([bids(), warned.length], [['101', '11'], 1], 'it is said once that nothing can be read');
  const state = seen.lastIndexOf('state');
  assert.ok(Number(seen[state - 1]) < lost && Number(seen[state + 1]) > lost, `${seen}`);
  for (const [index, number] of seen.entries())
    if (number !== 'state') assert.ok([number - 1, 'state'].includes(seen[index - 1]!), `${seen}`);
  await stop();
  publisher.resign();
});

test('whoever meets a change that is missing again and again asks for the state no more than each tenth of a second', async () => {
  const clock = new FakeClock();
  let lost: number | undefined;
  const redis = redisOn(clock, (number) => number === lost);
  const { tick, publisher, position } = await leader(clock, redis.call);
  const { made, bids, stop } = follower(clock, redis, () => {});
  made.start();
  await tick('BTC', '100');
  lost = position.current.number + 1;
  await tick('BTC', '101');
  await tick('ETH', '10');
  assert.deepEqual(bids(), ['100', undefined], 'nothing after it is taken');
  await clock.advance(1_000);
  assert.ok(made.resyncs > 5 && made.resyncs < 15, `${made.resyncs} times`);
  await clock.advance(stateEveryMs);
  assert.deepEqual(bids(), ['101', '10'], 'the leader wrote another state');
  await stop();
  publisher.resign();
});

test('changes that come under lower ids, of a server that lost its own, are found by the state after five seconds', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  const { fence, tick, publisher } = await leader(clock, redis.call);
  const { made, bids, stop } = follower(clock, redis, () => {});
  made.start();
  await tick('BTC', '100');
  redis.lose(fence);
  clock.jump(-3_600_000);
  await tick('BTC', '101');
  await clock.advance(3_000);
  assert.deepEqual(bids(), ['100', undefined]);
  await clock.advance(4_000);
  assert.deepEqual(bids(), ['101', undefined]);
  await stop();
  publisher.resign();
});

test('whoever is to lead takes all that was published before, however much that is', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  const { tick, publisher, position: last } = await leader(clock, redis.call);
  const { made, bids, position, stop } = follower(clock, redis, () => {});
  made.start();
  await tick('BTC', '100');
  await stop();
  for (let bid = 101; bid <= 550; bid++) await tick('BTC', String(bid));
  assert.deepEqual(bids(), ['100', undefined]);
  await made.catchUp();
  assert.deepEqual([bids(), position.current, made.resyncs], [['550', undefined], last.current, 1]);
  publisher.resign();
});

test('answers to questions that overlap, because an answer waits for a change, are taken once and in order', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  const { tick, publisher, position: ahead } = await leader(clock, redis.call);
  const seen: number[] = [];
  let asked = 0;
  const wait: Caller = async (command) => {
    asked++;
    const answer = await redis.wait(command);
    await new Promise<void>((passed) => clock.after(100, passed));
    return answer;
  };
  const { made, position, stop } = follower(clock, { ...redis, wait }, ({ number }) => seen.push(number));
  made.start();
  await clock.advance(500);
  for (const bid of ['100', '101', '102']) {
    await tick('BTC', bid);
    asked = 0;
    const reached = position.reach(ahead.current);
    await clock.advance(200);
    assert.equal(await reached, true);
    assert.ok(asked > 3, `${asked} questions`);
  }
  assert.deepEqual([seen, made.resyncs], [[1, 2, 3, 4], 1]);
  await stop();
  publisher.resign();
});

/** Publications, by what of them the script was told. */
function publications(call: Caller) {
  const sent: { readonly isAnew: boolean; readonly hasState: boolean }[] = [];
  const noting: Caller = (command) => {
    const [name, , keys, ...rest] = command;
    const [, anew, , whole] = rest.slice(Number(keys));
    if (name === 'EVALSHA' && rest.includes(changesKey)) sent.push({ isAnew: anew === '1', hasState: whole !== '' });
    return call(command);
  };
  return { sent, noting };
}

test('a leader whose market stands still says each second that it lives, and writes its whole state each five', async () => {
  const clock = new FakeClock();
  const { sent, noting } = publications(redisOn(clock).call);
  const { publisher } = await leader(clock, noting);
  sent.length = 0;
  await clock.advance(21_000);
  assert.ok(sent.length >= 19 && sent.length <= 21, `${sent.length} publications`);
  assert.deepEqual([sent.filter(({ hasState }) => hasState).length, sent.some(({ isAnew }) => isAnew)], [4, false]);
  publisher.resign();
  await clock.advance(5_000);
  assert.ok(sent.length <= 21, 'and no more once it does not lead');
  assert.equal(clock.pendingTimers, 0);
});

test('what could not be published is made good by the whole state, half a second later', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  let isFailing = false;
  const { sent, noting } = publications(async (command) => {
    if (isFailing) throw new Error('not connected');
    return await redis.call(command);
  });
  const { tick, publisher } = await leader(clock, noting);
  const { made, bids, stop } = follower(clock, redis, () => {});
  made.start();
  await tick('BTC', '100');
  isFailing = true;
  sent.length = 0;
  await tick('BTC', '101');
  isFailing = false;
  await clock.advance(400);
  assert.deepEqual([sent.length, bids()], [1, ['100', undefined]], 'it is not tried again at once');
  await clock.advance(200);
  assert.deepEqual([sent[1], bids()], [{ isAnew: true, hasState: true }, ['101', undefined]]);
  await stop();
  publisher.resign();
});

test('a leader that another has followed is told so by what it publishes, and changes nothing for those who follow', async () => {
  const clock = new FakeClock();
  const redis = redisOn(clock);
  let refused = 0;
  const old = await leader(clock, redis.call, () => refused++);
  await clock.advance(600_000);
  assert.equal(refused, 0);
  const next = await leader(clock, redis.call);
  const { made, bids, stop } = follower(clock, redis, () => {});
  made.start();
  await next.tick('BTC', '100');
  await old.tick('BTC', '99');
  assert.ok(refused > 0);
  assert.deepEqual(bids(), ['100', undefined]);
  await stop();
  for (const { publisher } of [old, next]) publisher.resign();
});
