import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { DigestTable, grown } from './digest-table.ts';

/** Places of a table that has not grown. */
const placesBegun = 2_048;

/** A digest that belongs at a place, told apart by a number. */
function digestAt(place: number, number: number): Uint8Array {
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  view.setUint32(0, place);
  view.setUint32(28, number);
  return digest;
}

test('digests that belong at neighbouring places are all found after any of them went, also around the end of the table', () => {
  for (const first of [100, placesBegun - 3]) {
    for (let seed = 1; seed <= 20; seed++) {
      const { fraction } = seededRandomness(seed);
      const table = new DigestTable();
      const held = new Map<number, { readonly digest: Uint8Array; readonly slot: number }>();
      for (let step = 0; step < 200; step++) {
        const number = Math.floor(fraction() * 12);
        const digest = digestAt((first + (number % 6)) % placesBegun, number);
        const known = held.get(number);
        if (known === undefined) held.set(number, { digest, slot: table.add(digest) });
        else {
          table.remove(known.slot);
          held.delete(number);
          assert.equal(table.find(digest), 0, `seed ${seed}`);
        }
        for (const { digest: other, slot } of held.values()) assert.equal(table.find(other), slot, `seed ${seed}`);
        assert.equal(table.size, held.size);
      }
    }
  }
});

test('two digests that differ in any one byte are two', () => {
  for (let index = 0; index < 32; index++) {
    const table = new DigestTable();
    const digest = new Uint8Array(32).fill(7);
    const slot = table.add(digest);
    const other = digest.slice();
    other[index] = 8;
    assert.equal(table.find(other), 0, `byte ${index}`);
    assert.equal(table.find(digest), slot);
    assert.equal(table.find(Buffer.from(digest).toString('latin1')), slot, 'as text too');
    assert.equal(table.find(Buffer.from(other).toString('latin1')), 0, `byte ${index} of the text`);
  }
});

test('slots start at 1, the last that was freed is used again first, and each in use is listed once', () => {
  const table = new DigestTable();
  const slots = [1, 2, 3].map((number) => table.add(digestAt(number * 50, number)));
  assert.deepEqual(slots, [1, 2, 3]);
  table.remove(1);
  table.remove(3);
  assert.deepEqual([...table.slots()], [2]);
  assert.deepEqual(
    [4, 5, 6].map((number) => table.add(digestAt(number * 50, number))),
    [3, 1, 4],
  );
  assert.deepEqual([...table.slots()].sort(), [1, 2, 3, 4]);
});

test('a table that grows keeps every digest and its slot, and one with room reserved does not move them', () => {
  const table = new DigestTable();
  const digests = Array.from({ length: 5_000 }, (_, number) => digestAt(number * 7_919, number));
  const slots = digests.map((digest) => table.add(digest));
  assert.deepEqual(
    digests.map((digest) => table.find(digest)),
    slots,
  );
  table.reserve(100_000);
  assert.deepEqual(
    digests.map((digest) => table.find(digest)),
    slots,
  );
  assert.equal(table.size, 5_000);
  assert.equal([...table.slots()].length, 5_000);
});

test('a column grows to twice its length at least, with what it held', () => {
  const column = Uint32Array.of(1, 2, 3);
  assert.equal(grown(column, 3), column);
  assert.deepEqual(grown(column, 4), Uint32Array.of(1, 2, 3, 0, 0, 0));
  assert.equal(grown(column, 100).length, 100);
});
