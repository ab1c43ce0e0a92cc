import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page } from '../board/page.ts';
import type { EpochMs } from '../ground/clock.ts';
import { dataPage, problem } from '../http/answer.ts';
import { servingOf } from './request.ts';

test('the record keeps the market that was asked for, whether there was a price of it or not', () => {
  const asked = {
    request: 1,
    keyId: 'key_a',
    now: 0 as EpochMs,
    route: '/v1/ticker',
    query: 'symbol=btceur',
    status: 200,
  };
  const symbolOf = (answer: Parameters<typeof servingOf>[0]['answer'], more: object = {}) =>
    servingOf({ ...asked, ...more, answer }).symbol;
  assert.equal(symbolOf(dataPage(new Page('{}'), [], 'BTCEUR')), 'BTCEUR');
  assert.equal(symbolOf(problem('MARKET_DATA_UNAVAILABLE', 'none'), { status: 503 }), 'BTCEUR');
  assert.equal(symbolOf(problem('INVALID_PARAMETER', 'none'), { status: 400, query: 'symbol=1-2' }), '');
  assert.equal(symbolOf(problem('MARKET_DATA_UNAVAILABLE', 'none'), { route: '/v1/tickers', query: '' }), '');
});
