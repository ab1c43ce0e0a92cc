import assert from 'node:assert/strict';
import { asEpochMs } from '../ground/clock.ts';
import { openEngine, refusal, storeTest } from './store.testing.ts';
import type { NewWindow } from './windows.ts';

const minuteMs = 60_000;

async function withClock(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const inMinutes = (minutes: number) => asEpochMs(fixture.clock.now() + minutes * minuteMs);
  const announce = (from: number, to: number, rest: Partial<NewWindow> = {}) =>
    fixture.store.windows.announce({ from: inMinutes(from), to: inMinutes(to), description: 'Upgrade', ...rest });
  return { ...fixture, inMinutes, announce };
}

storeTest('an announced window comes back as it was announced, listed by its start', async (t) => {
  const { store, clock, announce, inMinutes } = await withClock(t);
  const late = await announce(60, 90);
  const early = await announce(5, 10, { description: '  Database upgrade ' });
  assert.match(early.id, /^win_[0-9A-Za-z]{16}$/);
  assert.deepEqual(early, {
    id: early.id,
    from: inMinutes(5),
    to: inMinutes(10),
    description: 'Database upgrade',
    createdAt: clock.now(),
    cancelledAt: undefined,
    endedAt: undefined,
  });
  assert.deepEqual(await store.windows.list(), [early, late]);
});

storeTest('windows may overlap and may begin in the past', async (t) => {
  const { store, announce } = await withClock(t);
  await announce(-5, 10);
  await announce(-3, 5);
  assert.equal((await store.windows.list()).length, 2);
});

storeTest('a window that makes no sense is refused with the reason', async (t) => {
  const { announce } = await withClock(t);
  await assert.rejects(announce(10, 10), refusal('window_order'));
  await assert.rejects(announce(10, 5), refusal('window_order'));
  await assert.rejects(announce(5, 1e10), refusal('window_order'));
  await assert.rejects(announce(-10, 0), refusal('window_in_past'));
  await assert.rejects(announce(5, 10, { description: ' \n ' }), refusal('window_description'));
  await assert.rejects(announce(5, 10, { description: 'x'.repeat(501) }), refusal('window_description'));
});

storeTest('a window is extended to a later end only, before or while it runs', async (t) => {
  const { store, clock, announce, inMinutes } = await withClock(t);
  const { id, to } = await announce(5, 10);
  await assert.rejects(store.windows.extend(id, to), refusal('window_not_later'));
  assert.equal((await store.windows.extend(id, inMinutes(15))).to, inMinutes(15));
  clock.jump(14 * minuteMs);
  assert.equal((await store.windows.extend(id, inMinutes(5))).to, inMinutes(5));
  clock.jump(5 * minuteMs);
  await assert.rejects(store.windows.extend(id, inMinutes(5)), refusal('window_over'));
});

storeTest('only a running window can be ended, and it is over at that instant', async (t) => {
  const { store, clock, announce } = await withClock(t);
  const { id } = await announce(5, 10);
  await assert.rejects(store.windows.end(id), refusal('window_not_running'));
  clock.jump(6 * minuteMs);
  const ended = await store.windows.end(id);
  assert.deepEqual([ended.to, ended.endedAt], [clock.now(), clock.now()]);
  assert.deepEqual(await store.windows.list({ currentAt: clock.now() }), []);
  await assert.rejects(store.windows.end(id), refusal('window_over'));
});

storeTest('a window that begins at this very instant can be ended', async (t) => {
  const { store, announce, clock } = await withClock(t);
  const { id } = await announce(0, 10);
  assert.equal((await store.windows.end(id)).to, clock.now());
});

storeTest('only a window that has not begun can be cancelled', async (t) => {
  const { store, clock, announce } = await withClock(t);
  const { id } = await announce(5, 10);
  const running = await announce(0, 10);
  await assert.rejects(store.windows.cancel(running.id), refusal('window_started'));
  assert.equal((await store.windows.cancel(id)).cancelledAt, clock.now());
  await assert.rejects(store.windows.cancel(id), refusal('window_cancelled'));
  await assert.rejects(store.windows.end(id), refusal('window_cancelled'));
  await assert.rejects(store.windows.extend(id, asEpochMs(clock.now() + 1e9)), refusal('window_cancelled'));
});

storeTest('the current windows are those neither cancelled nor over', async (t) => {
  const { store, clock, announce } = await withClock(t);
  const running = await announce(-5, 1);
  const coming = await announce(5, 10);
  await store.windows.cancel((await announce(5, 10)).id);
  assert.deepEqual(await store.windows.list({ currentAt: clock.now() }), [running, coming]);
  assert.deepEqual(await store.windows.list({ currentAt: running.to }), [coming]);
  assert.equal((await store.windows.list()).length, 3);
});

storeTest('an unknown window cannot be changed', async (t) => {
  const { store, inMinutes } = await withClock(t);
  await assert.rejects(store.windows.extend('win_none', inMinutes(5)), refusal('window_unknown'));
  await assert.rejects(store.windows.end('win_none'), refusal('window_unknown'));
  await assert.rejects(store.windows.cancel('win_none'), refusal('window_unknown'));
});
