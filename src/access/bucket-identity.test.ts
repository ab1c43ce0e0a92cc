import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bucketIdentity } from './bucket-identity.ts';
import { parseIpAddress } from './ip-address.ts';

const identityOf = (address: string) => bucketIdentity(parseIpAddress(address)!.limitBucket);

test('a bucket is known by its address itself', () => {
  assert.deepEqual(identityOf('1.2.3.4'), { kind: 1, high: 0, low: 0x01020304 });
  assert.deepEqual(identityOf('255.255.255.255'), { kind: 1, high: 0, low: -1 });
  assert.deepEqual(identityOf('2001:db8:a:b:1:2:3:4'), { kind: 2, high: 0x20010db8, low: 0x000a000b });
  assert.deepEqual(identityOf('::1'), { kind: 2, high: 0, low: 0 });
  assert.deepEqual(identityOf('2001::5:1:1:1:1'), { kind: 2, high: 0x20010000, low: 0x00000005 });
  assert.deepEqual(identityOf('0:0:1::'), { kind: 2, high: 0, low: 0x00010000 });
});

test('any two addresses share an identity exactly when they share a bucket', () => {
  const v6 = fc.ipV6();
  const v4 = fc.ipV4();
  fc.assert(
    fc.property(fc.oneof(v4, v6), fc.oneof(v4, v6), (one, other) => {
      const buckets = [one, other].map((address) => parseIpAddress(address)!.limitBucket);
      const identities = [one, other].map((address) => JSON.stringify(identityOf(address)));
      assert.equal(identities[0] === identities[1], buckets[0] === buckets[1]);
    }),
    { numRuns: 2_000 },
  );
});

test('every group of a network has its place in the identity', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 }), (groups) => {
      const { kind, high, low } = identityOf(`${groups.map((group) => group.toString(16)).join(':')}:9:9:9:9`);
      assert.deepEqual([kind, high >>> 16, high & 0xffff, low >>> 16, low & 0xffff], [2, ...groups]);
    }),
  );
});

test('a peer without an address has an identity of its own', () => {
  const texts = ['unknown', '', '1.2.3', '1.2.3.', '1.2.3.4.5', '1.2.3.256', 'a.b.c.d'];
  const identities = texts.map(bucketIdentity);
  assert.deepEqual([...new Set(identities.map(({ kind }) => kind))], [3]);
  assert.equal(new Set(identities.map((identity) => JSON.stringify(identity))).size, texts.length);
});
