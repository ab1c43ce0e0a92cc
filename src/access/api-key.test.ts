import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { randomBase62, toBase62 } from '../ground/base62.ts';
import { hasKeyShape } from './api-key.testing.ts';
import { digestOf, generateApiKey, lastFourOf } from './api-key.ts';

const key = generateApiKey(seededRandomness(7));

test('a key is mdk_, 32 random characters and the checksum of both in 6', () => {
  assert.match(key, /^mdk_[0-9A-Za-z]{38}$/);
  assert.equal(key.slice(36), toBase62(crc32(key.slice(0, 36)), 6));
  assert.ok(hasKeyShape(key));
});

test('a checksum is padded with zeros to six characters, digits before capitals before small letters', () => {
  assert.equal(toBase62(0, 6), '000000');
  assert.equal(toBase62(61, 6), '00000z');
  assert.equal(toBase62(62 * 10 + 35, 6), '0000AZ');
  assert.equal(toBase62(0xffffffff, 6), '4gfFC3');
});

test('a key whose checksum begins with zeros is a key', () => {
  const randomness = seededRandomness(3);
  let found = generateApiKey(randomness);
  while (!found.startsWith('00', 36)) found = generateApiKey(randomness);
  assert.ok(hasKeyShape(found));
});

test('any single wrong, missing, added or swapped character is noticed', () => {
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'x' ? 'y' : 'x';
    assert.ok(!hasKeyShape(key.slice(0, at) + other + key.slice(at + 1)), `wrong at ${at}`);
    assert.ok(!hasKeyShape(key.slice(0, at) + key.slice(at + 1)), `missing at ${at}`);
    assert.ok(!hasKeyShape(`${key.slice(0, at)}0${key.slice(at)}`), `added at ${at}`);
    const swapped = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2);
    assert.ok(swapped === key || !hasKeyShape(swapped), `swapped at ${at}`);
  }
});

test('nothing but the key itself is a key: no padding, no scheme, no other alphabet', () => {
  const others = ['', ' ', ` ${key}`, `${key} `, `Bearer ${key}`, key.toUpperCase(), `${key}, ${key}`, `${key}\0`];
  for (const other of [
    ...others,
    'x'.repeat(10_240),
    'é'.repeat(42),
    `mdk_${'-'.repeat(38)}`,
    `mdk_${'ł'.repeat(38)}`,
  ]) {
    assert.ok(!hasKeyShape(other), JSON.stringify(other.slice(0, 60)));
  }
});

test('a character whose low byte is that of the right one is still wrong', () => {
  for (let at = 0; at < key.length; at++) {
    const shifted = String.fromCharCode(key.charCodeAt(at) + 256);
    assert.ok(!hasKeyShape(key.slice(0, at) + shifted + key.slice(at + 1)), `at ${at}`);
  }
});

test('random characters come up equally often', () => {
  const counts = new Map<string, number>();
  const draws = 62_000;
  for (const character of randomBase62(draws, seededRandomness(1))) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  const expected = draws / 62;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  assert.ok(chiSquare < 110, `chi-square ${chiSquare} over 61 degrees of freedom`);
});

test('the checksum is the CRC-32 of zlib', () => {
  assert.equal(crc32('123456789'), 0xcbf43926);
});

test('the digest is the SHA-256 of the whole key text, and the last four characters are its end', () => {
  assert.deepEqual(Buffer.from(digestOf(key)), createHash('sha256').update(key, 'ascii').digest());
  assert.equal(lastFourOf(key), key.slice(38));
});
