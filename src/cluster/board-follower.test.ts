import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { writeState } from '../market/market-state.ts';
import { BoardFollower, type FollowerParts, followerBlockMs } from './board-follower.ts';

/** See `BoardPosition`. */
const answerWaitsMs = 250;

const stateAt = (lastUpdatedAt: number) =>
  writeState({ tickers: [], references: [], rates: [], lastUpdatedAt: lastUpdatedAt as EpochMs });

/** A follower that adds to `taken` when each state it takes was last updated. */
function following(clock: FakeClock, taken: unknown[], reads: Pick<FollowerParts, 'ask' | 'wait'>): BoardFollower {
  return new BoardFollower({
    ...reads,
    clock,
    take: ({ lastUpdatedAt }) => taken.push(lastUpdatedAt),
    position: { isAwaited: false, onWait: () => {}, heard: () => {} },
    log: silentLog,
  });
}

test('what was published until now is taken at once, though a read waits at the server, and what that brings later is not taken', async () => {
  const taken: unknown[] = [];
  const waiting: ((answer: unknown) => void)[] = [];
  const answers: Record<string, unknown> = { GET: `1-0 ${stateAt(1)}`, XREAD: null };
  const clock = new FakeClock();
  const follower = following(clock, taken, {
    ask: async ([name = '']) => answers[name],
    wait: ([name = '']) =>
      name === 'GET' ? Promise.resolve(answers[name]) : new Promise((done) => waiting.push(done)),
  });
  follower.start();
  await clock.advance(0);
  assert.deepEqual([taken.splice(0), waiting.length], [[1], 1]);
  const change = ['before', '1-0', 'anew', '0', 'state', stateAt(2), 'silent', '0'];
  answers.XREAD = [['changes', [['2-0', change]]]];
  const caughtUp = follower.catchUp();
  await clock.advance(0);
  answers.XREAD = null;
  await caughtUp;
  assert.equal(taken[0], 2);
  taken.length = 0;
  waiting[0]!([['changes', [['3-0', ['before', '2-0', 'anew', '0', 'state', stateAt(3), 'silent', '0']]]]]);
  await follower.stop();
  assert.deepEqual(taken, []);
});

test('a read whose connection is lost is begun again soon enough for an answer that waits for what it brings', async () => {
  const clock = new FakeClock();
  const seen: string[] = [];
  let isLost = true;
  const follower = new BoardFollower({
    ask: async () => null,
    async wait([name = '']) {
      seen.push(name);
      if (isLost) throw new Error('not connected');
      return name === 'GET' ? `1-0 ${stateAt(1)}` : new Promise(() => {});
    },
    clock,
    take: ({ lastUpdatedAt }) => seen.push(`takes ${lastUpdatedAt}`),
    position: { isAwaited: false, onWait: () => {}, heard: () => {} },
    log: silentLog,
  });
  follower.start();
  await clock.advance(0);
  assert.deepEqual(seen.splice(0), ['GET']);
  isLost = false;
  await clock.advance(answerWaitsMs / 2);
  assert.deepEqual(seen, ['GET', 'takes 1', 'XREAD']);
});

test('a state that was asked for before it catches up, and comes after, is not taken', async () => {
  const taken: unknown[] = [];
  const late = Promise.withResolvers<unknown>();
  const clock = new FakeClock();
  const follower = following(clock, taken, {
    ask: async ([name = '']) => (name === 'GET' ? `2-0 ${stateAt(2)}` : null),
    wait: () => late.promise,
  });
  follower.start();
  await clock.advance(0);
  await follower.catchUp();
  late.resolve(`1-0 ${stateAt(1)}`);
  await follower.stop();
  assert.deepEqual(taken, [2]);
});

test('a follower that has everything says when it asked for that, and stops saying so once it ends', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const heard: (number | undefined)[] = [];
  const waiting: ((answer: unknown) => void)[] = [];
  const follower = new BoardFollower({
    ask: async () => null,
    wait: async ([name = '']) => (name === 'GET' ? `1-0 ${stateAt(1)}` : new Promise((done) => waiting.push(done))),
    clock,
    take: () => {},
    position: {
      isAwaited: false,
      onWait: () => {},
      heard: ([wallMs, monotonicMs] = [Number.NaN, Number.NaN]) => {
        assert.ok(Number.isNaN(wallMs) || wallMs - startMs === monotonicMs);
        heard.push(monotonicMs);
      },
    },
    log: silentLog,
  });
  follower.start();
  await clock.advance(1_000);
  const entry = (id: number) => [
    `${id}-0`,
    ['before', `${id - 1}-0`, 'anew', '0', 'state', stateAt(id), 'silent', '0'],
  ];
  waiting[0]!([['changes', Array.from({ length: 200 }, (_, index) => entry(index + 2))]]);
  await clock.advance(0);
  await clock.advance(500);
  assert.deepEqual(heard, [], 'there may be more');
  waiting[1]!(null);
  await clock.advance(0);
  assert.deepEqual(heard.splice(0), [1_000]);
  const stopped = follower.stop();
  waiting[2]!(null);
  await stopped;
  assert.deepEqual(heard, [Number.NaN]);
});

test('after a standstill a leader is taken to have lived no later than the answer that waited meanwhile was made', async () => {
  const clock = new FakeClock();
  const alive: (number | undefined)[] = [];
  const waiting: ((answer: unknown) => void)[] = [];
  const follower = new BoardFollower({
    ask: async () => null,
    wait: async ([name = '']) => (name === 'GET' ? `1-0 ${stateAt(1)}` : new Promise((done) => waiting.push(done))),
    clock,
    take: (_, sign) => alive.push(sign?.atMs),
    position: { isAwaited: false, onWait: () => {}, heard: () => {} },
    log: silentLog,
  });
  const answer = async (entries: unknown) => {
    waiting.shift()!(entries);
    await clock.advance(0);
  };
  const change = (id: number) => [
    ['changes', [[`${id}-0`, ['before', `${id - 1}-0`, 'anew', '0', 'state', stateAt(id), 'silent', '40']]]],
  ];
  follower.start();
  await clock.advance(900);
  await answer(null);
  await clock.advance(500);
  await answer(change(2));
  assert.deepEqual(alive.splice(0), [undefined, 860], 'sent after the answer before, which held all there was');
  clock.standStill(200_000);
  await answer(change(3));
  await answer(change(4));
  assert.deepEqual(alive, [1_360, 1_400 + followerBlockMs - 40]);
  const stopped = follower.stop();
  await answer(null);
  await stopped;
});

test('a leader that polls says how soon it does again, and one of an earlier version may within a minute', async () => {
  const clock = new FakeClock();
  const pollsMs: (number | undefined)[] = [];
  const waiting: ((answer: unknown) => void)[] = [];
  const follower = new BoardFollower({
    ask: async () => null,
    wait: async ([name = '']) => (name === 'GET' ? `1-0 ${stateAt(1)}` : new Promise((done) => waiting.push(done))),
    clock,
    take: (_, sign) => pollsMs.push(sign?.pollEveryMs),
    position: { isAwaited: false, onWait: () => {}, heard: () => {} },
    log: silentLog,
  });
  const answer = async (entries: unknown) => {
    waiting.shift()!(entries);
    await clock.advance(0);
  };
  const changeOf = (id: number, state: string, ...polled: readonly string[]) => [
    ['changes', [[`${id}-0`, ['before', `${id - 1}-0`, 'anew', '0', 'state', state, 'silent', '40', ...polled]]]],
  ];
  const change = (id: number, ...polled: readonly string[]) => changeOf(id, stateAt(id), ...polled);
  follower.start();
  await clock.advance(900);
  await answer(null);
  await answer(change(2, 'polled', '20000'));
  await answer(change(3, 'polled', ''));
  await answer(change(4));
  await answer(changeOf(5, writeState({ tickers: [], references: [], rates: [], path: 'fallback' })));
  await answer(changeOf(6, writeState({ tickers: [], references: [], rates: [], path: 'live' })));
  assert.deepEqual(pollsMs, [undefined, 20_000, undefined, undefined, 60_000, undefined]);
  const stopped = follower.stop();
  await answer(null);
  await stopped;
});
