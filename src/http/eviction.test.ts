import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from './direct-reply.ts';
import { largestSlowReaders, leastUseful, restingOf } from './eviction.ts';

const connection = (name: string, isKeyed: boolean, isIdle: boolean, unsentBytes = 0, bucket = 'a') => ({
  name,
  isKeyed,
  isIdle,
  unsentBytes,
  bucket,
});

describe('the connection that makes room for another', () => {
  const keyless = [
    connection('keyed', true, true),
    connection('answered', false, false),
    connection('oldest', false, true),
    connection('younger', false, true, 0, 'b'),
  ];

  test('is the one without a key that is not being answered, and the longest so', () => {
    assert.equal(leastUseful(keyless)?.name, 'oldest');
  });

  test('of its own address is one whose client was answered and asks nothing, and no other', () => {
    const lastReply = { writableEnded: true } as Reply;
    const of = (bucket: string) =>
      restingOf(
        [
          { ...connection('elsewhere', false, true, 0, 'b'), lastReply },
          { ...connection('keyed', true, true), lastReply },
          { ...connection('new', false, true), lastReply: undefined },
          { ...connection('answered', false, false), lastReply },
          { ...connection('resting', false, true), lastReply },
        ],
        bucket,
      )?.name;
    assert.deepEqual([of('a'), of('b'), of('c')], ['resting', 'elsewhere', undefined]);
  });

  test('is one that is being answered only when there is no other', () => {
    const busy = [connection('older', false, false), connection('younger', false, false)];
    assert.equal(leastUseful(busy)?.name, 'older');
  });

  test('is never one with a key', () => {
    assert.equal(leastUseful([connection('idle', true, true), connection('busy', true, false)]), undefined);
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
