import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { MarketState } from '../market/market-state.ts';
import { BoardPosition, noPosition } from './board-position.ts';
import { BoardPublisher, type PublisherParts } from './board-publisher.ts';
import type { Caller } from './redis-calls.ts';

/** A publisher whose Redis answers what a test says, and what it did with its market. */
function publisher(answers: () => unknown) {
  const clock = new FakeClock();
  const events: string[] = [];
  const nothing: MarketState = { tickers: [], references: [], rates: [] };
  const changes: PublisherParts['changes'] = {
    isAny: true,
    next: () => nothing,
    whole: () => nothing,
    lastSign: () => ({ silent: '0', polled: '' }),
    onChange() {},
    takeBack: () => void events.push('takes back'),
    newerThan: () => nothing,
    takeOffered: (text: string) => events.push(`takes ${text}`) > 3,
  };
  const call: Caller = async ([command, key]) => {
    if (command !== 'XADD') return answers();
    events.push(`adds to ${key}`);
  };
  const parts = { call, clock, changes, fence: () => fence, refused() {} };
  let fence: number | undefined;
  const position = new BoardPosition(clock);
  const made = new BoardPublisher({ ...parts, position });
  const lead = (now: number | undefined) => {
    fence = now;
    made.lead();
  };
  return { clock, events, made, lead, position, runOut: () => (fence = undefined) };
}

const offered = 'adds to {mdapi}:feed:offers';

test('a leader that gives way takes back what it did not publish, unless it published nothing yet: what was sent is of long ago then', async () => {
  const { clock, events, made, lead, position } = publisher(() => ['1-0']);
  lead(undefined);
  made.giveWay();
  assert.deepEqual(events.splice(0), [offered]);
  lead(7);
  await clock.advance(20);
  assert.equal(position.isBehind(noPosition), false);
  made.giveWay();
  assert.deepEqual(events, ['takes back', offered], 'and what Redis has refused is offered');
  assert.equal(position.isBehind(noPosition), true, 'of what the other publishes it has nothing yet');
  assert.equal(clock.pendingTimers, 0);
});

test('a leader that gives way keeps what an answer has shown, and offers it to the next', async () => {
  const { clock, events, made, lead, position } = publisher(() => ['1-0']);
  lead(7);
  await clock.advance(20);
  position.show();
  made.giveWay();
  assert.deepEqual(events, [offered]);
});

test('what was shown before the last publication is published, and what is behind a lease that ran out shows nothing', async () => {
  const { clock, events, made, lead, position, runOut } = publisher(() => ['1-0']);
  lead(7);
  position.show();
  await clock.advance(200);
  runOut();
  position.show();
  made.giveWay();
  assert.deepEqual(events, ['takes back', offered]);
});

test('an offer that cannot be taken yet is tried with each publication until it is, and then never again', async () => {
  const offers = [['1-0', 'an offer']];
  const { clock, events, made, lead } = publisher(() => offers.shift() ?? ['2-0']);
  lead(7);
  await clock.advance(10_000);
  assert.deepEqual(events, ['takes an offer', 'takes an offer', 'takes an offer', 'takes an offer']);
  made.resign();
});
