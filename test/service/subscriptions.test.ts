import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceHarness } from '../support/service-harness.ts';

test('the feed of the status is asked for again with its entity tag, and has a day of its own while it is empty', async (t) => {
  const { service } = await ServiceHarness.start(t);
  const address = `${service.baseUrl}/status/feed.atom`;
  const first = await fetch(address);
  assert.match(await first.text(), /<updated>20\d\d-\d\d-\d\dT00:00:00\.000Z<\/updated>/);
  const again = await fetch(address, { headers: { 'If-None-Match': first.headers.get('etag')! } });
  assert.equal(again.status, 304);
});
