import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Candidate, largestSlowReaders, leastUseful } from './eviction.ts';

const connection = (name: string, isKeyed: boolean, isIdle: boolean, unsentBytes = 0) => ({
  ...({ isKeyed, isIdle, unsentBytes } satisfies Candidate),
  name,
});

describe('the connection that makes room for another', () => {
  test('is the one without a key that is not being answered, and the longest so', () => {
    const found = leastUseful([
      connection('keyed', true, true),
      connection('answered', false, false),
      connection('oldest', false, true),
      connection('younger', false, true),
    ]);
    assert.equal(found.idle?.name, 'oldest');
  });

  test('is one that is being answered only when there is no other', () => {
    const found = leastUseful([connection('older', false, false), connection('younger', false, false)]);
    assert.deepEqual([found.idle, found.busy?.name], [undefined, 'older']);
  });

  test('is never one with a key', () => {
    assert.deepEqual(leastUseful([connection('idle', true, true), connection('busy', true, false)]), {});
  });
});

describe('those cut when too many answers wait', () => {
  const readers = [
    connection('small', false, false, 10),
    connection('keyed', true, false, 500),
    connection('taken', false, true, 0),
    connection('large', false, false, 40),
    connection('larger keyed', true, false, 900),
  ];
  const cutFor = (excess: number) => largestSlowReaders(readers, excess).map(({ name }) => name);

  test('are the largest first', () => {
    assert.deepEqual(cutFor(1), ['large']);
    assert.deepEqual(cutFor(40), ['large']);
    assert.deepEqual(cutFor(41), ['large', 'small']);
  });

  test('are those with a key only when cutting all without one is not enough, and none whose answers are taken', () => {
    assert.deepEqual(cutFor(50), ['large', 'small']);
    assert.deepEqual(cutFor(51), ['large', 'small', 'larger keyed']);
    assert.deepEqual(cutFor(10_000), ['large', 'small', 'larger keyed', 'keyed']);
  });
});
