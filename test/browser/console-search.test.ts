import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Found, hitsOf } from '../../web/console/shell/hits.ts';

const found: Found = {
  markets: ['ADABTC', 'BTCCZK', 'BTCEUR', 'EURCZK'].map((symbol) => ({ symbol })),
  accounts: [{ id: 'acc_1', email: 'bot@example.com' }],
  keys: [{ id: 'key_1', label: 'trading', lastFour: 'x7Qa', accountId: 'acc_1', accountEmail: 'bot@example.com' }],
  windows: [{ id: 'mnt_1', description: 'New disks' }],
  terms: [
    { id: 'trm_1', subject: 'BTCCZK' },
    { id: 'trm_2', subject: null },
  ],
};
const nothing: Found = { markets: [], accounts: [], keys: [], windows: [], terms: [] };
const textsOf = (text: string, of = found) =>
  hitsOf(text, of).map(({ kind, segments }) => `${kind} ${segments.join('/')}`);

test('a market is found by any way of writing it, what begins with the text first', () => {
  const markets = { ...nothing, markets: found.markets };
  assert.deepEqual(textsOf(' btc/czk ', markets), ['market markets/BTCCZK']);
  assert.deepEqual(textsOf('btc', markets), [
    'market markets/BTCCZK',
    'market markets/BTCEUR',
    'market markets/ADABTC',
  ]);
});

test('a key is shown with its account, and a term and a window by what they are for', () => {
  const [key] = hitsOf('x7Qa', { ...nothing, keys: found.keys });
  assert.deepEqual([key?.text, key?.of, key?.segments], ['…x7Qa trading', 'bot@example.com', ['keys', 'key_1']]);
  assert.deepEqual(textsOf('disks', { ...found, keys: [], accounts: [] }), ['window maintenance']);
  assert.deepEqual(textsOf('trm_2', { ...found, keys: [], accounts: [] }), ['term terms']);
});

test('a request id leads to the record, with or without hyphens', () => {
  const id = '0123456789abcdef0123456789abcdef';
  for (const text of [id, id.toUpperCase(), '01234567-89ab-cdef-0123-456789abcdef'])
    assert.deepEqual(
      hitsOf(text, nothing).map(({ query }) => query),
      [{ by: 'request', id }],
    );
});

test('no text finds nothing, and of each kind only the first few are listed', () => {
  assert.deepEqual(textsOf('  '), []);
  const many = Array.from({ length: 50 }, (_, at) => ({ symbol: `A${at}EUR` }));
  assert.equal(hitsOf('eur', { ...nothing, markets: many }).length, 6);
});
