import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { check } from '../market/seeded.testing.ts';
import { FragmentList } from './fragment-list.ts';
import { Page } from './page.ts';

interface Member {
  fragment: string | undefined;
}

const members = (count: number): Member[] =>
  Array.from({ length: count }, (_, index) => ({ fragment: JSON.stringify({ symbol: `M${index}`, price: '1.50' }) }));

const expected = (all: readonly Member[]) =>
  `{"list":[${all.flatMap(({ fragment }) => (fragment === undefined ? [] : [fragment])).join(',')}]}`;

/** The page of what the list reads now. */
function pageOf(list: FragmentList): Page {
  return new Page(list.text()!, list.prepare());
}

const gunzip = (page: Page): string => {
  const { body } = page.as('gzip');
  return gunzipSync(typeof body === 'string' ? Buffer.from(body, 'latin1') : body).toString('latin1');
};

/** Whether the gzip coding is joined from blocks, as its tag shows. */
const isPieced = (page: Page): boolean => page.entityTag('gzip').endsWith('-p"');

test('the text is the present members in order', () => {
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
    const page = pageOf(new FragmentList('list', all));
    assert.deepEqual([isPieced(page), gunzip(page)], [true, expected(all)], `without blocks ${empty}`);
  }
});

test('where most of the list changed since the last page, the whole is compressed; where little did, only that', () => {
  const all = members(500);
  const list = new FragmentList('list', all);
  const first = pageOf(list);
  list.changed(3);
  const second = pageOf(list);
  for (let index = 0; index < all.length; index += 16) list.changed(index);
  const third = pageOf(list);
  assert.deepEqual([first, second, third].map(isPieced), [false, true, false]);
  for (const page of [first, second, third]) assert.equal(gunzip(page), expected(all));
});

test('a page keeps its bytes, however the list changes before they are read', () => {
  const all = members(20);
  const list = new FragmentList('list', all);
  const page = pageOf(list);
  const before = expected(all);
  all[3]!.fragment = '{"symbol":"other"}';
  list.changed(3);
  list.text();
  assert.deepEqual([isPieced(page), gunzip(page)], [true, before]);
});

test('the same members have the same tag in another list, and other members another', () => {
  const all = members(40);
  const list = new FragmentList('list', all);
  const tag = pageOf(list).entityTag('identity');
  assert.equal(pageOf(new FragmentList('list', members(40))).entityTag('identity'), tag);
  all[17]!.fragment = '{"symbol":"other"}';
  list.changed(17);
  assert.notEqual(pageOf(list).entityTag('identity'), tag);
  all[17]!.fragment = members(40)[17]!.fragment;
  list.changed(17);
  assert.equal(pageOf(list).entityTag('identity'), tag);
});

test('after any changes in any order, text and gzip are those of the members', (t) => {
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
          if (text !== undefined) assert.equal(gunzip(pageOf(list)), text);
        }
      },
    ),
    { numRuns: 300 },
  );
});
