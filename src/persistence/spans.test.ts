import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { incidentsIn, type Span, uncovered } from './spans.ts';

function span(fromSeconds: number, toSeconds: number): Span {
  return { from: (fromSeconds * 1_000) as EpochMs, to: (toSeconds * 1_000) as EpochMs };
}

test('what others cover is taken out of a span, however they overlap it and one another', () => {
  assert.deepEqual(uncovered(span(10, 20), []), [span(10, 20)]);
  assert.deepEqual(uncovered(span(10, 20), [span(0, 10), span(20, 30)]), [span(10, 20)]);
  assert.deepEqual(uncovered(span(10, 20), [span(14, 16), span(0, 12), span(15, 17)]), [span(12, 14), span(17, 20)]);
  assert.deepEqual(uncovered(span(10, 20), [span(0, 30), span(12, 13)]), []);
});

test('what is parted for less than a minute is one incident, and less than a minute of trouble is none', () => {
  assert.deepEqual(incidentsIn([span(0, 49), span(51, 100)]), [span(0, 100)]);
  assert.deepEqual(incidentsIn([span(0, 60), span(120, 179)]), [span(0, 60)]);
  assert.deepEqual(incidentsIn([]), []);
});
