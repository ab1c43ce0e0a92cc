import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { AlertChange, AlertFact } from './alerts.ts';
import { openEngine, refusal, storeTest } from './store.testing.ts';

const fact: AlertFact = { name: 'SourceLost', subject: 'kraken', event: 'source', severity: 'info', summary: 'lost' };
const at = Date.parse('2026-11-21T09:00:00.000Z') as EpochMs;
const raised: AlertChange = { ...fact, id: 'alr_1', step: 'raised', raisedAt: at };
const ended: AlertChange = { ...raised, step: 'ended', endedAt: at };
const delivery = { destination: 'ops', content: '{}' };
const broken = { ...delivery, content: null as never };

describe('alerts of several processes', () => {
  storeTest('are each taken once when they begin and once when they end, together with their messages', async (t) => {
    const { store, openAnother } = await openEngine(t);
    const stores = [store, await openAnother(), await openAnother()];
    const taken = async (change: AlertChange, lastSeenAt?: EpochMs) => {
      const outcomes: boolean[] = [];
      for (const { alerts } of stores) outcomes.push(await alerts.take(change, [delivery], lastSeenAt));
      return outcomes.filter(Boolean).length;
    };
    assert.equal(await taken(raised), 1);
    assert.equal(await taken({ ...raised, id: 'alr_2' }), 0, 'which another process calls otherwise');
    const [alert] = await store.alerts.list();
    assert.deepEqual([alert?.id, alert?.raisedAt, alert?.toldAt], ['alr_1', at, at]);
    assert.equal(await taken(ended, alert?.lastSeenAt), 1);
    assert.equal((await store.deliveries.list({ limit: 9 })).length, 2);
    assert.deepEqual(await store.alerts.list(), []);
  });

  storeTest('do not end while another process sees them', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const other = await openAnother();
    await store.alerts.take(raised, []);
    const [read] = await store.alerts.list();
    clock.jump(5_000);
    await other.alerts.see(['alr_1']);
    assert.equal(await store.alerts.take(ended, [delivery], read?.lastSeenAt), false);
    const [again] = await store.alerts.list();
    assert.equal(again?.lastSeenAt, clock.now());
    assert.equal(await store.alerts.take(ended, [delivery], again?.lastSeenAt), true);
  });

  storeTest('neither begin nor end when what tells it cannot be written', async (t) => {
    const { store } = await openEngine(t);
    await assert.rejects(store.alerts.take(raised, [broken]));
    assert.deepEqual(await store.alerts.list(), []);
    await store.alerts.take(raised, [delivery]);
    await assert.rejects(store.alerts.take(ended, [broken]));
    assert.equal((await store.alerts.list()).length, 1);
  });

  storeTest('are told again once for each time, and not once somebody has acknowledged them', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const other = await openAnother();
    await store.alerts.take(raised, []);
    const repeated: AlertChange = { ...raised, step: 'repeated', toldAt: clock.now(), repeats: 1 };
    assert.equal(await store.alerts.take(repeated, [delivery]), true);
    assert.equal(await other.alerts.take(repeated, [delivery]), false);
    const escalated: AlertChange = { ...raised, step: 'escalated', escalatedAt: clock.now() };
    assert.equal(await other.alerts.take(escalated, [delivery]), true);
    assert.equal(await store.alerts.take(escalated, [delivery]), false);
    const [alert] = await store.alerts.list();
    assert.deepEqual([alert?.toldAt, alert?.repeats, alert?.escalatedAt], [clock.now(), 1, clock.now()]);
    await store.alerts.acknowledge('alr_1');
    assert.equal(await store.alerts.take({ ...repeated, repeats: 2 }, [delivery]), false);
  });

  storeTest('are acknowledged by id or by name, of which the audit log says who', async (t) => {
    const { store, clock } = await openEngine(t);
    await store.alerts.take(raised, []);
    await store.alerts.take({ ...raised, id: 'alr_2', subject: 'bitvavo' }, []);
    const ann = store.as('cli:ann');
    assert.deepEqual(
      (await ann.alerts.acknowledge('alr_2')).map(({ subject, acknowledgedBy }) => [subject, acknowledgedBy]),
      [['bitvavo', 'cli:ann']],
    );
    assert.deepEqual(
      (await store.as('bob').alerts.acknowledge('SourceLost')).map(({ id, acknowledgedBy }) => [id, acknowledgedBy]),
      [['alr_1', 'bob']],
      'what somebody knows of stays theirs',
    );
    const known = (await store.alerts.list()).map(({ id, acknowledgedAt }) => [id, acknowledgedAt]);
    assert.deepEqual(known.toSorted(), [
      ['alr_1', clock.now()],
      ['alr_2', clock.now()],
    ]);
    const { items } = await store.audit.page({ limit: 9, action: 'alert.' });
    assert.deepEqual(items.map(({ actor, subject }) => `${actor} ${subject.id}`).toSorted(), [
      'bob alr_1',
      'cli:ann alr_2',
    ]);
    await assert.rejects(store.alerts.acknowledge('alr_3'), refusal('alert_unknown'));
  });

  storeTest('that were told without the store are written down once, whoever writes them', async (t) => {
    const { store, openAnother } = await openEngine(t);
    const other = await openAnother();
    for (const { alerts } of [store, other, store]) await alerts.write(raised);
    assert.deepEqual(
      (await store.alerts.list()).map(({ id, raisedAt }) => [id, raisedAt]),
      [['alr_1', at]],
    );
    await other.alerts.write(ended);
    assert.deepEqual(await store.alerts.list(), []);
  });

  storeTest('are written where their deliveries are seen with them', async (t) => {
    const { store, engine, outside } = await openEngine(t);
    assert.equal(await store.alerts.take(raised, []), true);
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
    assert.equal(await store.alerts.take(raised, [delivery]), true);
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

  storeTest('that were sent without the store are written down with their instants, and not sent again', async (t) => {
    const { store, clock } = await openEngine(t);
    const [written] = await store.deliveries.add([delivery]);
    const sent = { destination: 'ops', content: '{}', status: 'sent', attempts: 2, lastError: undefined } as const;
    const instants = { createdAt: at, nextAttemptAt: at, sentAt: (at + 1_000) as EpochMs };
    for (const id of [written!, 'dlv_other', 'dlv_other']) await store.deliveries.keep({ ...sent, ...instants, id });
    const kept = await store.deliveries.list({ limit: 9 });
    assert.deepEqual(
      new Set(kept.map(({ id, sentAt }) => `${id} ${sentAt}`)),
      new Set([`${written} ${at + 1_000}`, `dlv_other ${at + 1_000}`]),
    );
    await store.deliveries.keep({ ...sent, ...instants, id: written!, status: 'pending', sentAt: undefined });
    clock.jump(60_000);
    assert.equal(await store.deliveries.claim(options), undefined, 'what is settled stays so');
    assert.deepEqual(await store.deliveries.pendingOf([written!, 'dlv_other']), []);
  });
});
