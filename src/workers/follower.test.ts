import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../clock.ts';
import type { MarketEvent } from '../market/market-event.ts';
import { decimal, symbol } from '../market/samples.testing.ts';
import type { AcceptedTicker } from '../market/ticker-acceptance.ts';
import { Broadcast } from './broadcast.ts';
import { Follower } from './follower.ts';

function statusChange(number: number): MarketEvent {
  return { kind: 'marketStatus', symbol: symbol('BTCEUR'), status: 'trading', at: number as EpochMs };
}

function ticker(name: string, bid: number): MarketEvent {
  return { kind: 'ticker', symbol: symbol(name), accepted: { bid: decimal(`${bid}`) } as AcceptedTicker };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A follower in this thread, and the events it applied. */
function follow(broadcast: Broadcast) {
  const { port, origin } = broadcast.subscribe(() => []);
  const applied: MarketEvent[] = [];
  const follower = new Follower(origin, ({ market }) => {
    applied.push(...(JSON.parse(market ?? '[]') as MarketEvent[]));
  });
  return { follower, applied, origin, port, stop: () => broadcast.unsubscribe(port) };
}

test('what was told before is applied by the next look, without a turn of the event loop', async (t) => {
  const broadcast = new Broadcast(new FakeClock());
  const { follower, applied, stop } = follow(broadcast);
  t.after(stop);
  for (let number = 0; number < 50; number++) {
    broadcast.tell(statusChange(number));
    broadcast.tellDraining();
    follower.catchUp();
    assert.deepEqual(applied.at(-1), statusChange(number));
  }
  assert.equal(applied.length, 50);
});

test('a thread that nobody asks takes everything over by itself', async (t) => {
  const broadcast = new Broadcast(new FakeClock());
  const { applied, stop } = follow(broadcast);
  t.after(stop);
  for (let number = 0; number < 10; number++) {
    broadcast.tell(statusChange(number));
    await turn();
  }
  await eventually('all are applied', () => applied.length === 10);
  assert.deepEqual(
    applied,
    Array.from({ length: 10 }, (_, number) => statusChange(number)),
  );
});

test('no thread goes beyond what every thread was sent', async (t) => {
  const broadcast = new Broadcast(new FakeClock());
  const { applied, follower, origin, stop } = follow(broadcast);
  t.after(stop);
  broadcast.tell(statusChange(1));
  await turn();
  // As it is while the hub is still sending the news to others.
  Atomics.sub(origin.newest, 0, 1);
  await turn();
  await turn();
  follower.catchUp();
  assert.deepEqual(applied, []);
  Atomics.add(origin.newest, 0, 1);
  follower.catchUp();
  assert.deepEqual(applied, [statusChange(1)]);
});

test('a state that is given to a new thread is followed by what came after it, and by nothing from before', async (t) => {
  const broadcast = new Broadcast(new FakeClock());
  const first = follow(broadcast);
  t.after(first.stop);
  broadcast.tell(statusChange(1));
  const second = follow(broadcast);
  t.after(second.stop);
  broadcast.tell(statusChange(2));
  await turn();
  first.follower.catchUp();
  second.follower.catchUp();
  assert.deepEqual(first.applied, [statusChange(1), statusChange(2)]);
  assert.deepEqual(second.applied, [statusChange(2)]);
});

test('a thread that falls behind is told the last of each thing, and keeps no others waiting once it hangs', async (t) => {
  const clock = new FakeClock();
  const broadcast = new Broadcast(clock);
  const slow = broadcast.subscribe(() => []);
  const { applied, follower, stop } = follow(broadcast);
  t.after(stop);
  t.after(() => broadcast.unsubscribe(slow.port));
  const tellUpTo = async (from: number, to: number) => {
    for (let number = from; number < to; number++) {
      broadcast.tell(ticker('BTCEUR', number));
      broadcast.tell(ticker('ETHEUR', number));
      await turn();
      await clock.advance(2);
      follower.catchUp();
    }
  };
  await tellUpTo(0, 500);
  const beforeItHangs = applied.length;
  assert.ok(beforeItHangs < 2 * 50, `${beforeItHangs} events`);
  broadcast.tell(statusChange(1));
  await turn();
  await clock.advance(2);
  follower.catchUp();
  assert.deepEqual(applied.slice(-3), [ticker('BTCEUR', 499), ticker('ETHEUR', 499), statusChange(1)]);
  await clock.advance(2_001);
  await tellUpTo(500, 510);
  assert.deepEqual(applied.slice(-2), [ticker('BTCEUR', 509), ticker('ETHEUR', 509)]);
});

test('a thread that cannot take news over does not answer from what it has, and whoever is to end it is told', async (t) => {
  const broadcast = new Broadcast(new FakeClock());
  const { origin, port } = broadcast.subscribe(() => []);
  t.after(() => broadcast.unsubscribe(port));
  const lost: unknown[] = [];
  const unreadable = () => {
    throw new Error('unreadable');
  };
  const follower = new Follower(origin, unreadable, (error) => lost.push(error));
  broadcast.tellDraining();
  assert.throws(() => follower.catchUp(), /unreadable/);
  assert.match(String(lost), /unreadable/);
});
