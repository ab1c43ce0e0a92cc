import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as limits from './limits.ts';

test('the three limits and what they count are those of the contract', () => {
  const rows = Object.values(limits.limitTable).map((row) => [row.name, row.requestsPerMinute, row.counting]);
  assert.deepEqual(rows, [
    ['API key', 60, 'Per valid key, shared by all endpoints'],
    ['Requests without a key', 30, 'Per IP address, for the root path and the description document'],
    ['Failed authentication', 10, 'Per IP address, only for requests whose authentication failed'],
  ]);
  assert.equal(limits.limitWindowMs, 60_000);
});

test('the headers have the names of the contract', () => {
  assert.deepEqual(Object.values(limits.headerNames), [
    'X-EXCHANGE-APIKEY',
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'X-Feed-Status',
  ]);
});

test('the recommended polling intervals are those of the contract', () => {
  const rows = limits.pollingIntervals.map(({ path, intervalMs, reason }) => [path, intervalMs, reason]);
  assert.deepEqual(rows, [
    ['/v1/tickers', 5_000, 'More frequent calls generally bring no newer data'],
    ['/v1/ticker', 5_000, 'Each followed market uses 12 requests per minute; use /v1/tickers for several markets'],
    ['/v1/markets', 3_600_000, 'Markets change rarely'],
    ['/v1/status', 60_000, 'May be polled more often during an outage'],
    ['/v1/time', undefined, 'Measure the offset between local and server clock'],
  ]);
});

test('a delisted market is listed for 30 days and the ticker is in outage after 5 minutes', () => {
  assert.equal(limits.delistedListedForMs, 2_592_000_000);
  assert.equal(limits.tickerOutageAfterMs, 300_000);
});

test('Retry-After is 5 seconds without data, and 1 second to 1 hour in maintenance', () => {
  assert.equal(limits.marketDataRetryAfterSeconds, 5);
  assert.deepEqual(limits.maintenanceRetryAfterSeconds, { min: 1, max: 3_600 });
});

test('a 401 names the scheme and a 405 the methods', () => {
  assert.equal(limits.wwwAuthenticate, 'ApiKey realm="market-data"');
  assert.equal(limits.allowedMethods, 'GET, HEAD');
});
