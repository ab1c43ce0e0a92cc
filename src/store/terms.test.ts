import assert from 'node:assert/strict';
import { asEpochMs } from '../ground/clock.ts';
import { openEngine, refusal, storeTest } from './store.testing.ts';
import { type NewTerm, termLeadMs } from './terms.ts';

const hourMs = 3_600_000;

async function withTerms(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const { store, clock } = fixture;
  const inHours = (hours: number) => asEpochMs(clock.now() + hours * hourMs);
  const add = (changes: Partial<NewTerm> = {}) =>
    store.terms.add({ from: inHours(1), scope: 'service', subject: undefined, feePercent: '0.4', ...changes });
  return { ...fixture, inHours, add };
}

storeTest('a term comes back as it was set, listed by its start', async (t) => {
  const { store, clock, add, inHours } = await withTerms(t);
  const late = await add({ from: inHours(2), scope: 'market', subject: 'BTCCZK', pricePrecision: '0' });
  const early = await add({ rounding: 'nearest', feePercent: 'inherit' });
  assert.match(early.id, /^trm_[0-9A-Za-z]{16}$/);
  assert.deepEqual(late, {
    id: late.id,
    from: inHours(2),
    scope: 'market',
    subject: 'BTCCZK',
    feePercent: '0.4',
    marginPercent: undefined,
    pricePrecision: '0',
    rounding: undefined,
    createdAt: clock.now(),
    cancelledAt: undefined,
  });
  assert.deepEqual(await store.terms.list(), [early, late]);
});

storeTest('what begins now or earlier begins when every process has read it', async (t) => {
  const { clock, add, inHours } = await withTerms(t);
  assert.equal((await add({ from: inHours(-1) })).from, clock.now() + termLeadMs);
  assert.equal((await add({ from: clock.now() })).from, clock.now() + termLeadMs);
});

storeTest('a term that makes no sense is refused with the reason', async (t) => {
  const { store, add } = await withTerms(t);
  const refusals: readonly [Partial<NewTerm>, string][] = [
    [{ feePercent: undefined }, 'term_empty'],
    [{ feePercent: '100' }, 'term_value'],
    [{ feePercent: '-1' }, 'term_value'],
    [{ feePercent: '0,4' }, 'term_value'],
    [{ scope: 'market', subject: 'BTCCZK', pricePrecision: '19' }, 'term_value'],
    [{ rounding: 'up' }, 'term_value'],
    [{ marginPercent: '1' }, 'term_scope'],
    [{ subject: 'BTCEUR' }, 'term_scope'],
    [{ scope: 'market' }, 'term_scope'],
    [{ from: asEpochMs(1e15) }, 'term_start'],
  ];
  for (const [changes, reason] of refusals) await assert.rejects(add(changes), refusal(reason), reason);
  assert.deepEqual(await store.terms.list(), []);
});

storeTest('only a term that has not begun is cancelled, and stays on record', async (t) => {
  const { store, clock, add, inHours } = await withTerms(t);
  const { id } = await add();
  assert.equal((await store.terms.cancel(id)).cancelledAt, clock.now());
  await assert.rejects(store.terms.cancel(id), refusal('term_cancelled'));
  await assert.rejects(store.terms.cancel('trm_none'), refusal('term_unknown'));
  const begun = await add({ from: inHours(1) });
  clock.jump(hourMs - termLeadMs);
  await assert.rejects(store.terms.cancel(begun.id), refusal('term_begun'));
  assert.deepEqual(
    (await store.terms.list()).map((term) => term.id),
    [begun.id],
  );
  assert.equal((await store.terms.list({ withCancelled: true })).length, 2);
});

storeTest('the audit log has who set and who cancelled a term, with what it says', async (t) => {
  const { store, add } = await withTerms(t);
  const { id } = await add({ scope: 'market', subject: 'BTCEUR' });
  await store.as('olga').terms.cancel(id);
  const { items } = await store.audit.page({ limit: 5, subjectId: id });
  assert.deepEqual(
    items.map(({ actor, action }) => [actor, action]),
    [
      ['olga', 'term.cancel'],
      ['system', 'term.set'],
    ],
  );
  assert.equal(items[1]?.summary, 'Set for BTCEUR from 2026-11-21T11:00:00.000Z: fee 0.4.');
});

storeTest('a change of terms by another program is noticed as one, and nothing else is', async (t) => {
  const { store, add, outside } = await withTerms(t);
  const seen: (readonly [terms: boolean, windows: boolean])[] = [];
  const watch = store.watchChanges({
    changed: ({ terms, maintenanceWindows }) => void seen.push([terms, maintenanceWindows]),
    failed: (error) => assert.fail(String(error)),
  });
  await watch.look();
  await add();
  await watch.look();
  await outside.run("update terms set fee_percent = '0.3'");
  await watch.look();
  await outside.run('delete from terms');
  await watch.look();
  await watch.stop();
  assert.deepEqual(seen, [
    [true, true],
    [true, false],
    [true, false],
    [true, false],
  ]);
});
