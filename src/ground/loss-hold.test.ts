import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LossHold, lossesToHold, nothing, someEntries, someMarkets } from './loss-hold.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test('what vanishes is held when it is more than plausible and nobody explained it, and from then on all of it', () => {
  const table = [
    // of, vanished, explained, rule, already holding, held
    [100, 10, 0, someEntries, false, 0],
    [100, 11, 0, someEntries, false, 11],
    [1_000, 100, 0, someEntries, false, 0],
    [1_000, 101, 0, someEntries, false, 101],
    [12, 12, 2, someEntries, false, 0],
    [13, 13, 2, someEntries, false, 11],
    [100, 1, 0, someEntries, true, 1],
    [100, 1, 1, someEntries, true, 0],
    [100, 10, 0, someMarkets, false, 0],
    [100, 11, 0, someMarkets, false, 11],
    [9, 1, 0, someMarkets, false, 1],
    [1_000, 1, 0, nothing, false, 1],
    [1_000, 0, 0, nothing, false, 0],
  ] as const;
  for (const [of, vanished, explained, rule, isHolding, held] of table) {
    const found = lossesToHold(names(vanished), of, new Set(names(explained)), rule, isHolding);
    assert.equal(found.length, held, `${vanished} of ${of}, ${explained} explained`);
  }
});

const rows = (count: number, from = 0) => names(count).map((_, index) => ({ id: String(from + index), ends: index }));
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);
const always = () => true;

test('rows that vanish in a mass stay in service until they are back, explained one by one, or given up', async () => {
  const explained = new Set<string>();
  const hold = new LossHold(someEntries, async () => explained);
  await hold.take(rows(20), always);
  assert.equal((await hold.take([], always)).length, 20);
  assert.equal(hold.held, 20);
  explained.add('3');
  assert.equal((await hold.take([], always)).length, 19, 'one that was taken away on purpose goes');
  assert.deepEqual(ids(await hold.take(rows(5), always)).slice(0, 5), ['0', '1', '2', '3', '4']);
  assert.equal(hold.held, 15);
  assert.equal((await hold.take(rows(20), always)).length, 20);
  assert.equal(hold.held, 0);
  await hold.take([], always);
  hold.release();
  assert.deepEqual(await hold.take([], always), []);
  assert.equal(hold.held, 0);
});

test('a few rows may go, unless more of the same source is held back; a row that is over is no loss', async () => {
  const hold = new LossHold<ReturnType<typeof rows>[number]>(someEntries, async () => new Set());
  await hold.take(rows(20), always);
  assert.equal((await hold.take(rows(15), always)).length, 15);
  assert.equal((await hold.take(rows(14), always, true)).length, 15);
  assert.equal((await hold.take(rows(10), ({ ends }) => ends < 10)).length, 10);
  assert.equal(hold.held, 0);
});
