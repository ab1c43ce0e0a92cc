import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCandleRows } from './rest-answers.ts';
import { UpstreamError } from './wire.ts';

const earlier = { openedAt: 1795100400000, open: '50000.10' };
const later = { openedAt: 1795104000000, open: '50001.0' };

test('candles leave oldest first, whatever their order, with starts in seconds or milliseconds', () => {
  const milliseconds = [['1795104000000', '50001.0'], ['1795100400000', '50000.10', '1'], ['x', '1'], null];
  assert.deepEqual(readCandleRows(milliseconds), [earlier, later]);
  assert.deepEqual(
    readCandleRows([
      [1795104000, '50001.0'],
      [1795100400, '50000.10'],
    ]),
    [earlier, later],
  );
});

test('the start and the opening price are where the exchange writes them', () => {
  const entries = [
    { timestamp: '1795104000', open: '50001.0' },
    { timestamp: '1795100400', open: '50000.10' },
    {},
    null,
  ];
  assert.deepEqual(readCandleRows(entries, 'timestamp', 'open'), [earlier, later]);
  assert.deepEqual(readCandleRows([['1795100400', '1', '2', '50000.10']], 0, 3), [earlier]);
});

test('candles are the opening prices of the readable rows, and an answer without rows is malformed', () => {
  const rows = [[1795100400000, '50000.10', '1', '1', '1'], [1795104000000, null], ['x', '1'], 7];
  assert.deepEqual(readCandleRows(rows), [earlier]);
  for (const none of [{}, undefined, null, 'x']) assert.throws(() => readCandleRows(none), UpstreamError);
});
