import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoInstant, lastInstantMs } from './instant.ts';

const seed = Number(process.env.TEST_SEED ?? 20261121);

test('an instant has exactly three digits of milliseconds and ends in Z, from 1970 to 9999', () => {
  const known: [number, string][] = [
    [0, '1970-01-01T00:00:00.000Z'],
    [1, '1970-01-01T00:00:00.001Z'],
    [999, '1970-01-01T00:00:00.999Z'],
    [59_999, '1970-01-01T00:00:59.999Z'],
    [60_000, '1970-01-01T00:01:00.000Z'],
    [951_782_400_000, '2000-02-29T00:00:00.000Z'],
    [2_147_483_647_000, '2038-01-19T03:14:07.000Z'],
    [2_147_483_648_010, '2038-01-19T03:14:08.010Z'],
    [1_795_255_200_517, '2026-11-21T10:00:00.517Z'],
    [lastInstantMs, '9999-12-31T23:59:59.999Z'],
  ];
  for (const [milliseconds, text] of known) assert.equal(isoInstant(milliseconds), text);
});

test('an instant reads the same as the platform writes it, whatever was asked before', () => {
  const anyInstant = fc.integer({ min: 0, max: lastInstantMs });
  const near = fc.tuple(anyInstant, fc.integer({ min: 0, max: 120_000 }));
  fc.assert(
    fc.property(near, ([start, distance]) => {
      for (const at of [start, Math.min(start + distance, lastInstantMs), start]) {
        assert.equal(isoInstant(at), new Date(at).toISOString());
      }
    }),
    { seed, numRuns: 2_000 },
  );
});

test('what is no whole millisecond of the years 1970 to 9999 is refused', () => {
  for (const wrong of [-1, lastInstantMs + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    assert.throws(() => isoInstant(wrong), RangeError);
  }
});
