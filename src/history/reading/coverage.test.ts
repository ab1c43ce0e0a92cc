import assert from 'node:assert/strict';
import type { EpochMs } from '../../ground/clock.ts';
import { recordTest } from '../record/record.testing.ts';
import { prune } from '../segment/retention.ts';
import { twoProcesses } from './coverage.testing.ts';

recordTest(
  'after the process that made the prices has died for good, each price of before and after is found, once (fault row 78)',
  async (t) => {
    const { clock, leader, follower, running, published, questions, pass, bidAt, quotes } = await twoProcesses(t);
    await pass(100);
    leader.kill();
    leader.loseMachine();
    running.delete(leader);
    await pass(3, follower, []);
    follower.publish(true);
    await pass(100, follower, []);
    const wrong: unknown[] = [];
    for (const { at, bid } of published) {
      const found = await bidAt(at + 10);
      if (found !== bid) wrong.push([at - published[0]!.at, bid, found]);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(
      await quotes(),
      published.map(({ bid }) => bid),
    );
    const from = published[0]!.at;
    const { candles, gaps } = await questions.candles('BTCEUR', { from, to: clock.now() }, 60_000);
    assert.deepEqual(gaps, [], 'another had the prices');
    const changes = candles.reduce((sum, candle) => sum + candle.changes, 0);
    assert.equal(changes, published.length, 'each change is in a candle');
  },
);

recordTest(
  'a rolling restart leaves no gap and no doubled price, although each process begins without any',
  async (t) => {
    const { leader, follower, running, published, questions, pass, quotes } = await twoProcesses(t);
    await pass(5);
    await leader.stop();
    running.delete(leader);
    await pass(2, follower, []);
    follower.publish(true);
    await pass(2, follower, []);
    await leader.begin();
    running.add(leader);
    await pass(3, follower, [leader]);
    await follower.stop();
    running.delete(follower);
    await pass(2, leader, []);
    leader.publish(true);
    await pass(2, leader, []);
    await follower.begin();
    running.add(follower);
    await pass(70, leader, [follower]);
    assert.deepEqual(
      await quotes(),
      published.map(({ bid }) => bid),
    );
    assert.deepEqual((await questions.summary()).gaps, []);
    const halves = published.map(({ at }) => ({ from: at, to: (at + 1_000) as EpochMs, limit: 10 }));
    for (const [index, span] of halves.entries()) {
      const { rows } = await questions.quotes('BTCEUR', span);
      assert.deepEqual(
        rows.flatMap(({ quote }) => quote?.bid ?? []),
        [published[index]!.bid],
        `second ${index}`,
      );
    }
  },
);

recordTest(
  'a process that is silent for 30 s is a gap from its last sign until it is back (fault row 78)',
  async (t) => {
    const { clock, leader, follower, running, questions, pass } = await twoProcesses(t);
    await pass(10);
    leader.kill();
    running.delete(leader);
    const killedAt = clock.now();
    await pass(29, follower, []);
    assert.deepEqual((await questions.summary()).gaps, []);
    await pass(5, follower, []);
    const [gap, ...others] = (await questions.summary()).gaps;
    assert.deepEqual([gap?.reason, gap?.to, others], ['silent', undefined, []]);
    assert.ok(gap!.from <= killedAt && gap!.from > killedAt - 5_000, `${killedAt - gap!.from} ms before`);
    await leader.begin();
    running.add(leader);
    await pass(5, follower, [leader]);
    const { gaps } = await questions.summary();
    assert.deepEqual(
      gaps.map(({ reason }) => reason),
      ['killed'],
    );
  },
);

recordTest(
  'the last sign of a process that died for good goes with what it belongs to, unless a hold spares it',
  async (t) => {
    const { clock, leader, follower, running, questions, pass, bidAt } = await twoProcesses(t);
    await pass(70);
    leader.kill();
    leader.loseMachine();
    running.delete(leader);
    const diedAt = clock.now();
    await pass(70, follower, []);
    const { store } = follower;
    const left = async () => [(await store.signs())!.length, ((await store.journal?.(leader.chain))?.length ?? 0) > 0];
    const before = [2, store.journal !== undefined];
    assert.deepEqual(await left(), before);
    assert.deepEqual(follower.silent(), [leader.chain]);
    const held = { from: (diedAt - 60_000) as EpochMs, to: diedAt, reason: 'complaint 4711' };
    const id = await store.addHold(held);
    await prune(store, clock.now());
    assert.deepEqual(await left(), before);
    await store.releaseHold(id);
    await prune(store, (diedAt - 60_000) as EpochMs);
    assert.deepEqual(await left(), before);
    await prune(store, (clock.now() - 10_000) as EpochMs);
    assert.deepEqual(await left(), [1, false]);
    await pass(5, follower, []);
    assert.deepEqual([(await questions.summary()).gaps, follower.silent()], [[], []]);
    await follower.stop();
    clock.jump(1_000);
    assert.equal(await bidAt(clock.now()), 'not_recorded', 'its last row is its end');
  },
);

recordTest('of two processes that record, the one that makes the prices says what held', async (t) => {
  const { leader, follower, published, pass, bidsThen } = await twoProcesses(t);
  await pass(3);
  leader.publish(false);
  follower.publish(true);
  // The first goes on without prices.
  await pass(5, follower, []);
  assert.deepEqual(
    await bidsThen(),
    published.map(({ bid }) => bid),
  );
});

/** The first stands still for a minute, and the record has what the other had then. */
async function standsStill(two: Awaited<ReturnType<typeof twoProcesses>>): Promise<void> {
  const { leader, follower, running, published, pass, bidsThen, quotes } = two;
  running.delete(leader);
  await pass(60, follower, []);
  running.add(leader);
  await pass(3, follower, [leader]);
  const bids = published.map(({ bid }) => bid);
  assert.deepEqual([await bidsThen(), await quotes()], [bids, bids]);
}

recordTest('a process that stood still says nothing of what another published meanwhile', async (t) => {
  const two = await twoProcesses(t);
  const { leader, follower, pass } = two;
  await pass(3);
  // Both make prices, as where Redis is split between them, and the one that began last stands still.
  follower.publish(true);
  await pass(1, follower, [leader]);
  leader.publish(false);
  leader.publish(true);
  await pass(2, leader, [follower]);
  await standsStill(two);
});

recordTest('nor of what another had that says of itself only that it follows', async (t) => {
  const two = await twoProcesses(t);
  await two.pass(3);
  // The other leads, but its feed is silent, and only a cache answers.
  await standsStill(two);
});

recordTest('a process on a feed of its own says what held only where no other makes the prices for all', async (t) => {
  const { leader, follower, published, pass, bidsThen } = await twoProcesses(t);
  await pass(3);
  follower.publish('alone');
  await pass(3, leader, []);
  leader.publish(false);
  await pass(3, follower, []);
  assert.deepEqual(
    await bidsThen(),
    published.map(({ bid }) => bid),
  );
});
