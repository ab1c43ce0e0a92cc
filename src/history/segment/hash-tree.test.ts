import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { leafOf, pathOf, treeOf } from './hash-tree.ts';
import { sha256 } from './segment.ts';

const rootOf = (some: readonly string[]) => treeOf(some).at(-1)!;
const leaves = (count: number) => Array.from({ length: count }, (_, place) => leafOf(String(place)));
const bytesOf = (some: readonly string[]) => some.map((leaf) => Buffer.from(leaf, 'latin1'));

/** The root as RFC 6962, section 2.1, defines it. */
function defined(some: readonly Buffer[]): Buffer {
  if (some.length === 1) return some[0]!;
  const half = 2 ** Math.ceil(Math.log2(some.length) - 1);
  return sha256(Buffer.of(1), defined(some.slice(0, half)), defined(some.slice(half)));
}

/** The audit path as section 2.1.1 defines it. */
function definedPath(some: readonly Buffer[], place: number): Buffer[] {
  if (some.length === 1) return [];
  const half = 2 ** Math.ceil(Math.log2(some.length) - 1);
  const [left, right] = [some.slice(0, half), some.slice(half)];
  return place < half
    ? [...definedPath(left, place), defined(right)]
    : [...definedPath(right, place - half), defined(left)];
}

test('root and path are those of RFC 6962', () => {
  const leaf = sha256(Buffer.of(0), '0');
  assert.deepEqual(rootOf(leaves(1)), leaf);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(69), (count, any) => {
      const place = any % count;
      assert.deepEqual(rootOf(leaves(count)), defined(bytesOf(leaves(count))));
      assert.deepEqual(pathOf(treeOf(leaves(count)), place), definedPath(bytesOf(leaves(count)), place));
    }),
  );
});

test('any leaf that is another makes another root', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(69), (count, any) => {
      const changed = leaves(count).with(any % count, leafOf('another'));
      assert.notDeepEqual(rootOf(changed), rootOf(leaves(count)));
    }),
  );
});

test('the root of no leaves has no bytes', () => assert.equal(rootOf([]).length, 0));
