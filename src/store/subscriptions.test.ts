import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { openEngine, storeTest } from './store.testing.ts';
import type { Store } from './store.ts';
import type { SubscriptionRecord } from './subscriptions.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

function askFor({ subscriptions }: Store, target: string) {
  return subscriptions.ask({ kind: 'mail', target, receiver: target, language: 'en' });
}

async function subscribe(store: Store, target: string): Promise<SubscriptionRecord> {
  await askFor(store, target);
  const made = (await store.subscriptions.list()).find((each) => each.target === target)!;
  assert.equal(await store.subscriptions.confirm(await store.subscriptions.token(made, 'confirm', 'dlv_1')), true);
  return made;
}

async function messages(store: Store): Promise<string[]> {
  const all = await store.subscriptionMessages.list({ limit: 500 });
  return all.map(({ content }) => content).filter((content) => content !== '{}');
}

describe('subscriptions', () => {
  storeTest(
    'are told an event once each, whichever processes notice it, together with its being noticed',
    async (t) => {
      const { store, clock, openAnother, outside } = await openEngine(t);
      const stores = [store, await openAnother(), await openAnother()];
      await subscribe(store, 'a@example.com');
      await subscribe(store, 'b@example.com');
      await askFor(store, 'unconfirmed@example.com');
      // One after the other: two transactions of one thread would wait for each other.
      for (const { subscriptions } of stores) await subscriptions.tell('inc_1', 'begun', '{"n":1}');
      assert.deepEqual(await messages(store), ['{"n":1}', '{"n":1}']);
      await assert.rejects(store.subscriptions.tell('inc_1', 'ended', null as never));
      const told = await store.subscriptions.told(['inc_1']);
      assert.deepEqual(told, [{ subject: 'inc_1', event: 'begun', toldAt: clock.now() }]);
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
    const made = await subscribe(store, 'a@example.com');
    const token = await store.subscriptions.token(made, 'confirm', 'dlv_1');
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
    const made = await subscribe(store, 'a@example.com');
    await store.subscriptions.tell('win_1', 'begun', '{"n":1}');
    const [confirm, end] = [
      await store.subscriptions.token(made, 'confirm', 'dlv_1'),
      await store.subscriptions.token(made, 'end', 'dlv_2'),
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

  storeTest('of one domain are asked for 20 times an hour at most', async (t) => {
    const { store } = await openEngine(t);
    const ask = (target: string) => askFor(store, target);
    for (let count = 0; count < 20; count++) assert.equal(await ask(`a@h${count}.Example.com`), undefined);
    assert.equal(await ask('b@example.com'), 3_600);
    assert.equal(await ask('b@example.net'), undefined);
  });

  storeTest('have one token for the link of a message, whatever the attempts, and one that ends it', async (t) => {
    const { store, clock, outside } = await openEngine(t);
    const made = await subscribe(store, 'a@example.com');
    const token = (purpose: 'confirm' | 'end', message: string) => store.subscriptions.token(made, purpose, message);
    const ends = [await token('end', 'dlv_2'), await token('end', 'dlv_2'), await token('end', 'dlv_3')];
    assert.equal(new Set(ends).size, 1);
    assert.match(ends[0]!, /^[\w-]{32}$/);
    assert.equal(await token('confirm', 'dlv_4'), await token('confirm', 'dlv_4'));
    assert.notEqual(await token('confirm', 'dlv_4'), await token('confirm', 'dlv_1'));
    assert.equal((await outside.run('select * from subscription_tokens')).length, 3);
    const other = await subscribe(store, 'b@example.com');
    assert.notEqual(await store.subscriptions.token(other, 'end', 'dlv_2'), ends[0]);
    clock.jump(399 * dayMs);
    await token('end', 'dlv_5');
    clock.jump(399 * dayMs);
    await store.subscriptions.prune();
    assert.equal(await store.subscriptions.end(ends[0]!), true, 'for as long as messages come');
  });

  storeTest(
    'that take no message are told apart from others, and nothing after five days until they confirm anew',
    async (t) => {
      const { store, clock } = await openEngine(t);
      const { id } = await subscribe(store, 'a@example.com');
      await subscribe(store, 'b@example.com');
      const options = { leaseMs: 1_000, messageIdDomain: 'example.com' };
      const claim = (lane: 'confirm' | 'news' | 'failing') => store.subscriptionMessages.of(lane).claimMany(options, 9);
      const settle = (claims: Awaited<ReturnType<typeof claim>>, isTaken: boolean) => {
        const outcome = isTaken ? ({ status: 'sent' } as const) : ({ status: 'failed', error: 'HTTP 500' } as const);
        return store.subscriptions.settle(claims.map((each) => ({ claim: each, outcome, isTaken })));
      };
      await settle(await claim('confirm'), true);
      const news = async (event: string) => {
        clock.jump(60_000);
        await store.subscriptions.tell('inc_1', event, '{"n":1}');
      };
      await news('1');
      const first = await claim('news');
      assert.equal(first.length, 2);
      await settle(
        first.filter(({ destination }) => destination === id),
        false,
      );
      await settle(
        first.filter(({ destination }) => destination !== id),
        true,
      );
      await news('2');
      assert.deepEqual([(await claim('news')).length, (await claim('failing')).length], [1, 1]);
      clock.jump(5 * dayMs);
      assert.deepEqual(await settle(await claim('failing'), false), [id]);
      await news('3');
      assert.equal((await claim('failing')).length, 0);
      await askFor(store, 'a@example.com');
      const [again] = await claim('confirm');
      assert.equal(again?.destination, id);
      const made = (await store.subscriptions.list(id))[0]!;
      await store.subscriptions.confirm(await store.subscriptions.token(made, 'confirm', again!.id));
      await settle([again!], true);
      await news('4');
      assert.ok((await claim('news')).some(({ destination }) => destination === id));
    },
  );
});
