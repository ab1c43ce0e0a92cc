import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answering,
  isSameRequest,
  movedTo,
  nameIn,
  withUnknownMembers,
  withUnknownNames,
} from './recorded-texts.testing.ts';

const at = 1_618_677_817;
const nowMs = Date.parse('2026-11-21T10:00:00.000Z');

test('times of a recorded text move to now in the form that they have, and no other digits change', () => {
  const recorded = {
    iso: '2021-04-17T16:43:37.200251Z',
    seconds: 1_618_677_817,
    milliseconds: '1618677817200',
    microseconds: '1618677817200251',
    nanoseconds: '1618677817200251999',
    price: '1618677817.20',
    id: 9_999_999_999,
    listed: '2015-01-01T00:00:00Z',
  };
  assert.deepEqual(JSON.parse(movedTo(nowMs, at, JSON.stringify(recorded))), {
    iso: '2026-11-21T10:00:00.200Z',
    seconds: nowMs / 1_000,
    milliseconds: String(nowMs + 200),
    microseconds: `${nowMs + 200}251`,
    nanoseconds: `${nowMs + 200}251999`,
    price: '1618677817.20',
    id: 9_999_999_999,
    listed: '2015-01-01T00:00:00Z',
  });
});

test('a market is found by its whole name, in a channel and in any case', () => {
  for (const text of ['"BTC-EUR"', 'book_btc-eur', 'btc-eur@ticker']) assert.match(text, nameIn('BTC-EUR'));
  for (const text of ['"WBTC-EUR"', '"BTC-EURX"', '"BTCEUR"']) assert.doesNotMatch(text, nameIn('BTC-EUR'));
  assert.equal(withUnknownNames('"book_btceur" "BTCEUR" "LTCEUR"', ['BTCEUR']), '"book_btceurX" "BTCEURX" "LTCEUR"');
});

test('an answer has the number of its request, by which two requests do not differ', () => {
  assert.equal(answering('{"op":"ping","req_id":7}', '{"op":"pong","req_id":1}'), '{"op":"pong","req_id":7}');
  assert.equal(answering('ping', '{"id":1}'), '{"id":1}');
  assert.ok(isSameRequest('{"op":"ping","id":1}', '{"op":"ping","id":22}'));
  assert.ok(!isSameRequest('{"op":"ping","id":1}', '{"op":"pong","id":1}'));
});

test('every object gets a member that is new, and text in quotes stays', () => {
  const added = { member_of_tomorrow: 'new' };
  const changed = JSON.parse(withUnknownMembers('{"a":{},"b":[{"c":"{\\"}"}],"d":[]}'));
  assert.deepEqual(changed, { ...added, a: added, b: [{ ...added, c: '{"}' }], d: [] });
});
