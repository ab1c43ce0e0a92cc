import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { check } from '../market/seeded.testing.ts';
import { FragmentList } from './fragment-list.ts';

interface Member {
  fragment: string | undefined;
}

const members = (count: number): Member[] =>
  Array.from({ length: count }, (_, index) => ({ fragment: JSON.stringify({ symbol: `M${index}`, price: '1.50' }) }));

const expected = (all: readonly Member[]) =>
  `{"list":[${all.flatMap(({ fragment }) => (fragment === undefined ? [] : [fragment])).join(',')}]}`;

/** Asks for gzip as often as it takes until it is made from blocks. */
function gzipFromBlocks(list: FragmentList): Buffer {
  for (let attempt = 0; attempt < 20; attempt++) {
    const text = list.text()!;
    const made = list.gzip(text, Buffer.from(text, 'latin1'));
    if (made !== undefined) return made;
  }
  throw new Error('never made from blocks');
}

test('the text is the members that there are, in their order', () => {
  const all = members(40);
  const list = new FragmentList('list', all);
  assert.equal(list.text(), expected(all));
  all[17]!.fragment = undefined;
  list.changed(17);
  assert.equal(list.text(), expected(all));
});

test('a list without members has no text', () => {
  assert.equal(new FragmentList('list', []).text(), undefined);
  assert.equal(new FragmentList('list', [{ fragment: undefined }]).text(), undefined);
});

test('gzip made from blocks unpacks to the text, also where blocks at either end or between are empty', () => {
  for (const empty of [[], [0], [1], [2], [0, 1], [0, 2], [1, 2]]) {
    const all = members(48);
    for (const block of empty) {
      for (let index = block * 16; index < (block + 1) * 16; index++) all[index]!.fragment = undefined;
    }
    const list = new FragmentList('list', all);
    assert.equal(gunzipSync(gzipFromBlocks(list)).toString('latin1'), expected(all), `without blocks ${empty}`);
  }
});

test('where most of the list changed since the last time, the whole is to be compressed', () => {
  const all = members(500);
  const list = new FragmentList('list', all);
  gzipFromBlocks(list);
  for (let index = 0; index < all.length; index += 16) list.changed(index);
  const text = list.text()!;
  assert.equal(list.gzip(text, Buffer.from(text, 'latin1')), undefined);
});

test('a text that is no longer the list’s is never answered with the list’s bytes', () => {
  const all = members(20);
  const list = new FragmentList('list', all);
  gzipFromBlocks(list);
  const old = list.text()!;
  all[3]!.fragment = '{"symbol":"other"}';
  list.changed(3);
  list.text();
  assert.equal(list.gzip(old, Buffer.from(old, 'latin1')), undefined);
});

test('whatever changes in whatever order, text and gzip are those of the members', (t) => {
  const change = fc.record({
    index: fc.nat(99),
    fragment: fc.option(fc.stringMatching(/^[a-z]{1,40}$/), { nil: undefined }),
  });
  check(
    t,
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 8 }),
      (count, rounds) => {
        const all = members(count);
        const list = new FragmentList('list', all);
        for (const changes of rounds) {
          for (const { index, fragment } of changes) {
            const member = all[index];
            if (member === undefined) continue;
            member.fragment = fragment;
            list.changed(index);
          }
          const text = list.text();
          const some = all.some(({ fragment }) => fragment !== undefined);
          assert.equal(text, some ? expected(all) : undefined);
          const gzip = text === undefined ? undefined : list.gzip(text, Buffer.from(text, 'latin1'));
          if (gzip !== undefined) assert.equal(gunzipSync(gzip).toString('latin1'), text);
        }
      },
    ),
    { numRuns: 300 },
  );
});
