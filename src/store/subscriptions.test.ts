import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { openEngine, storeTest } from './store.testing.ts';
import type { Store } from './store.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

function askFor({ subscriptions }: Store, target: string) {
  return subscriptions.ask({ kind: 'mail', target, receiver: target, language: 'en' });
}

async function subscribe(store: Store, target: string): Promise<string> {
  await askFor(store, target);
  const { id } = (await store.subscriptions.list()).find((each) => each.target === target)!;
  assert.equal(await store.subscriptions.confirm(await store.subscriptions.token(id, 'confirm', 'dlv_1')), true);
  return id;
}

async function messages(store: Store): Promise<string[]> {
  const all = await store.subscriptionMessages.list({ limit: 500 });
  return all.map(({ content }) => content).filter((content) => content !== '{}');
}

describe('subscriptions', () => {
  storeTest(
    'are told an event once each, whichever processes notice it, together with its being noticed',
    async (t) => {
      const { store, openAnother, outside } = await openEngine(t);
      const stores = [store, await openAnother(), await openAnother()];
      await subscribe(store, 'a@example.com');
      await subscribe(store, 'b@example.com');
      await askFor(store, 'unconfirmed@example.com');
      // One after the other: two transactions of one thread would wait for each other.
      for (const { subscriptions } of stores) await subscriptions.tell('inc_1', 'begun', '{"n":1}');
      assert.deepEqual(await messages(store), ['{"n":1}', '{"n":1}']);
      await assert.rejects(store.subscriptions.tell('inc_1', 'ended', null as never));
      assert.deepEqual(await store.subscriptions.told(['inc_1']), [{ subject: 'inc_1', event: 'begun' }]);
      await store.subscriptions.tell('inc_1', 'ended', '{"n":2}');
      assert.equal((await messages(store)).length, 4);
      assert.equal((await outside.run('select * from status_news')).length, 2);
    },
  );

  storeTest(
    'that nobody confirms are asked for three times at most, ten minutes apart, until they are forgotten',
    async (t) => {
      const { store, clock } = await openEngine(t);
      const asked = async () => (await store.subscriptionMessages.list({ limit: 99 })).length;
      await askFor(store, 'a@example.com');
      clock.jump(10 * minuteMs - 1);
      await askFor(store, 'a@example.com');
      assert.equal(await asked(), 1);
      for (let count = 0; count < 5; count++) {
        clock.jump(10 * minuteMs);
        await askFor(store, 'a@example.com');
      }
      assert.equal(await asked(), 3);
      clock.jump(dayMs - 30 * minuteMs - 1);
      await store.subscriptions.prune();
      assert.equal(await asked(), 3);
      clock.jump(1);
      await store.subscriptions.prune();
      await askFor(store, 'a@example.com');
      assert.equal(await asked(), 1, 'forgotten with its messages, and asked anew');
    },
  );

  storeTest('that are confirmed are not asked again, and links of a day ago confirm nothing', async (t) => {
    const { store, clock } = await openEngine(t);
    const id = await subscribe(store, 'a@example.com');
    const token = await store.subscriptions.token(id, 'confirm', 'dlv_1');
    clock.jump(dayMs);
    await askFor(store, 'a@example.com');
    assert.equal((await store.subscriptionMessages.list({ limit: 9 })).length, 1);
    assert.equal(await store.subscriptions.confirm(token), false);
    assert.equal((await store.subscriptions.list()).length, 1);
  });

  storeTest('are asked for 60 times an hour at most, and say when the next may be', async (t) => {
    const { store, clock } = await openEngine(t);
    for (let count = 0; count < 60; count++) {
      assert.equal(await askFor(store, `a@example${count}.com`), undefined);
      clock.jump(1_000);
    }
    assert.equal(await askFor(store, 'b@example.com'), 3_600 - 60);
    assert.equal(await askFor(store, 'a@example1.com'), 3_600 - 60, 'known or not');
    clock.jump(3_540_000);
    assert.equal(await askFor(store, 'b@example.com'), undefined);
  });

  storeTest('that end are gone with their links and messages; a link that confirms does not end them', async (t) => {
    const { store, outside } = await openEngine(t);
    const id = await subscribe(store, 'a@example.com');
    await store.subscriptions.tell('win_1', 'begun', '{"n":1}');
    const [confirm, end] = [
      await store.subscriptions.token(id, 'confirm', 'dlv_1'),
      await store.subscriptions.token(id, 'end', 'dlv_2'),
    ];
    await store.subscriptions.end(confirm);
    assert.equal((await store.subscriptions.list()).length, 1);
    await store.subscriptions.end(end);
    await store.subscriptions.end(end);
    for (const table of ['subscriptions', 'subscription_tokens', 'subscription_messages'])
      assert.deepEqual(await outside.run(`select * from ${table}`), [], table);
  });

  storeTest('are removed by an operator, of which the audit log keeps no address', async (t) => {
    const { store } = await openEngine(t);
    await subscribe(store, 'a@example.com');
    assert.equal(await store.subscriptions.remove('b@example.com'), false);
    assert.equal(await store.subscriptions.remove('a@example.com'), true);
    const { items } = await store.audit.page({ limit: 9 });
    assert.deepEqual(
      items.map(({ action }) => action),
      ['subscription.remove'],
    );
    assert.ok(!JSON.stringify(items).includes('a@example.com'));
  });
});
