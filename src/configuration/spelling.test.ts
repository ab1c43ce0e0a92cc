import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDuration } from './duration.ts';
import { nearest } from './spelling.ts';

describe('the nearest word', () => {
  const known = ['port', 'host', 'baseUrl', 'trustedProxies', 'BTCEUR'];

  it('has a letter wrong, missing, extra or two swapped', () => {
    assert.equal(nearest('pört', known), 'port');
    assert.equal(nearest('hst', known), 'host');
    assert.equal(nearest('portt', known), 'port');
    assert.equal(nearest('BTCERU', known), 'BTCEUR');
  });

  it('is found whatever the case and however words are joined', () => {
    assert.equal(nearest('trusted-proxies', known), 'trustedProxies');
    assert.equal(nearest('BASE_URL', known), 'baseUrl');
  });

  it('is none where no word is close, however long', () => {
    assert.equal(nearest('colour', known), undefined);
    assert.equal(nearest('x'.repeat(100_000), known), undefined);
    assert.equal(nearest('', known), undefined);
  });
});

describe('durations', () => {
  it('are read with every unit', () => {
    const written = ['250ms', '10s', '5m', '96h', '7d', '0ms', '1500ms'];
    assert.deepEqual(written.map(parseDuration), [250, 10_000, 300_000, 345_600_000, 604_800_000, 0, 1_500]);
  });

  it('are refused without unit, with a fraction, a sign or anything around them', () => {
    for (const text of [
      '',
      '5',
      '1.5h',
      '-5m',
      '+5m',
      '5 m',
      ' 5m',
      '5M',
      '5mm',
      '1h30m',
      '1e3s',
      '٣s',
      '9999999999s',
    ]) {
      assert.equal(parseDuration(text), undefined, text);
    }
  });
});
