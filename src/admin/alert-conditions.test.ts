import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { AdminParts } from '../management/parts.ts';
import { AlertWatch, alertRules } from './alert-conditions.ts';

interface PrometheusRule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

test('each condition has the name, severity and time of a rule for Prometheus', () => {
  const text = readFileSync(new URL('../../ops/prometheus/alerts.yml', import.meta.url), 'utf8');
  const { groups } = parse(text) as { groups: { rules: PrometheusRule[] }[] };
  const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));
  for (const [name, { severity, forMs }] of Object.entries(alertRules)) {
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
    configuration: { markets: { delistAfterMs: 1 }, pricing: { converted: new Map() } },
    market: {
      feedStatus: { ageMs: () => ageMs },
      service: { read: () => ({ status: 'operational' }) },
      markets: {
        catalogue: { absences: () => ({ missing: [], due: [], isHeldBack: false }), listed: () => [] },
      },
      board: { unpriced: () => new Map() },
      snapshots: { lastError: () => undefined },
    },
    feed: { clock: () => ({ isWrong: false }) },
    listener: {
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
  watch.stop();
  assert.equal(clock.pendingTimers, 0);
});
