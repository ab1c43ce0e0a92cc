import assert from 'node:assert/strict';
import type { EpochMs } from '../ground/clock.ts';
import { statementsIn } from './sql-file.ts';
import { openEngine, storeTest } from './store.testing.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

storeTest('an upgrade takes back what was planned beyond the windows of a day, and nothing else', async (t) => {
  const { store, outside, clock } = await openEngine(t);
  const day = (Math.floor(clock.now() / dayMs) * dayMs + dayMs) as EpochMs;
  const at = (minutes: number) => (day + minutes * minuteMs) as EpochMs;
  await store.windows.announce({ from: at(60), to: at(62), description: 'Two minutes.' });
  await store.windows.announce({ from: at(1_430), to: at(1_450), description: 'Over midnight.' });
  const cancelled = await store.windows.announce({ from: at(2_000), to: at(2_100), description: 'Never.' });
  await store.windows.cancel(cancelled.id);
  const kept = (after: number, component: string, maintenance: number) => {
    const states = { operational: 0, degraded: 0, maintenance: maintenance * minuteMs, outage: 5 };
    return { component, day: (day + after * dayMs) as EpochMs, states };
  };
  await store.statusRecords.addTime([
    kept(0, 'api', 100),
    kept(0, 'market-data', 12.5),
    kept(1, 'api', 40),
    kept(2, 'api', 70),
  ]);
  // The step as it ran once, whatever steps follow it.
  const step = statementsIn(new URL('migrations/0012-signs-of-life.sql', import.meta.url), { text: 'text' });
  await outside.run(step.at(-1)!);
  const days = await store.statusRecords.days(day);
  assert.deepEqual(
    days.map(({ states }) => [states.maintenance / minuteMs, (states.outage - 5) / minuteMs]),
    [
      [12, 88],
      [12.5, 0],
      [10, 30],
      [70, 0],
    ],
  );
});
