import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PagedList, readPage, scanPage } from './paging.ts';

/** Numbers from `count` down to 1, as a table read by its place. */
function numbers(count: number) {
  const reads: number[] = [];
  const list: PagedList<number, number> = {
    limit: 3,
    after: undefined,
    async read(after, wanted) {
      reads.push(wanted);
      const from = (after ?? count + 1) - 1;
      return Array.from({ length: Math.max(0, Math.min(wanted, from)) }, (_, index) => from - index);
    },
    positionOf: (number) => number,
  };
  return { list, reads };
}

test('a search gives what it found and continues right behind it', async () => {
  const { list } = numbers(5_000);
  const matches = (number: number) => number % 1_000 === 0;
  assert.deepEqual(await scanPage(list, matches), { items: [5_000, 4_000, 3_000], next: 2_001 });
  assert.deepEqual(await scanPage({ ...list, after: 2_001 }, matches), { items: [2_000, 1_000], next: undefined });
});

test('a search comes back after fifty thousand rows, with what it has and a place to continue from', async () => {
  const { list, reads } = numbers(120_000);
  const seen: unknown[] = [];
  let after: number | undefined;
  do {
    const before = reads.length;
    const { items, next } = await scanPage({ ...list, after }, (number) => number === 7);
    assert.ok(reads.length - before <= 50);
    seen.push(...items);
    after = next;
  } while (after !== undefined);
  assert.deepEqual(seen, [7]);
});

test('a search lets other work run between two steps', async () => {
  const { list } = numbers(10_000);
  let turns = 0;
  const other = () => {
    turns++;
    waiting = setImmediate(other);
  };
  let waiting = setImmediate(other);
  await scanPage(list, () => false);
  clearImmediate(waiting);
  assert.ok(turns > 1);
});

test('a page that ends exactly at the last row has no next one', async () => {
  const { list, reads } = numbers(6);
  assert.deepEqual(await readPage(list), { items: [6, 5, 4], next: 4 });
  assert.deepEqual(await readPage({ ...list, after: 4 }), { items: [3, 2, 1], next: undefined });
  assert.deepEqual(reads, [4, 4]);
});
