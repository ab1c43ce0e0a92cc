import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import {
  areSamePrices,
  middleOf,
  minuteOf,
  noReferences,
  ofReferences,
  percentNames,
  referenceInstants,
} from './reference-prices.ts';
import { decimal } from './samples.testing.ts';
import type { ReferencePrices } from './upstream.ts';

const at = (text: string) => Date.parse(`2026-11-${text}Z`) as EpochMs;
const shown = (instant: EpochMs) => new Date(instant).toISOString().slice(8, 19);

test('an instant belongs to the minute that it lies in, its first millisecond included', () => {
  assert.equal(minuteOf(at('21T10:07:59.999')), at('21T10:07:00'));
  assert.equal(minuteOf(at('21T10:08:00')), at('21T10:08:00'));
});

test('an hour ago is that very minute, a day and a week ago the nearest start of an hour, from the half hour on the next', () => {
  const instants = (minute: string) => Object.values(referenceInstants(at(minute))).map(shown);
  assert.deepEqual(instants('21T10:29:00'), ['21T09:29:00', '20T10:00:00', '14T10:00:00']);
  assert.deepEqual(instants('21T10:30:00'), ['21T09:30:00', '20T11:00:00', '14T11:00:00']);
});

test('the middle lies exactly between bid and ask, however many digits that takes', () => {
  assert.equal(middleOf({ bid: decimal('0.1'), ask: decimal('0.2') }), '0.15');
  const wide = { bid: decimal('100000000000000000001.1'), ask: decimal('100000000000000000001.2') };
  assert.equal(middleOf(wide), '100000000000000000001.15');
});

test('each reference has its own field for the change', () => {
  assert.deepEqual(
    ofReferences((name) => percentNames[name]),
    {
      price1hAgo: 'priceChangePercent1h',
      price24hAgo: 'priceChangePercent24h',
      price7dAgo: 'priceChangePercent7d',
    },
  );
});

test('two sets are the same when they give the same changes: equal prices, and both from candles or both from the record', () => {
  const prices: ReferencePrices = { price1hAgo: decimal('1'), price24hAgo: decimal('2'), price7dAgo: undefined };
  assert.equal(areSamePrices(prices, { ...prices }), true);
  assert.equal(areSamePrices(prices, prices), true);
  for (const name of ['price1hAgo', 'price24hAgo', 'price7dAgo'])
    assert.equal(areSamePrices(prices, { ...prices, [name]: decimal('9') }), false, name);
  const recorded = { ...prices, recordedFor: at('21T10:00:00') } as ReferencePrices;
  assert.equal(areSamePrices(prices, recorded), false);
  assert.equal(areSamePrices(recorded, { ...recorded, recordedFor: at('21T10:01:00') } as ReferencePrices), true);
  assert.equal(areSamePrices(undefined, undefined), true);
  assert.equal(areSamePrices(prices, undefined), false);
  assert.equal(areSamePrices(undefined, noReferences), false);
});
