import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { ConditionWatch } from './watch.ts';
import { lostSource, wellProcess } from './well.testing.ts';

const dayMs = 86_400_000;

test('an alert is on once it has held as long as its rule asks, since when it began to hold, and off when it ends', async () => {
  const { clock, feedStatus, state, observed } = wellProcess();
  const watch = new ConditionWatch(observed);
  const names = () => watch.read().map(({ name }) => name);
  /** The feed lives, and its data is as old as that. */
  const pass = async (ms: number, ageMs: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
      const [at, monotonicMs] = [clock.now(), clock.monotonicMs()];
      feedStatus.followed('live', (at - ageMs) as EpochMs, monotonicMs - ageMs);
      feedStatus.signOfLife(monotonicMs, at, monotonicMs);
      await clock.advance(5_000);
    }
  };
  state.shed = 3;
  await pass(5_000, 61_000);
  const since = clock.now();
  assert.deepEqual(names(), ['RequestsShed']);
  await pass(30_000, 61_000);
  assert.deepEqual(names(), ['RequestsShed', 'MarketDataLate']);
  assert.equal(watch.read()[1]?.sinceMs, since);
  await pass(5_000, 301_000);
  assert.deepEqual(names(), ['MarketDataOutage', 'StatusChanged', 'RequestsShed']);
  await pass(300_000, 0);
  assert.deepEqual(names(), []);
  await watch.stop();
  assert.equal(clock.pendingTimers, 0);
});

/** A watched process, and what is due to be told of it. */
function watched() {
  const well = wellProcess();
  const { clock, feedStatus, state, observed } = well;
  const kraken = lostSource('kraken', 40_000);
  kraken.health.connection = 'open';
  state.sources = [kraken];
  state.certificateExpiresAt = (clock.now() + 90 * dayMs) as EpochMs;
  const watch = new ConditionWatch(observed);
  const path = { now: 'live' as 'live' | 'fallback' | undefined };
  const facts = () =>
    watch
      .facts()
      ?.filter(({ isDue }) => isDue)
      .map(({ name, subject, severity, summary }) => `${name} ${subject} ${severity}: ${summary}`);
  const look = async () => {
    if (path.now !== undefined) feedStatus.feedCurrent(path.now, clock.now(), clock.monotonicMs());
    await clock.advance(5_000);
    return facts();
  };
  return { ...well, kraken, path, facts, look, watch };
}

test('a service that is well has no facts, and one that starts or stops does not know', async () => {
  const { state, look } = watched();
  assert.deepEqual(await look(), []);
  state.phase = 'draining';
  assert.equal(await look(), undefined);
});

test('a source that is lost and a status that is not operational are facts by their names', async () => {
  const { kraken, path, look } = watched();
  kraken.health.connection = 'waiting';
  path.now = 'fallback';
  assert.deepEqual(await look(), [
    'StatusChanged degraded warning: market data: degraded',
    'SourceLost kraken warning: kraken: no connection for 40 s; no other source makes its prices',
  ]);
});

test('a maintenance window raises its own alert at its instants, and none of the status', async () => {
  const { service, state, path, look, clock, watch } = watched();
  path.now = 'fallback';
  state.raiseAfterMs = 60_000;
  const from = clock.now();
  service.setWindows([{ from, to: (from + 60_000) as EpochMs, description: 'disks' }]);
  assert.deepEqual(await look(), [
    'Maintenance 2026-11-21T10:00:00.000Z info: maintenance until 2026-11-21T10:01:00.000Z: disks',
  ]);
  assert.equal(watch.facts()?.find(({ name }) => name === 'Maintenance')?.isExact, true);
});

test('a window silences what it explains and nothing else: what was told before goes on, and counts anew after it', async () => {
  const { service, state, kraken, path, look, clock, watch } = watched();
  path.now = 'fallback';
  const told = async () => (await look())?.map((fact) => fact.split(' ')[0]);
  assert.deepEqual(await told(), ['StatusChanged']);
  const from = clock.now();
  service.setWindows([{ from, to: (from + 60_000) as EpochMs, description: 'disks' }]);
  kraken.health.connection = 'waiting';
  assert.deepEqual(await told(), ['Maintenance', 'SourceLost']);
  const known = () => watch.facts()?.map(({ name, isDue }) => `${name} ${isDue}`);
  assert.ok(known()?.includes('StatusChanged false'), 'it holds, so that its alert does not end');
  assert.ok(!watch.read().some(({ name }) => name === 'StatusChanged'));
  state.raiseAfterMs = 15_000;
  for (let looks = 0; looks < 11; looks++) await look();
  assert.deepEqual(await told(), ['SourceLost'], 'the window is over');
  await look();
  assert.deepEqual(await told(), ['StatusChanged', 'SourceLost']);
});

test('a gap of the record is a fact for a quarter of an hour after its end', async () => {
  const { state, facts, look, clock } = watched();
  const gap = 'RecordHasGap record critical: The record of quotes and answers has a gap';
  const at = clock.now();
  const well = state.record!;
  const refresh = async (ms: number) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 5_000) await look();
    return (facts() ?? []).filter((fact) => fact.startsWith('Record'));
  };
  state.record = { ...well, gaps: 1, gapSince: at, trouble: 'ENOSPC', silent: [{ chain: 7, at }] };
  const silent = 'the process of chain 7 is silent: its part of the record ends at 2026-11-21T10:00:00.000Z';
  assert.deepEqual(await refresh(5_000), [gap, `RecordEndsSilent 7 warning: ${silent}`]);
  const unwritten = 'RecordNotWritten record critical: The record of quotes and answers cannot be written';
  assert.ok((await refresh(30_000)).includes(unwritten));
  state.record = { ...well, gaps: 2, gapSince: at };
  await look();
  state.record = { ...well, gaps: 2 };
  assert.deepEqual(await refresh(15 * 60_000), [gap]);
  assert.deepEqual(await refresh(5_000), []);
});

test('a certificate near its end and one that has expired are different alerts', async () => {
  const { state, look, clock } = watched();
  state.certificateExpiresAt = (clock.now() + 13.5 * dayMs) as EpochMs;
  assert.match(String(await look()), /^CertificateEndsSoon .* warning: .* expires in 13 days$/);
  state.certificateExpiresAt = clock.now();
  assert.match(String(await look()), /^CertificateExpired .* critical: .* has expired$/);
});

test('a key raises an alert when its holder would get a notice, also while the store does not answer', async () => {
  const { clock, state, look } = watched();
  let [askedMs, isGone] = [0, false];
  state.refused = (after) => {
    if (isGone) throw new Error('gone');
    askedMs = clock.now() - after;
    return [
      { keyId: 'key_a', minutes: 2, refused: 500 },
      { keyId: 'key_b', minutes: 3, refused: 90 },
    ];
  };
  await look();
  const told = ['KeyBreachesLimit key_b warning: the limit refused 90 requests of key key_b in 3 minutes'];
  assert.deepEqual(await look(), told);
  assert.equal(askedMs, 3_600_000);
  isGone = true;
  await look();
  assert.deepEqual(await look(), told);
});

test('an alert is due after the longer of the time that its condition asks and the configured one', async () => {
  const { kraken, state, look } = watched();
  state.raiseAfterMs = 15_000;
  kraken.health.connection = 'waiting';
  state.record!.trouble = 'ENOSPC';
  const dueAfter = new Map<string, number>();
  for (let looks = 0; looks < 12; looks++)
    for (const fact of (await look()) ?? []) {
      const name = fact.split(' ')[0]!;
      if (!dueAfter.has(name)) dueAfter.set(name, looks * 5_000);
    }
  assert.deepEqual(Object.fromEntries(dueAfter), { SourceLost: 15_000, RecordNotWritten: 30_000 });
});

test('polled data are as urgent as their cause: a warning while they arrive, and critical once nothing does', async () => {
  const { path, look } = watched();
  path.now = 'fallback';
  for (let looks = 0; looks < 61; looks++) await look();
  const told = async () => (await look())?.filter((fact) => fact.startsWith('FeedOnFallback'));
  const summary = 'Prices have not come over their best path for five minutes';
  assert.deepEqual(await told(), [`FeedOnFallback source warning: ${summary}`]);
  path.now = undefined;
  for (let looks = 0; looks < 5; looks++) await look();
  assert.deepEqual(await told(), [`FeedOnFallback source critical: ${summary}`]);
});

test('the way back after an upgrade is no alert: it stands beside what is critical', async () => {
  const { state, look } = watched();
  [state.kept, state.finding] = ['/data/mdapi.sqlite.before-2.0.0', 'row 3 missing from index'];
  const damaged = 'the database file is damaged, restore a backup: row 3 missing from index';
  assert.deepEqual(await look(), [`StoreDamaged service critical: ${damaged}`]);
});

test('a store that can neither be read nor written is one alert, and says the former', async () => {
  const { state, look, clock } = watched();
  [state.isReachable, state.trouble] = [false, new Error('The disk is full.')];
  for (let looks = 0; looks < 12; looks++) await look();
  const said = 'the store cannot be used: keys, markets and windows are as last known';
  assert.deepEqual(await look(), [`StoreUnreachable service critical: ${said}`], String(clock.now()));
});

test('an alert has the values that its sentence names', async () => {
  const { kraken, look, watch } = watched();
  kraken.health.connection = 'waiting';
  await look();
  const values = { source: 'kraken', seconds: 40, others: [] };
  assert.deepEqual(
    watch.facts()?.map((fact) => [fact.name, fact.values]),
    [['SourceLost', values]],
  );
  assert.deepEqual(watch.read()[0]?.condition, { code: 'SourceLost', values });
});

test('a feed of its own, a lease that cannot be had and a clock that Redis contradicts are told after a while', async () => {
  const { state, look } = watched();
  state.sharing = { isAlone: true, leaseTrouble: 'not connected' };
  state.limits = { isUp: true, clockSkewMs: -3_000 };
  for (let looks = 0; looks < 60; looks++) await look();
  assert.deepEqual(await look(), [
    'FeedAlone source warning: this process is on a feed of its own until Redis says who leads',
    'FeedLeaseLost source warning: the lease of the feed cannot be had: not connected',
    'ClockOff service warning: the clock of this process is 3 s behind that of Redis',
  ]);
});
