import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { FakeClock } from '../../test/support/fake-clock.ts';
import { asEpochMs, type EpochMs } from '../ground/clock.ts';
import { approvalForMs, approvalsMax, type NewApproval } from './approvals.ts';
import type { ListPosition } from './paging.ts';
import { openEngine, refusal, storeTest } from './store.testing.ts';
import type { Store } from './store.ts';

const ofFee = (fee: string): NewApproval => ({
  action: 'term.set',
  subject: 'BTCEUR',
  change: { action: 'term.set', fee },
  basis: [{ what: 'fee', from: '0.5', to: fee }],
});
/** Lets time pass, so that whoever waits for a lock tries again, until all are through. */
async function raced<T>(clock: FakeClock, tried: readonly Promise<T>[]) {
  let isOver = false;
  const settled = Promise.allSettled(tried).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}

const actions = async (store: Store) => {
  const { items } = await store.audit.page({ limit: 100 });
  return items.map(({ action, actor, subject }) => `${actor} ${action} ${subject.kind}`).toReversed();
};

describe('a proposed change', () => {
  storeTest('waits as it was proposed, over a restart, until it is decided on, and is in the audit log', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const proposed = await store.as('alice').approvals.propose(ofFee('0.4'));
    assert.match(proposed.id, /^apr_\w{16}$/);
    assert.deepEqual(proposed.change, { action: 'term.set', fee: '0.4' });
    assert.deepEqual([proposed.proposedBy, proposed.expiresAt - clock.now()], ['alice', approvalForMs]);
    const restarted = await openAnother();
    assert.deepEqual(await restarted.approvals.waiting(), [proposed]);
    clock.jump(1_000);
    const { state, decidedAt, decidedBy } = await restarted.as('bob').approvals.decide(proposed.id, 'confirmed');
    assert.deepEqual([state, decidedAt, decidedBy], ['confirmed', clock.now(), 'bob']);
    assert.deepEqual(await store.approvals.waiting(), []);
    assert.equal((await store.approvals.get(proposed.id)).state, 'confirmed');
    assert.deepEqual(await actions(store), ['alice approval.propose approval', 'bob approval.confirm approval']);
    const { summary } = (await store.audit.page({ limit: 1 })).items[0]!;
    assert.equal(summary, 'Confirmed a term for BTCEUR: fee 0.5 → 0.4, as alice proposed.');
  });

  storeTest('is decided on once, however many try at the same time', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const { id } = await store.approvals.propose(ofFee('0.4'));
    const others = [await openAnother(), await openAnother(), await openAnother()];
    const tried = await raced(
      clock,
      others.flatMap((each) => [each.approvals.decide(id, 'confirmed'), each.approvals.decide(id, 'rejected')]),
    );
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const each of tried) {
      if (each.status === 'rejected') assert.equal(each.reason.code, 'approval_decided');
    }
    assert.equal((await actions(store)).length, 2);
  });

  storeTest('is applied in the transaction of its confirmation, or both are not', async (t) => {
    const { store } = await openEngine(t);
    const { id } = await store.approvals.propose(ofFee('0.4'));
    const term = { from: 0 as EpochMs, scope: 'service', subject: undefined, feePercent: '0.4' } as const;
    const failing = store.as('bob').atomically(async (parts) => {
      await parts.approvals.decide(id, 'confirmed');
      await parts.terms.add(term);
      throw new Error('the basis is another');
    });
    await assert.rejects(failing, /the basis is another/);
    assert.equal((await store.approvals.get(id)).state, 'waiting');
    assert.deepEqual(await store.terms.list(), []);
    await store.as('bob').atomically(async (parts) => {
      await parts.approvals.decide(id, 'confirmed');
      await parts.terms.add(term);
    });
    assert.equal((await store.terms.list()).length, 1);
    assert.deepEqual((await actions(store)).slice(1), ['bob approval.confirm approval', 'bob term.set term']);
  });

  storeTest('holds the others back while it is applied', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const one = await store.approvals.propose(ofFee('0.4'));
    const other = await store.approvals.propose(ofFee('0.3'));
    const order: string[] = [];
    const confirm = async (by: Store, id: string, name: string) =>
      by.atomically(async (parts) => {
        await parts.approvals.decide(id, 'confirmed');
        order.push(`${name} begins`);
        await parts.terms.list();
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
      });
    const second = await openAnother();
    await raced(clock, [confirm(store, one.id, 'one'), confirm(second, other.id, 'other')]);
    const [first] = order[0]!.split(' ');
    assert.equal(order[1], `${first} ends`);
  });

  storeTest('expires, and then the same can be proposed again', async (t) => {
    const { store, clock } = await openEngine(t);
    const { id, expiresAt } = await store.approvals.propose(ofFee('0.4'));
    clock.jump(approvalForMs - 1);
    await assert.rejects(store.approvals.propose(ofFee('0.4')), refusal('approval_waits'));
    clock.jump(1);
    assert.equal(clock.now(), expiresAt);
    assert.equal((await store.approvals.get(id)).state, 'expired');
    assert.deepEqual(await store.approvals.waiting(), []);
    await assert.rejects(store.approvals.decide(id, 'confirmed'), refusal('approval_expired'));
    await store.approvals.propose(ofFee('0.4'));
    await assert.rejects(store.approvals.decide(id, 'confirmed'), refusal('approval_expired'));
  });

  storeTest('waits once: the same change is refused, another one of the same subject is not', async (t) => {
    const { store, openAnother, clock } = await openEngine(t);
    const other = await openAnother();
    const tried = await raced(clock, [store.approvals.propose(ofFee('0.4')), other.approvals.propose(ofFee('0.4'))]);
    assert.deepEqual(tried.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await assert.rejects(store.approvals.propose(ofFee('0.4')), refusal('approval_waits'));
    await store.approvals.propose(ofFee('0.3'));
    assert.equal((await store.approvals.waiting()).length, 2);
  });

  storeTest('waits with a hundred others at most', async (t) => {
    const { store } = await openEngine(t);
    for (let fee = 0; fee < approvalsMax; fee++) await store.approvals.propose(ofFee(String(fee)));
    await assert.rejects(store.approvals.propose(ofFee('x')), refusal('approval_too_many'));
    const [first] = await store.approvals.waiting();
    await store.approvals.decide(first!.id, 'rejected');
    await store.approvals.propose(ofFee('x'));
  });

  storeTest(
    'is listed in pages, the latest first, and forgotten with the audit log once it is decided on',
    async (t) => {
      const { store, clock } = await openEngine(t);
      for (let fee = 0; fee < 7; fee++) {
        await store.approvals.propose(ofFee(String(fee)));
        if (fee % 3 === 2) clock.jump(1);
      }
      const seen: unknown[] = [];
      let after: ListPosition | undefined;
      do {
        const page = await store.approvals.page({ limit: 3, after });
        seen.push(...page.items.map(({ change }) => (change as { fee: string }).fee));
        after = page.next;
      } while (after !== undefined);
      assert.equal(new Set(seen).size, 7);
      assert.equal(seen[0], '6');
      const [oldest, ...others] = await store.approvals.waiting();
      await store.approvals.decide(oldest!.id, 'rejected');
      await store.approvals.prune(asEpochMs(clock.now() + 1));
      await assert.rejects(store.approvals.get(oldest!.id), refusal('approval_unknown'));
      assert.deepEqual(await store.approvals.waiting(), others);
      clock.jump(approvalForMs);
      await store.approvals.prune(asEpochMs(clock.now()));
      assert.deepEqual((await store.approvals.page({ limit: 10 })).items, []);
    },
  );

  storeTest('that is not there is named', async (t) => {
    const { store } = await openEngine(t);
    await assert.rejects(store.approvals.get('apr_none'), refusal('approval_unknown'));
    await assert.rejects(store.approvals.decide('apr_none', 'confirmed'), refusal('approval_unknown'));
  });
});
