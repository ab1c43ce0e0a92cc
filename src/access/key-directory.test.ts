import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { type EpochMs, systemRandomness } from '../ground/clock.ts';
import { type ApiKey, digestOf, generateApiKey } from './api-key.ts';
import { KeyDirectory } from './key-directory.ts';
import type { KeyEntry } from './key-records.ts';

const now = 1_800_000_000_000 as EpochMs;
const randomness = seededRandomness(11);
const newKey = () => generateApiKey(randomness);

function entryOf(key: ApiKey, rest: Partial<KeyEntry> = {}): KeyEntry {
  const plain = { keyId: 'key_0123456789ABCDEF', usable: true, expiresAt: undefined, limitPerMinute: undefined };
  return { digest: digestOf(key), ...plain, ...rest };
}

test('a key that may be used is found with its own limit and its id', () => {
  const directory = new KeyDirectory();
  const [plain, limited] = [newKey(), newKey()];
  directory.upsert(entryOf(plain));
  directory.upsert(entryOf(limited, { keyId: 'made by another program', limitPerMinute: 1_000_000 }));
  const first = directory.find(plain, now);
  const second = directory.find(limited, now);
  assert.ok(first !== undefined && second !== undefined && first.slot !== second.slot);
  assert.deepEqual([first.limitPerMinute, directory.keyIdOf(first.slot)], [undefined, 'key_0123456789ABCDEF']);
  assert.deepEqual([second.limitPerMinute, directory.keyIdOf(second.slot)], [1_000_000, 'made by another program']);
});

test('whatever else is sent is not found', () => {
  const directory = new KeyDirectory();
  const key = newKey();
  directory.upsert(entryOf(key));
  const disabled = newKey();
  directory.upsert(entryOf(disabled, { usable: false }));
  const revoked = newKey();
  directory.upsert(entryOf(revoked));
  directory.remove(digestOf(revoked));
  const wrong = ['', ' ', ` ${key} `, `${key}${key}`, `Bearer ${key}`, `${key}x`, `${key}, ${key}`, key.slice(0, -1)];
  const others = [newKey(), disabled, revoked, 'ключ', key.toLowerCase(), 'x'.repeat(10_240)];
  for (const text of [...wrong, ...others]) assert.equal(directory.find(text, now), undefined, text.slice(0, 60));
  assert.ok(directory.find(key, now) !== undefined);
});

test('a text that is no key is not found even when its digest is stored', () => {
  const directory = new KeyDirectory();
  const text = 'a key of another form' as ApiKey;
  directory.upsert(entryOf(text));
  assert.equal(directory.find(text, now), undefined);
});

test('an expiry is the first instant at which the key is refused', () => {
  const directory = new KeyDirectory();
  const key = newKey();
  directory.upsert(entryOf(key, { expiresAt: now }));
  assert.ok(directory.find(key, (now - 1) as EpochMs) !== undefined);
  assert.equal(directory.find(key, now), undefined);
  assert.equal(directory.find(key, (now + 1) as EpochMs), undefined);
});

test('an entry that changes keeps its slot, and a slot is announced when a key gets it', () => {
  const taken: number[] = [];
  const directory = new KeyDirectory((slot) => taken.push(slot));
  const [first, second] = [newKey(), newKey()];
  const slot = directory.upsert(entryOf(first));
  assert.equal(directory.upsert(entryOf(first, { usable: false, keyId: 'other' })), slot);
  assert.equal(directory.upsert(entryOf(first)), slot);
  assert.equal(directory.keyIdOf(slot), 'key_0123456789ABCDEF');
  assert.equal(directory.remove(digestOf(first)), true);
  assert.equal(directory.remove(digestOf(first)), false);
  const next = directory.upsert(entryOf(second));
  assert.deepEqual(taken, [slot, next]);
});

test('a complete load removes what is not in it, and serves all keys until its end', () => {
  const directory = new KeyDirectory();
  const [stays, goes] = [newKey(), newKey()];
  directory.upsert(entryOf(stays));
  directory.upsert(entryOf(goes));
  directory.beginReload();
  directory.upsert(entryOf(stays));
  assert.ok(directory.find(goes, now) !== undefined);
  for (const slot of directory.absent()) directory.drop(slot);
  assert.equal(directory.find(goes, now), undefined);
  assert.ok(directory.find(stays, now) !== undefined);
  assert.equal(directory.size, 1);
});

/** Few different digests that share their first word now and then, so that probes collide and wrap around. */
const digests = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 40 })).map(([first, rest]) => {
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  view.setUint32(0, first === 0 ? 0xffffffff : first * 3 + rest);
  view.setUint32(28, rest + 1);
  return digest;
});
const step = fc.record({ digest: digests, removes: fc.boolean(), limit: fc.integer({ min: 1, max: 1_000_000 }) });

test('the directory holds what a map would hold after any sequence of changes', (t) => {
  const seed = new DataView(Uint8Array.from(systemRandomness.bytes(4)).buffer).getInt32(0);
  t.diagnostic(`seed ${seed}`);
  const property = fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
    const directory = new KeyDirectory();
    const model = new Map<string, number>();
    const slots = new Map<string, number>();
    for (const { digest, removes, limit } of steps) {
      const name = Buffer.from(digest).toString('hex');
      if (removes) assert.equal(directory.remove(digest), model.delete(name));
      else {
        const slot = directory.upsert({ ...entryOf(newKeyText), digest, keyId: name, limitPerMinute: limit });
        assert.equal(model.has(name) ? slots.get(name) : slot, slot);
        model.set(name, limit);
        slots.set(name, slot);
      }
      assert.equal(directory.size, model.size);
    }
    for (const name of model.keys()) assert.equal(directory.keyIdOf(slots.get(name)!), name);
    assert.equal(new Set([...model.keys()].map((name) => slots.get(name))).size, model.size);
  });
  fc.assert(property, { seed, numRuns: 60 });
});
const newKeyText = newKey();

test('ten thousand keys come and go, over several sizes of the table', () => {
  const directory = new KeyDirectory();
  const keys = Array.from({ length: 10_000 }, newKey);
  for (const key of keys) directory.upsert(entryOf(key));
  for (const key of keys.slice(0, 5_000)) assert.ok(directory.remove(digestOf(key)));
  assert.equal(directory.size, 5_000);
  for (const [index, key] of keys.entries()) assert.equal(directory.find(key, now) !== undefined, index >= 5_000);
});

test('keys beyond the room that was reserved are all found', () => {
  const directory = new KeyDirectory();
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  directory.reserve(60_000);
  for (let number = 0; number < 70_000; number++) {
    view.setUint32(0, Math.imul(number, 2_654_435_761));
    directory.upsert({ digest, keyId: `${number}`, usable: true, expiresAt: undefined, limitPerMinute: undefined });
  }
  assert.equal(directory.size, 70_000);
  const key = newKey();
  const slot = directory.upsert(entryOf(key));
  assert.ok(slot > 65_536);
  assert.equal(directory.find(key, now)?.slot, slot);
  assert.equal(directory.keyIdOf(65_536), '65535');
});

test('a digest is matched whether or not its key may be used, and one that is not held is not', () => {
  const directory = new KeyDirectory();
  const digest = new Uint8Array(32).fill(3);
  assert.equal(directory.matchOf(digest), undefined);
  const slot = directory.upsert({
    digest,
    keyId: 'key_abcdefghijklmnop',
    usable: false,
    expiresAt: undefined,
    limitPerMinute: 7,
  });
  assert.deepEqual(directory.matchOf(digest), { slot, limitPerMinute: 7 });
});

test('the ids of more keys than are remembered are all given right', () => {
  const directory = new KeyDirectory();
  const digestOfNumber = (number: number) => {
    const digest = new Uint8Array(32);
    new DataView(digest.buffer).setUint32(0, number);
    return digest;
  };
  const ids = Array.from({ length: 10_050 }, (_, number) => `key_${String(number).padStart(16, '0')}`);
  const slots = ids.map((keyId, number) =>
    directory.upsert({
      digest: digestOfNumber(number),
      keyId,
      usable: true,
      expiresAt: undefined,
      limitPerMinute: undefined,
    }),
  );
  for (let round = 0; round < 2; round++)
    assert.deepEqual(
      slots.map((slot) => directory.keyIdOf(slot)),
      ids,
    );
});

test('an id is given back as it was, whatever program made it, also in a slot that had another', () => {
  const directory = new KeyDirectory();
  const key = newKey();
  const ids = [
    'key_0123456789ABCDEF',
    'key_0123456789ABCDEFG',
    'xkey_0123456789ABCDEF',
    'key_x',
    '',
    'key_ěščřžýáíéúůťďňóo',
  ];
  for (const keyId of [...ids, ...ids.toReversed()]) {
    const slot = directory.upsert(entryOf(key, { keyId }));
    assert.equal(directory.keyIdOf(slot), keyId);
  }
});
