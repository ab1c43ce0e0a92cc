import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { AdminParts } from '../management/parts.ts';
import type { DecimalString } from '../market/decimal.ts';
import { Markets } from '../market/markets.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import { AlertWatch, conditions } from './alert-conditions.ts';

interface PrometheusRule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
}

/** They are of this process alone, or told at an instant: no rule for Prometheus asks for them. */
const withoutRule = [
  'SourceLost',
  'CertificateEndsSoon',
  'CertificateExpired',
  'StatusChanged',
  'Maintenance',
  'KeyBreachesLimit',
];

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

test('each condition has the name, severity and time of a rule for Prometheus, or is one of those without', () => {
  const text = readFileSync(new URL('../../ops/prometheus/alerts.yml', import.meta.url), 'utf8');
  const { groups } = parse(text) as { groups: { rules: PrometheusRule[] }[] };
  const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));
  for (const [name, { severity, forMs }] of Object.entries(conditions)) {
    if (withoutRule.includes(name)) continue;
    const rule = rules.get(name);
    const [, count, unit] = /^(\d+)([smh])$/.exec(rule?.for ?? '0s')!;
    assert.deepEqual([rule?.labels.severity, Number(count) * unitsMs[unit!]!], [severity, forMs], name);
  }
});

test('an alert is on once it has held as long as its rule asks, since when it began to hold, and off when it ends', async () => {
  const clock = new FakeClock();
  let [ageMs, shed] = [0, 0];
  const parts = {
    clock,
    configuration: { markets: { delistAfterMs: 1 }, pricing: { converted: new Map() }, notices: { withinMs: 1 } },
    store: { breaches: { mostRefused: async () => [] } },
    market: {
      feedStatus: { ageMs: () => ageMs },
      service: {
        read: () => ({ status: 'operational', ticker: 'operational', flow: { state: 'flowing' } }),
        announced: [],
      },
      markets: {
        catalogue: { absences: () => ({ missing: [], due: [], isHeldBack: false }), listed: () => [] },
        doubts: () => new Map(),
      },
      board: { unpriced: () => new Map() },
      snapshots: { lastError: () => undefined },
    },
    feed: { clock: () => ({ isWrong: false }), sources: () => [] },
    listener: {
      certificateExpiresAt: () => undefined,
      counts: {
        byCode: new Map(),
        get shed() {
          return shed;
        },
      },
      connectionFigures: () => ({ dropped: 0 }),
    },
    changes: { reachable: () => true, held: () => ({ keys: 0 }) },
    storeCheck: { result: () => undefined },
    recording: () => undefined,
    notifier: { figures: () => ({ pending: 0 }) },
    sharedLimits: () => undefined,
  } as unknown as AdminParts;
  const watch = new AlertWatch(parts);
  const names = () => watch.read().map(({ name }) => name);
  ageMs = 61_000;
  shed = 3;
  await clock.advance(5_000);
  const since = clock.now();
  assert.deepEqual(names(), ['RequestsShed']);
  await clock.advance(30_000);
  assert.deepEqual(names(), ['RequestsShed', 'MarketDataLate']);
  assert.equal(watch.read()[1]?.sinceMs, since);
  ageMs = 301_000;
  await clock.advance(5_000);
  assert.deepEqual(names(), ['MarketDataOutage', 'RequestsShed']);
  ageMs = 0;
  await clock.advance(300_000);
  assert.deepEqual(names(), []);
  await watch.stop();
  assert.equal(clock.pendingTimers, 0);
});

const dayMs = 86_400_000;

/** The parts that conditions look at, all well unless a test says otherwise. */
function wellParts() {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  const markets = new Markets(
    { feePercent: '0.5' as DecimalString, converted: new Map(), pricePrecision: new Map(), rateValidForMs: 1 },
    { quotes: new Set(['EUR' as CurrencyCode]), symbols: 'all' },
  );
  const state = {
    phase: 'serving',
    connection: 'open',
    refused: [] as { keyId: string; minutes: number; refused: number }[],
    recording: { gaps: 0, silent: [] } as object,
    expiresAt: (clock.now() + 90 * dayMs) as EpochMs,
    service: new ServiceBoard(feedStatus, clock),
    asked: 0,
    storeFails: false,
    path: 'live' as 'live' | 'fallback' | undefined,
    raiseAfterMs: 0,
  };
  const health = () => ({ connection: state.connection, lastLiveDataAgeMs: 40_000, epoch: 2 });
  const parts = {
    clock,
    phase: () => state.phase,
    feed: {
      clock: () => ({ isWrong: false }),
      sources: () => [{ id: 'kraken', kind: 'kraken', isPaused: false, health: health() }],
    },
    market: {
      service: state.service,
      feedStatus,
      markets,
      board: new Board(markets),
      snapshots: { lastError: () => undefined },
    },
    changes: { reachable: () => true, held: () => ({ keys: 0 }) },
    storeCheck: { result: () => undefined },
    notifier: { figures: () => ({ pending: 0 }) },
    sharedLimits: () => undefined,
    replication: () => undefined,
    recording: () => state.recording,
    listener: {
      certificateExpiresAt: () => state.expiresAt,
      counts: { byCode: new Map(), shed: 0 },
      connectionFigures: () => ({ dropped: 0 }),
    },
    configuration: {
      markets: { delistAfterMs: 1 },
      pricing: { converted: new Map() },
      notices: { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: dayMs },
      alerts: state,
    },
    store: {
      breaches: {
        mostRefused: async (after: number) => {
          if (state.storeFails) throw new Error('gone');
          state.asked = clock.now() - after;
          return state.refused;
        },
      },
    },
  } as unknown as AdminParts;
  const watch = new AlertWatch(parts);
  const facts = () =>
    watch
      .facts()
      ?.filter(({ isDue }) => isDue)
      .map(({ name, subject, severity, summary }) => `${name} ${subject} ${severity}: ${summary}`);
  const look = async () => {
    if (state.path !== undefined) feedStatus.feedCurrent(state.path, clock.now(), clock.monotonicMs());
    await clock.advance(5_000);
    return facts();
  };
  return { clock, state, facts, look, watch };
}

test('a service that is well has no facts, and one that starts or stops does not know', async () => {
  const { state, look } = wellParts();
  assert.deepEqual(await look(), []);
  state.phase = 'draining';
  assert.equal(await look(), undefined);
});

test('a source that is lost and a status that is not operational are facts by their names', async () => {
  const { state, look } = wellParts();
  state.connection = 'waiting';
  state.path = 'fallback';
  assert.deepEqual(await look(), [
    'SourceLost kraken warning: kraken: no connection for 40 s; no other source makes its prices',
    'StatusChanged degraded warning: market data: degraded',
  ]);
});

test('a maintenance window raises its own alert at its instants, and none of the status', async () => {
  const { state, look, clock, watch } = wellParts();
  state.path = 'fallback';
  const from = clock.now();
  state.service.setWindows([{ from, to: (from + 60_000) as EpochMs, description: 'disks' }]);
  assert.deepEqual(await look(), [
    'Maintenance 2026-11-21T10:00:00.000Z info: maintenance until 2026-11-21T10:01:00.000Z: disks',
  ]);
  assert.equal(watch.facts()?.find(({ name }) => name === 'Maintenance')?.isExact, true);
});

test('a gap of the record is a fact for a quarter of an hour after its end', async () => {
  const { state, facts, look, clock } = wellParts();
  const gap = 'RecordHasGap record critical: The record of quotes and answers has a gap';
  const at = clock.now();
  const refresh = async (ms: number) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 5_000) await look();
    return (facts() ?? []).filter((fact) => fact.startsWith('Record'));
  };
  state.recording = { gaps: 1, gapSince: at, trouble: 'ENOSPC', silent: [{ chain: 7, at }] };
  const silent = 'the process of chain 7 is silent: its part of the record ends at 2026-11-21T10:00:00.000Z';
  assert.deepEqual(await refresh(5_000), [gap, `RecordEndsSilent 7 warning: ${silent}`]);
  const unwritten = 'RecordNotWritten record critical: The record of quotes and answers cannot be written';
  assert.ok((await refresh(30_000)).includes(unwritten));
  state.recording = { gaps: 2, gapSince: at, silent: [] };
  await look();
  state.recording = { gaps: 2, silent: [] };
  assert.deepEqual(await refresh(15 * 60_000), [gap]);
  assert.deepEqual(await refresh(5_000), []);
});

test('a certificate near its end and one that has expired are different alerts', async () => {
  const { state, look, clock } = wellParts();
  state.expiresAt = (clock.now() + 13.5 * dayMs) as EpochMs;
  assert.match(String(await look()), /^CertificateEndsSoon .* warning: .* expires in 13 days$/);
  state.expiresAt = clock.now();
  assert.match(String(await look()), /^CertificateExpired .* critical: .* has expired$/);
});

test('a key raises an alert when its holder would get a notice, also while the store does not answer', async () => {
  const { state, look } = wellParts();
  state.refused = [
    { keyId: 'key_a', minutes: 2, refused: 500 },
    { keyId: 'key_b', minutes: 3, refused: 90 },
  ];
  await look();
  const told = ['KeyBreachesLimit key_b warning: the limit refused 90 requests of key key_b in 3 minutes'];
  assert.deepEqual(await look(), told);
  assert.equal(state.asked, 3_600_000);
  state.storeFails = true;
  await look();
  assert.deepEqual(await look(), told);
});

test('an alert is due after the longer of the time that its condition asks and the configured one', async () => {
  const { state, look } = wellParts();
  state.raiseAfterMs = 15_000;
  [state.connection, state.recording] = ['waiting', { gaps: 0, trouble: 'ENOSPC' }];
  const dueAfter = new Map<string, number>();
  for (let looks = 0; looks < 12; looks++)
    for (const fact of (await look()) ?? []) {
      const name = fact.split(' ')[0]!;
      if (!dueAfter.has(name)) dueAfter.set(name, looks * 5_000);
    }
  assert.deepEqual(Object.fromEntries(dueAfter), { SourceLost: 15_000, RecordNotWritten: 30_000 });
});

test('polled data are as urgent as their cause: a warning while they arrive, and critical once nothing does', async () => {
  const { state, look } = wellParts();
  state.path = 'fallback';
  for (let looks = 0; looks < 61; looks++) await look();
  const told = async () => (await look())?.filter((fact) => fact.startsWith('FeedOnFallback'));
  const summary = 'Market data has been polled for five minutes';
  assert.deepEqual(await told(), [`FeedOnFallback source warning: ${summary}`]);
  state.path = undefined;
  for (let looks = 0; looks < 5; looks++) await look();
  assert.deepEqual(await told(), [`FeedOnFallback source critical: ${summary}`]);
});
