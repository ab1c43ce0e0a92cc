import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import { PriceHistory } from './reference-price-tracker.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const start = Date.parse('2026-11-21T10:23:40.000Z') as EpochMs;
const at = (offsetMs: number) => (start + offsetMs) as EpochMs;
const price = (text: string) => text as DecimalString;

test('with prices noted each minute, the price of an hour ago is that of the same minute', () => {
  const history = new PriceHistory();
  for (let minute = 0; minute <= 90; minute++) history.note(at(minute * minuteMs), price(`${minute}.00`));
  assert.equal(history.references(at(90 * minuteMs)).price1hAgo, '30.00');
});

test('before an hour has passed there is no price of an hour ago', () => {
  const history = new PriceHistory();
  for (let minute = 0; minute <= 57; minute++) history.note(at(minute * minuteMs), price('1'));
  assert.equal(history.references(at(57 * minuteMs)).price1hAgo, undefined);
});

test('hourly candles give the prices of 24 hours and 7 days ago to half an hour, by their opening prices', () => {
  const history = new PriceHistory();
  const hour = Math.floor(start / hourMs) * hourMs;
  const candles = Array.from({ length: 170 }, (_, index) => ({
    openedAt: (hour - (169 - index) * hourMs) as EpochMs,
    open: price(`${169 - index}.10`),
  }));
  history.seed('hour', candles);
  assert.deepEqual(history.references(start), {
    price1hAgo: undefined,
    price24hAgo: '24.10',
    price7dAgo: '168.10',
  });
});

test('minute candles fill the last hour at once', () => {
  const history = new PriceHistory();
  const minute = Math.floor(start / minuteMs) * minuteMs;
  const candles = Array.from({ length: 62 }, (_, index) => ({
    openedAt: (minute - (61 - index) * minuteMs) as EpochMs,
    open: price(`${61 - index}`),
  }));
  history.seed('minute', candles);
  assert.equal(history.references(start).price1hAgo, '60');
});

test('a gap longer than a minute leaves the price of an hour ago out rather than guess it', () => {
  const history = new PriceHistory();
  history.note(at(0), price('1'));
  history.note(at(10 * minuteMs), price('2'));
  assert.equal(history.references(at(65 * minuteMs)).price1hAgo, undefined);
  assert.equal(history.references(at(70 * minuteMs)).price1hAgo, '2');
});

test('whatever is noted and whenever, memory stays bounded and every answer is a noted price', () => {
  const property = fc.property(
    fc.array(fc.integer({ min: -10 * 24 * 60, max: 10 * 24 * 60 }), { maxLength: 500 }),
    (minutes) => {
      const history = new PriceHistory();
      const noted = new Set<string | undefined>([undefined]);
      for (const [index, minute] of minutes.entries()) {
        noted.add(`${index}`);
        history.note(at(minute * minuteMs), price(`${index}`));
      }
      assert.ok(history.size <= 70 + 174);
      for (const value of Object.values(history.references(start))) assert.ok(noted.has(value));
    },
  );
  fc.assert(property, { seed: 7, numRuns: 50 });
});
