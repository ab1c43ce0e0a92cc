import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { asEpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import { watchMaintenance } from './maintenance-watch.ts';
import { ServiceBoard } from './service-board.ts';

test('the log says within a second when maintenance begins and when it ends', async () => {
  const clock = new FakeClock();
  const service = new ServiceBoard(new FeedStatus(), clock);
  const now = clock.now();
  const [from, to] = [asEpochMs(now + 10_000), asEpochMs(now + 20_000)];
  service.setWindows([{ from, to, description: 'Upgrade' }]);
  const lines: (readonly [string, number, object])[] = [];
  const info = (fields: object, message: string) => void lines.push([message, clock.now() - now, fields]);
  const watch = watchMaintenance(service, clock, { ...silentLog, info });
  await clock.advance(30_000);
  assert.deepEqual(lines, [
    ['maintenance begins', 10_000, { until: '2026-11-21T10:00:20.000Z' }],
    ['maintenance ends', 20_000, {}],
  ]);
  watch.cancel();
  assert.equal(clock.pendingTimers, 0);
});
