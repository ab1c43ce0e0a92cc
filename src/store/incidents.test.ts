import assert from 'node:assert/strict';
import { asEpochMs } from '../ground/clock.ts';
import { incidentUpdatesMax, openIncidentsMax } from './incident-rules.ts';
import type { NewIncident } from './incidents.ts';
import { openEngine, refusal, storeTest } from './store.testing.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

async function begin(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const { store, clock } = fixture;
  const ago = (minutes: number) => asEpochMs(clock.now() - minutes * minuteMs);
  const open = (rest: Partial<NewIncident> = {}) =>
    store.incidents.open({ title: 'Prices are late', text: 'We look into it.', parts: ['market-data'], ...rest });
  const found = (to?: number) => {
    const outage = { component: 'market-data', state: 'outage', from: ago(30) } as const;
    return store.statusRecords.addIncident({ ...outage, to: to === undefined ? undefined : ago(to) });
  };
  const list = () => store.incidents.list({ limit: 99 });
  return { ...fixture, ago, open, found, list };
}

storeTest('an incident comes back as it was opened, with its first update', async (t) => {
  const { clock, open, list } = await begin(t);
  const incident = await open({ titleCs: ' Ceny se opožďují ', textCs: 'Zjišťujeme.', parts: ['market-data', 'api'] });
  assert.match(incident.id, /^inc_[0-9A-Za-z]{16}$/);
  assert.deepEqual(incident, {
    id: incident.id,
    isFound: false,
    measured: undefined,
    title: 'Prices are late',
    titleCs: 'Ceny se opožďují',
    parts: ['api', 'market-data'],
    state: 'investigating',
    from: clock.now(),
    to: undefined,
    review: undefined,
    reviewCs: undefined,
    reviewedAt: undefined,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    updates: [{ number: 1, state: 'investigating', at: clock.now(), text: 'We look into it.', textCs: 'Zjišťujeme.' }],
  });
  assert.deepEqual(await list(), [incident]);
});

storeTest('updates are dated by the clock, stay as they are, and carry the state', async (t) => {
  const { store, clock, open } = await begin(t);
  const { id } = await open();
  clock.jump(minuteMs);
  await store.incidents.update(id, { text: 'The exchange is away.', state: 'identified' });
  clock.jump(minuteMs);
  const { updates, state, updatedAt } = await store.incidents.update(id, { text: 'It comes back.' });
  assert.equal(state, 'identified');
  assert.equal(updatedAt, clock.now());
  assert.deepEqual(
    updates.map(({ number, at, state: of }) => [number, clock.now() - at, of]),
    [
      [3, 0, 'identified'],
      [2, minuteMs, 'identified'],
      [1, 2 * minuteMs, 'investigating'],
    ],
  );
});

storeTest(
  'a closed incident is resolved for good; its review is written then or later, and can be written anew',
  async (t) => {
    const { store, clock, open } = await begin(t);
    const { id, from } = await open();
    await assert.rejects(store.incidents.update(id, { review: 'Too early.' }), refusal('incident_not_resolved'));
    clock.jump(minuteMs);
    const closed = await store.incidents.close(id, { text: 'Over.', to: asEpochMs(from + 1_000) });
    assert.deepEqual([closed.state, closed.to, closed.updates[0]?.state], ['resolved', from + 1_000, 'resolved']);
    await assert.rejects(store.incidents.close(id, { text: 'Again.' }), refusal('incident_resolved'));
    await assert.rejects(store.incidents.update(id, { text: 'More.' }), refusal('incident_resolved'));
    await assert.rejects(store.incidents.update(id, { state: 'monitoring' }), refusal('incident_resolved'));
    const { reviewedAt } = await store.incidents.update(id, {
      review: 'A certificate ran out.',
      reviewCs: 'Certifikát.',
    });
    clock.jump(minuteMs);
    const anew = await store.incidents.update(id, { review: 'Two certificates ran out.' });
    assert.deepEqual(
      [anew.review, anew.reviewCs, anew.reviewedAt],
      ['Two certificates ran out.', undefined, reviewedAt],
      'the Czech was of another text',
    );
    const both = await store.incidents.close((await open()).id, { text: 'Over.', review: 'Known already.' });
    assert.equal(both.review, 'Known already.');
  },
);

storeTest(
  'a found outage is adopted once, under its id, with its part and its times, and stays as it was measured',
  async (t) => {
    const { store, clock, ago, found, open } = await begin(t);
    const id = await found(10);
    const lasting = await found();
    const before = await store.statusRecords.incidents(ago(60), 9);
    assert.deepEqual((await store.incidents.drafts(9)).map((each) => each.id).sort(), [id, lasting].sort());
    const adopted = await open({ found: id, parts: undefined, title: 'The exchange was away' });
    assert.deepEqual(
      [adopted.id, adopted.isFound, adopted.from, adopted.parts, adopted.measured?.to],
      [id, true, ago(30), ['market-data'], ago(10)],
    );
    await assert.rejects(open({ found: id }), refusal('incident_adopted'));
    await assert.rejects(open({ found: 'inc_none' }), refusal('incident_unknown'));
    assert.deepEqual(
      (await store.incidents.drafts(9)).map((each) => each.id),
      [lasting],
    );
    const closed = await store.incidents.close(id, { text: 'It is back.' });
    assert.equal(closed.to, ago(10), 'it was over when the outage was');
    await store.incidents.update(id, { title: 'The exchange was in maintenance', parts: ['api'] });
    assert.deepEqual(await store.statusRecords.incidents(ago(60), 9), before);
    await store.statusRecords.prune(clock.now());
    const [left] = await store.incidents.list({ limit: 9 });
    assert.deepEqual([left?.id, left?.isFound, left?.measured], [id, true, undefined]);
  },
);

storeTest('what is wrong with an incident is named, and nothing of it is written', async (t) => {
  const { store, clock, open, ago, list } = await begin(t);
  await assert.rejects(open({ title: ' ' }), refusal('incident_title'));
  await assert.rejects(open({ title: 'x'.repeat(121) }), refusal('incident_title'));
  await assert.rejects(open({ title: 'two\nlines' }), refusal('incident_title'));
  await assert.rejects(open({ titleCs: '' }), refusal('incident_title'));
  await assert.rejects(open({ text: '' }), refusal('incident_text'));
  await assert.rejects(open({ text: 'x'.repeat(2_001) }), refusal('incident_text'));
  await assert.rejects(open({ text: 'a\u0007bell' }), refusal('incident_text'));
  await assert.rejects(open({ parts: [] }), refusal('incident_parts'));
  await assert.rejects(open({ parts: undefined }), refusal('incident_parts'));
  await assert.rejects(open({ parts: ['console'] }), refusal('incident_parts'));
  await assert.rejects(open({ from: ago(-1) }), refusal('incident_start'));
  await assert.rejects(open({ from: asEpochMs(clock.now() - 91 * dayMs) }), refusal('incident_start'));
  assert.deepEqual(await list(), []);
  const { id } = await open({ from: ago(5) });
  const { update, close } = {
    update: store.incidents.update.bind(store.incidents, id),
    close: store.incidents.close.bind(store.incidents, id),
  };
  await assert.rejects(update({}), refusal('incident_unchanged'));
  await assert.rejects(update({ state: 'monitoring' }), refusal('incident_text'));
  await assert.rejects(update({ textCs: 'Česky.' }), refusal('incident_czech'));
  await assert.rejects(close({ text: 'Over.', to: ago(6) }), refusal('incident_end'));
  await assert.rejects(close({ text: 'Over.', to: ago(-1) }), refusal('incident_end'));
  await assert.rejects(close({ text: 'Over.', review: 'x'.repeat(8_001) }), refusal('incident_review'));
  await assert.rejects(close({ text: 'Over.', reviewCs: 'Závěr.' }), refusal('incident_czech'));
  await assert.rejects(store.incidents.update('inc_none', { text: 'x' }), refusal('incident_unknown'));
  assert.deepEqual(
    (await list()).map(({ updates, state }) => [updates.length, state]),
    [[1, 'investigating']],
  );
});

storeTest('an incident takes a hundred updates, and twenty are open at once', async (t) => {
  const { store, open } = await begin(t);
  const { id } = await open();
  for (let count = 1; count < incidentUpdatesMax; count++) await store.incidents.update(id, { text: `${count}` });
  await assert.rejects(store.incidents.update(id, { text: 'one more' }), refusal('incident_full'));
  await store.incidents.update(id, { title: 'Still renamed' });
  for (let count = 1; count < openIncidentsMax; count++) await open();
  await assert.rejects(open(), refusal('incidents_many'));
});

storeTest('the audit log names who wrote what, and a change of a title what it was', async (t) => {
  const { store, open } = await begin(t);
  const by = store.as('olga');
  const { id } = await by.incidents.open({ title: 'Late', text: 'We look.', parts: ['api'] });
  await by.incidents.update(id, { title: 'Prices are late' });
  await by.incidents.close(id, { text: 'Over.', review: 'Known.' });
  await open();
  const { items } = await store.audit.page({ limit: 9, subjectId: id });
  assert.deepEqual(
    items.map(({ actor, action, summary }) => [actor, action, summary]),
    [
      ['olga', 'incident.close', 'Closed the incident “Prices are late”: now resolved, with a review.'],
      ['olga', 'incident.update', 'Updated the incident “Prices are late”: before “Late”.'],
      ['olga', 'incident.open', 'Opened the incident “Late”.'],
    ],
  );
});

storeTest('lists leave out what was over before, and pruning deletes it with its updates', async (t) => {
  const { store, clock, open, ago, outside } = await begin(t);
  const old = await open({ from: ago(90) });
  await store.incidents.close(old.id, { text: 'Over.', to: ago(60) });
  const { id } = await open({ from: ago(100) });
  const since = async (minutes: number) =>
    (await store.incidents.list({ since: ago(minutes), limit: 9 })).map((each) => each.id);
  assert.deepEqual(await since(61), [old.id, id]);
  assert.deepEqual(await since(59), [id]);
  clock.jump(minuteMs);
  const changed = await store.incidents.list({ changedSince: clock.now(), limit: 9 });
  assert.deepEqual(changed, []);
  await store.incidents.prune(ago(60));
  const left = await outside.run('select incident_id from incident_updates');
  assert.deepEqual(
    left.map((row) => row.incident_id),
    [id],
  );
});

storeTest('the database itself refuses a state without its end, and a review of what is not over', async (t) => {
  const { open, outside, clock } = await begin(t);
  const { id } = await open();
  const set = (change: string, ...values: (string | number)[]) =>
    outside.run(`update incidents set ${change} where id = ?`, ...values, id);
  await assert.rejects(set("state = 'resolved'"));
  await assert.rejects(set("state = 'gone'"));
  await assert.rejects(set("review = 'x', reviewed_at_ms = ?", clock.now()));
  await assert.rejects(set('title = ?', 'x'.repeat(121)));
  await assert.rejects(set("parts = 'console'"));
});
