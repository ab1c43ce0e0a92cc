import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { UpstreamError } from '../wire.ts';
import { rateSource, readCnb, readEcb, readJsonRate } from './rate-sources.ts';

const malformed = (error: unknown) => error instanceof UpstreamError && error.kind === 'malformed';
const pair = ['EUR' as CurrencyCode, 'CZK' as CurrencyCode] as const;
const row = (currencyCode: string, rate: string, amount = '1') =>
  `{"validFor":"2026-11-20","order":224,"country":"X","currency":"x","amount":${amount},"currencyCode":"${currencyCode}","rate":${rate}}`;
const cnb = (...rows: string[]) => `{"rates":[${rows.join(',')}]}`;
const ecb = (cubes: string, day = '2026-11-20') => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube><Cube time='${day}'>${cubes}</Cube></Cube>
</gesmes:Envelope>
`;

test('the Czech fixing is read digit for digit', () => {
  const text = cnb(row('AUD', '14.500'), row('EUR', '24.310'));
  assert.deepEqual(readCnb(text, 'EUR'), { mid: '24.310', fixingDate: '2026-11-20' });
});

test('a fixing for several units is divided exactly, or to 20 decimals', () => {
  assert.equal(readCnb(cnb(row('HUF', '6.123', '100')), 'HUF').mid, '0.06123');
  assert.equal(readCnb(cnb(row('IDR', '1', '3')), 'IDR').mid, '0.33333333333333333333');
});

test('a Czech answer without the currency, the date or a decimal is malformed', () => {
  const broken = [
    '{}',
    cnb(),
    cnb(row('EUR', 'null')),
    cnb(row('EUR', '"24,3"')),
    cnb(row('EUR', '24', '0')),
    '<html>',
  ];
  for (const text of broken) assert.throws(() => readCnb(text, 'EUR'), malformed);
  assert.throws(() => readCnb('{"rates":[{"currencyCode":"EUR","rate":24,"amount":1}]}', 'EUR'), malformed);
});

test('the European reference rate is read with either kind of quotes', () => {
  const single = ecb("<Cube currency='USD' rate='1.0881'/><Cube currency='CZK' rate='24.310'/>");
  assert.deepEqual(readEcb(single, 'CZK'), { mid: '24.310', fixingDate: '2026-11-20' });
  assert.deepEqual(readEcb(single.replaceAll("'", '"'), 'CZK'), { mid: '24.310', fixingDate: '2026-11-20' });
});

test('a European document that is truncated, ambiguous or not a document is malformed', () => {
  const good = ecb("<Cube currency='CZK' rate='24.310'/>");
  const broken = [
    '',
    '<html></html>',
    good.slice(0, -20),
    ecb("<Cube currency='USD' rate='1.1'/>"),
    ecb("<Cube currency='CZK' rate='24.3'/><Cube currency='CZK' rate='25'/>"),
    ecb("<Cube currency='CZK'/>"),
    ecb("<Cube currency='CZK' rate='24,3'/>"),
    ecb("<Cube currency='CZK' rate='24.3'/></Cube><Cube time='2026-11-19'>"),
    ecb("<Cube currency='CZK' rate='24.3'/>", 'today'),
  ];
  for (const text of broken) assert.throws(() => readEcb(text, 'CZK'), malformed);
});

test('a JSON pointer finds a number or a string, through lists, escapes and empty names', () => {
  const read = (text: string, pointer: string) => readJsonRate(text, pointer, 'rates').mid;
  assert.equal(read('{"rates":{"CZK":24.310}}', '/rates/CZK'), '24.310');
  assert.equal(read('{"a/b":[{"m~n":"24.5"}]}', '/a~1b/0/m~0n'), '24.5');
  assert.equal(read('{"":{"~1":7}}', '//~01'), '7');
  assert.equal(read('24.3', ''), '24.3');
});

test('a pointer to nothing or to no decimal is malformed', () => {
  const document = '{"a":[1],"b":{"c":null},"d":"24,3"}';
  for (const pointer of ['/x', '/a/1', '/a/-', '/a/00', '/b/c', '/b', '/d', '/a/length', '/__proto__']) {
    assert.throws(() => readJsonRate(document, pointer, 'rates'), malformed);
  }
  const named = /^UpstreamError: rates\.compare\.pointer "\/d" names no decimal in the answer$/;
  assert.throws(() => readJsonRate(document, '/d', 'rates.compare'), named);
});

test('the exchange gives the exact middle between bid and ask', async () => {
  const ask = (bid: string | undefined, ask: string | undefined) => {
    const ticker = { symbol: 'EURCZK', bid, ask } as UpstreamTicker;
    const connector = { pollTickers: async () => [ticker] };
    const origin = { source: 'exchange', market: 'EURCZK' as MarketSymbol } as const;
    return rateSource(origin, [connector], new FakeClock(), ...pair).load(new AbortController().signal);
  };
  assert.deepEqual(await ask('24.30', '24.33'), { mid: '24.315', fixingDate: undefined });
  assert.equal((await ask('0.1', '0.2')).mid, '0.15');
  for (const [bid, offer] of [
    [undefined, '1'],
    ['1', undefined],
    ['2', '1'],
    ['0', '1'],
  ]) {
    await assert.rejects(ask(bid, offer), UpstreamError);
  }
});

test('the error of an unreachable source does not hold its address', async () => {
  for (const url of ['http://user:secret@127.0.0.1:1/path?key=secret', 'http://user:secret@:broken/secret']) {
    const error: unknown = await rateSource({ source: 'cnb', url }, [], new FakeClock(), ...pair)
      .load(new AbortController().signal)
      .catch((error: unknown) => error);
    assert.ok(error instanceof UpstreamError);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /secret/);
  }
});
