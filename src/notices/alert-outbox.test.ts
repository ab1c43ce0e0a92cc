import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFixture } from '../store/store.testing.ts';
import { AlertOutbox } from './alert-outbox.ts';
import { StoreReach } from './store-reach.ts';

const options = { leaseMs: 120_000, messageIdDomain: 'example.com' };

test('a message that is sent from memory is not sent a second time because the store gives it again', async (t) => {
  const { store, clock } = await openFixture(t);
  const reach = new StoreReach(clock);
  const outbox = new AlertOutbox(store.deliveries, reach, clock);
  const message = { id: 'dlv_1', destination: 'ops', content: '{}', createdAt: clock.now() };
  await store.deliveries.add([message]);
  outbox.add([message], true);
  await assert.rejects(reach.ask(() => Promise.reject(new Error('gone'))));
  const [claim] = await outbox.claimMany(options, 9);
  assert.equal(claim?.id, 'dlv_1');
  reach.back();
  assert.deepEqual(await outbox.claimMany(options, 9), [], 'while it is under way');
  await outbox.settle(claim!, { status: 'sent' });
  const [kept] = await store.deliveries.list({ limit: 1 });
  assert.deepEqual([kept?.status, kept?.sentAt, kept?.claimedUntil], ['sent', clock.now(), undefined]);
});

test('a message that another process has sent is forgotten, and not sent when the store goes later', async (t) => {
  const { store, clock, openAnother } = await openFixture(t);
  const other = await openAnother();
  const reach = new StoreReach(clock);
  const outbox = new AlertOutbox(store.deliveries, reach, clock);
  const message = { id: 'dlv_1', destination: 'ops', content: '{}', createdAt: clock.now() };
  await store.deliveries.add([message]);
  outbox.add([message], true);
  const claimed = await other.deliveries.claim(options);
  await other.deliveries.settle(claimed!, { status: 'sent' });
  await outbox.forget();
  await assert.rejects(reach.ask(() => Promise.reject(new Error('gone'))));
  assert.deepEqual(await outbox.claimMany(options, 9), []);
});
