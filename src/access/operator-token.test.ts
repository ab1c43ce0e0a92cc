import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { hasKeyShape } from './api-key.testing.ts';
import { generateToken, hasTokenShape, tokenDigest } from './operator-token.ts';

test('a made token has its form and checksum, no two are the same, and none passes for an API key', () => {
  const randomness = seededRandomness(1);
  const tokens = new Set(Array.from({ length: 1_000 }, () => generateToken('operator', randomness)));
  assert.equal(tokens.size, 1_000);
  for (const token of tokens) {
    assert.match(token, /^mdo_[0-9A-Za-z]{38}$/);
    assert.ok(hasTokenShape('operator', token) && !hasKeyShape(token));
  }
});

test('a token with any one character changed, cut or added has not the form', () => {
  const token = generateToken('operator', seededRandomness(2));
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === 'x' ? 'y' : 'x';
    assert.ok(!hasTokenShape('operator', token.slice(0, index) + other + token.slice(index + 1)), `character ${index}`);
  }
  for (const wrong of ['', token.slice(1), `${token}0`, ` ${token}`, token.toLowerCase(), 'é'.repeat(42)]) {
    assert.ok(!hasTokenShape('operator', wrong), wrong);
  }
});

test('a digest has 32 bytes, of any text', () => {
  assert.equal(tokenDigest('ü').length, 32);
  assert.notDeepEqual(tokenDigest('a'), tokenDigest('b'));
});

test('a token of an engine has a form of its own, and neither passes for the other', () => {
  const randomness = seededRandomness(3);
  const [source, operator] = [generateToken('source', randomness), generateToken('operator', randomness)];
  assert.match(source, /^mds_[0-9A-Za-z]{38}$/);
  assert.ok(hasTokenShape('source', source) && !hasTokenShape('operator', source) && !hasKeyShape(source));
  assert.ok(!hasTokenShape('source', operator));
  assert.ok(!hasTokenShape('source', `${source.slice(0, -1)}${source.endsWith('x') ? 'y' : 'x'}`));
});
