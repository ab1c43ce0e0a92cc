import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pollEverything } from '../contract/generated-client.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';

test('a client generated from the document polls the running service, and gets what the service knows', async (t) => {
  const { service, credentials } = await ServiceHarness.start(t);
  const polled = await pollEverything(service.baseUrl, credentials.key);
  assert.deepEqual(
    polled.markets.map(({ symbol }) => symbol),
    allSymbols,
  );
  assert.deepEqual(
    polled.tickers.map(({ symbol }) => symbol),
    allSymbols,
  );
  assert.equal(polled.status.status, 'operational');
});
