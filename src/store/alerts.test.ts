import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { AlertChange, AlertFact } from './alerts.ts';
import type { NewDelivery } from './deliveries.ts';
import { openEngine, storeTest } from './store.testing.ts';
import type { Store } from './store.ts';

const fact: AlertFact = { name: 'SourceLost', subject: 'kraken', event: 'source', severity: 'info', summary: 'lost' };
const due = { ...fact, isDue: true };
const delivery = { destination: 'ops', content: '{}' };
const broken = { ...delivery, content: null as never };

function look({ alerts }: Store, facts: readonly (typeof due)[], tellings: readonly NewDelivery[] = [delivery]) {
  return alerts.observe({ facts, watchedMs: 60_000, endAfterMs: 30_000, deliveriesOf: () => tellings });
}

describe('alerts of several processes', () => {
  storeTest('are told once when they begin and once when they end, together with their deliveries', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const stores = [store, await openAnother(), await openAnother()];
    const lookAll = async (facts: readonly (typeof due)[]) => {
      const told: AlertChange[] = [];
      for (const each of stores) told.push(...(await look(each, facts)));
      return told;
    };
    assert.equal((await lookAll([due])).length, 1);
    assert.deepEqual(await lookAll([due]), []);
    assert.equal((await store.alerts.list())[0]?.raisedAt, clock.now());
    clock.jump(30_000);
    const ended = await lookAll([]);
    assert.deepEqual(
      ended.map(({ endedAt }) => endedAt),
      [clock.now()],
    );
    assert.equal((await store.deliveries.list({ limit: 9 })).length, 2);
    assert.deepEqual(await store.alerts.list(), []);
  });

  storeTest('begin once they are due, and are on while any process sees them at all', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const other = await openAnother();
    assert.deepEqual(await look(store, [{ ...fact, isDue: false }]), []);
    assert.deepEqual(await store.alerts.list(), []);
    assert.equal((await look(store, [due])).length, 1);
    clock.jump(30_000);
    await look(other, [{ ...fact, isDue: false }]);
    assert.deepEqual(await look(store, []), []);
    clock.jump(29_999);
    assert.deepEqual(await look(store, []), []);
    clock.jump(1);
    assert.equal((await look(store, [])).length, 1);
  });

  storeTest('neither begin nor end when what tells it cannot be written', async (t) => {
    const { store, clock } = await openEngine(t);
    await assert.rejects(look(store, [due], [broken]));
    assert.deepEqual(await store.alerts.list(), []);
    assert.equal((await look(store, [due])).length, 1);
    clock.jump(30_000);
    await assert.rejects(look(store, [], [broken]));
    assert.equal((await store.alerts.list()).length, 1);
    assert.equal((await look(store, [])).length, 1);
  });

  storeTest('are written where their deliveries are seen with them', async (t) => {
    const { store, engine, outside } = await openEngine(t);
    const raised = (await look(store, [due], [])).length;
    assert.equal(raised, 1);
    await outside.run('delete from alerts');
    // Refuses a delivery that another connection than that of its alert writes.
    if (engine === 'sqlite')
      await outside.run(`create trigger only_together before insert on deliveries when not exists (select 1 from alerts)
        begin select raise(abort, 'alone'); end`);
    else {
      await outside.run(`create function refuse_alone() returns trigger language plpgsql as
        $$ begin if not exists (select 1 from alerts) then raise 'alone'; end if; return new; end $$`);
      await outside.run(
        'create trigger only_together before insert on deliveries for each row execute function refuse_alone()',
      );
    }
    assert.equal((await look(store, [due])).length, 1);
    assert.equal((await store.deliveries.list({ limit: 9 })).length, 1);
  });
});

describe('deliveries', () => {
  const options = { leaseMs: 1_000, messageIdDomain: 'example.com' };

  storeTest('are each claimed once, and again under the same ids when a claim is over', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const other = await openAnother();
    const [id] = await store.deliveries.add([delivery]);
    const first = await store.deliveries.claim(options);
    const more = [await other.deliveries.claim(options), await store.deliveries.claim(options)];
    assert.deepEqual([first?.id, first?.messageId, ...more], [id, `<${id}@example.com>`, undefined, undefined]);
    clock.jump(1_000);
    const again = await other.deliveries.claim({ ...options, messageIdDomain: 'example.org' });
    assert.deepEqual([again?.id, again?.messageId, again?.attempts], [id, first?.messageId, 2]);
    assert.equal(await store.deliveries.settle(first!, { status: 'failed', error: 'late' }), false);
    assert.equal(await other.deliveries.settle(again!, { status: 'sent' }), true);
    assert.equal((await store.deliveries.list({ limit: 9 }))[0]?.sentAt, clock.now());
    await store.deliveries.prune((clock.now() + 1) as EpochMs);
    assert.deepEqual(await store.deliveries.list({ limit: 9 }), []);
  });

  storeTest('of one destination are sent in their order, also when one must wait; others do not wait', async (t) => {
    const { store, clock } = await openEngine(t);
    const contents = ['1', '2', '3', '4', '5', '6'];
    const ids = await store.deliveries.add(contents.map((content) => ({ destination: 'ops', content })));
    await store.deliveries.add([{ destination: 'chat', content: 'other' }]);
    const claim = async () => (await store.deliveries.claim(options))!;
    clock.jump(1);
    const claimed = [await claim(), await claim()];
    assert.deepEqual(claimed.map(({ content }) => content).sort(), ['1', 'other']);
    assert.equal(await claim(), undefined);
    const one = claimed.find(({ content }) => content === '1')!;
    const nextAttemptAt = (clock.now() + 500) as EpochMs;
    await store.deliveries.settle(one, { status: 'pending', error: 'HTTP 500', nextAttemptAt });
    assert.equal(await claim(), undefined);
    clock.jump(500);
    for (const content of contents) {
      const next = await claim();
      assert.equal(next.content, content);
      await store.deliveries.settle(next, { status: 'sent' });
    }
    const listed = await store.deliveries.list({ destination: 'ops', limit: 9 });
    assert.deepEqual(listed.map(({ id }) => id).toReversed(), ids);
  });
});
