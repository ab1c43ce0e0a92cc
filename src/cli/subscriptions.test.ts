import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { systemClock } from '../ground/clock.ts';
import { openStore } from '../store/store.ts';
import { newOperator } from './cli.testing.ts';

test('subscriptions are listed with how many are confirmed, and deleted by their address', async (t) => {
  const { directory, mdapi, json, text } = newOperator(t);
  await text('accounts', 'create', '--email', 'holder@example.net');
  assert.match(await text('subscriptions', 'list'), /No subscriptions\./);
  const url = `sqlite:${directory}/mdapi.sqlite`;
  const { subscriptions, close } = await openStore({ url, clock: systemClock, randomness: seededRandomness(1) });
  for (const target of ['a@example.com', 'b@example.com'])
    await subscriptions.ask({ kind: 'mail', target, receiver: target, language: 'cs' });
  const found = (await subscriptions.list()).find(({ target }) => target === 'a@example.com')!;
  await subscriptions.confirm(await subscriptions.token(found, 'confirm', 'dlv_1'));
  await close();
  const listed = await json<{ confirmed: number; unconfirmed: number }>('subscriptions', 'list');
  assert.deepEqual([listed.confirmed, listed.unconfirmed], [1, 1]);
  assert.match(await text('subscriptions', 'list'), /mail +a@example\.com +cs +2/);
  assert.match(await text('subscriptions', 'remove', 'a@example.com'), /Deleted the subscription/);
  const unknown = await mdapi('subscriptions', 'remove', 'a@example.com');
  assert.equal(unknown.exitCode, 4);
  assert.match(unknown.stderr, /There is no such subscription/);
  assert.doesNotMatch(await text('subscriptions', 'list'), /a@example/);
});
