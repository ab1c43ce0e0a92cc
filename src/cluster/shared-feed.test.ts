import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { MarketState } from '../market/market-state.ts';
import { SharedFeed } from './shared-feed.ts';

const nothing: MarketState = { tickers: [], references: [], rates: [] };

/** A process whose lease, follower and feeds a test plays. */
function process(mayFeedAlone = true, caughtUp: Promise<void> | undefined = undefined) {
  const clock = new FakeClock();
  const events: string[] = [];
  const logged: string[] = [];
  let made = 0;
  let fence: number | undefined;
  let isRead = false;
  const log = (_: object, text: string) => logged.push(text);
  const shared = new SharedFeed({
    clock,
    log: { ...silentLog, warn: log, info: log },
    makeFeed() {
      const name = `feed ${++made}`;
      return { start: () => events.push(`${name} starts`), stop: () => void events.push(`${name} stops`) };
    },
    publisher: {
      lead: () => events.push('publishes'),
      resign: () => {},
      giveWay: () => events.push('takes back'),
      offer: ({ lastUpdatedAt }) => events.push(`offers what is newer than ${lastUpdatedAt}`),
    },
    follower: {
      start() {
        assert.ok(!isRead, 'one reader at a time');
        isRead = true;
      },
      async stop() {
        isRead = false;
      },
      async catchUp() {
        isRead = false;
        events.push('catches up');
        if (caughtUp !== undefined) await caughtUp;
      },
    },
    fence: () => fence,
    mayFeedAlone: () => mayFeedAlone,
    take: (state, _sign, isNewer) => events.push(`takes ${state.lastUpdatedAt}${isNewer ? ' as newer' : ''}`),
  });
  const started = shared.start();
  assert.deepEqual(events.splice(0), ['catches up'], 'before it follows');
  const settled = () => clock.advance(0);
  return {
    clock,
    shared,
    started,
    logged,
    get isRead() {
      return isRead;
    },
    send: (at: number, isAlive = true, pollEveryMs?: number) =>
      shared.received(
        { ...nothing, lastUpdatedAt: at as EpochMs },
        isAlive ? { atMs: clock.monotonicMs(), pollEveryMs } : undefined,
      ),
    async gain(number: number) {
      fence = number;
      shared.gained(number);
      await settled();
    },
    async lose(how: 'elsewhere' | 'unreachable') {
      fence = undefined;
      if (how === 'elsewhere') shared.elsewhere();
      else shared.unreachable('not connected');
      await settled();
    },
    /** Takes out what happened since the last look. */
    seen: () => events.splice(0),
  };
}

test('a start is over once what the others published is known, and only then this process follows', async () => {
  const node = process();
  assert.equal(node.isRead, false);
  await node.started;
  assert.equal(node.isRead, true);
});

test('a process that is stopped while it starts does not follow', async () => {
  const caughtUp = Promise.withResolvers<void>();
  const node = process(true, caughtUp.promise);
  await node.shared.stop();
  caughtUp.resolve();
  await node.started;
  assert.equal(node.isRead, false);
});

test('a leader that cannot ask keeps its feed running without a break, and publishes again under a new lease (fault row 69)', async () => {
  const { gain, lose, seen, shared } = process();
  await gain(1);
  assert.deepEqual(seen(), ['catches up', 'publishes', 'feed 1 starts']);
  await lose('unreachable');
  assert.deepEqual([seen(), shared.isAlone, shared.isLeading], [[], true, false]);
  await gain(2);
  assert.deepEqual([seen(), shared.isAlone, shared.isLeading], [['publishes'], false, true]);
});

test('a leader whose place another has taken takes back what it did not publish, ends its feed at once and follows', async () => {
  const node = process();
  await node.gain(1);
  node.seen();
  await node.lose('elsewhere');
  node.send(1);
  assert.deepEqual([node.seen(), node.isRead], [['takes back', 'feed 1 stops', 'takes 1'], true]);
});

test('a follower that cannot ask starts a feed, keeps it ten seconds beside the next leader, offers it what it has newer, and takes what that sent 1.5 s after the end of its own (fault row 69)', async () => {
  const { clock, lose, send, seen, shared } = process();
  send(1);
  await lose('unreachable');
  send(2);
  assert.deepEqual(seen(), ['takes 1', 'feed 1 starts'], 'nothing is taken beside its own feed');
  await lose('elsewhere');
  for (let second = 1; second <= 10; second++) {
    await clock.advance(999);
    send(second);
    if (second < 10) assert.deepEqual([seen(), shared.isAlone], [[], true]);
    await clock.advance(1);
  }
  assert.deepEqual([seen(), shared.isAlone], [['feed 1 stops', 'offers what is newer than 10'], true]);
  send(20);
  await clock.advance(1_499);
  assert.deepEqual([seen(), shared.isAlone], [[], true], 'the leader takes what was offered, and publishes that');
  await clock.advance(1);
  send(21);
  assert.deepEqual([seen(), shared.isAlone], [['takes 20 as newer', 'takes 21'], false]);
});

test('a leader that polls every twenty seconds, and was heard within these, is fed', async () => {
  for (const [pollEveryMs, isFed] of [
    [20_000, true],
    [undefined, false],
  ] as const) {
    const { clock, lose, send, seen, shared } = process();
    await lose('unreachable');
    await lose('elsewhere');
    send(1, true, pollEveryMs);
    await clock.advance(12_000);
    assert.equal(seen().includes('feed 1 stops'), isFed);
    assert.equal(shared.isAlone, !isFed);
  }
});

test('what is sent before a process knows that another leads again is not lost: it begins with the whole state then', async () => {
  const node = process();
  await node.started;
  assert.ok(node.isRead);
  await node.lose('unreachable');
  assert.ok(!node.isRead, 'a change that came now would not be taken, and never come again');
  await node.lose('elsewhere');
  assert.ok(node.isRead);
});

test('a feed of its own does not end before the next leader proves that it is fed', async () => {
  const { clock, lose, send, seen, shared } = process();
  await lose('unreachable');
  await lose('elsewhere');
  seen();
  send(1, false);
  await clock.advance(60_000);
  assert.deepEqual([seen(), shared.isAlone], [[], true]);
  send(2);
  await clock.advance(3_000);
  assert.deepEqual(
    [seen(), shared.isAlone],
    [['feed 1 stops', 'offers what is newer than 2', 'takes 2 as newer'], false],
  );
});

test('a Redis that comes and goes for an hour starts no more than five feeds a minute (fault row 69)', async () => {
  const { clock, lose, send, seen } = process();
  let begunMs: number[] = [];
  const downMs = 2_000;
  for (let upMs = 500; upMs < 13_000; upMs += 250) {
    for (let round = 0; round < 10; round++) {
      await lose('unreachable');
      await clock.advance(downMs);
      await lose('elsewhere');
      for (let ms = 0; ms < upMs; ms += 250) {
        send(ms);
        await clock.advance(250);
      }
      if (seen().some((event) => event.endsWith('starts'))) begunMs.push(clock.monotonicMs());
      begunMs = begunMs.filter((ms) => clock.monotonicMs() - ms < 60_000);
      assert.ok(begunMs.length <= 5, `${begunMs.length} in a minute, ${upMs} ms up`);
    }
  }
});

test('a process that can have no feed of its own goes on following, and a leader among them keeps the feed that it has', async () => {
  const follower = process(false);
  await follower.lose('unreachable');
  follower.send(1);
  assert.deepEqual([follower.seen(), follower.shared.isAlone], [['takes 1'], false]);
  const leader = process(false);
  await leader.gain(1);
  leader.seen();
  await leader.lose('unreachable');
  assert.deepEqual([leader.seen(), leader.shared.isFeeding], [[], true]);
});

test('a process that stops ends its feed, whatever it was about to do', async () => {
  const { lose, shared, seen, clock } = process();
  await lose('unreachable');
  await lose('elsewhere');
  shared.unreachable('not connected');
  await shared.stop();
  await clock.advance(60_000);
  assert.deepEqual(seen(), ['feed 1 starts', 'feed 1 stops']);
  assert.equal(clock.pendingTimers, 0);
  assert.equal(shared.isFeeding, false);
});
