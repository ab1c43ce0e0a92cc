import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { asEpochMs, systemClock } from '../../src/ground/clock.ts';
import { RecordQuestions } from '../../src/history/query/questions.ts';
import { openSqliteSegmentsToRead } from '../../src/history/segment/sqlite-segments.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { sized } from './full-size.ts';
import { RecordedClients } from './recorded-clients.ts';

const dayMs = 86_400_000;
/** The clock moves so many times: at full size by a minute. */
const steps = sized(24, 1_440);
const answersPerStep = 50;
/** One of so many is built again. */
const every = 100;

test('of a day that passes in minutes every hundredth answer is built again from the record, byte for byte', async (t) => {
  const settings = { 'history.url': 'sqlite:./history.sqlite' };
  const harness = await ServiceHarness.start(t, { settings });
  const clients = new RecordedClients(harness.credentials.key);
  const startedAtMs = harness.clock.now();
  const bases = ['BTCEUR', 'btcczk', 'ETHEUR', 'XRPCZK', 'NOPE', '!'];
  const paths = ['/v1/tickers', '/v1/markets', '/v1/status', '/v1/time', '/v1/nothing'];
  const targets = [...bases.map((symbol) => `/v1/ticker?symbol=${symbol}`), ...paths, '/v1/tickers', '/v1/ticker'];
  const client = async (first: number) => {
    for (let at = first; at < answersPerStep; at += 5) {
      const target = targets[(clients.answers.length + at) % targets.length]!;
      await clients.askOne(`${harness.service.baseUrl}${target}`);
    }
  };
  for (let step = 1; step <= steps; step++) {
    await Promise.all([0, 1, 2, 3, 4].map(client));
    harness.clock.shift(dayMs / steps);
    if (step === Math.ceil(steps / 4)) await announceWindow(harness);
    if (step === Math.ceil(steps / 2)) {
      await harness.stopService();
      await harness.startService();
    }
  }
  const days = (harness.clock.now() - startedAtMs) / dayMs;
  assert.ok(days >= 1, 'a day has passed');
  await harness.stopService();

  const store = openSqliteSegmentsToRead(join(harness.directory, 'history.sqlite'))!;
  t.after(() => store.close());
  const questions = new RecordQuestions(store, systemClock);
  const asked = clients.answers.filter((_, index) => index % every === 0);
  const statuses = new Set<number>();
  for (const { requestId, status, body } of asked) {
    const found = await questions.answer(requestId);
    assert.equal(found?.serving.status, status, requestId);
    assert.equal(found.body, body, requestId);
    statuses.add(status);
  }
  const { gaps, segments, bytes } = await questions.summary();
  assert.deepEqual(
    gaps.map(({ reason }) => reason),
    ['stopped', 'stopped'],
    'nothing but what the restart and the end left out',
  );
  assert.equal((await questions.verify(() => {})).finding, undefined);
  t.diagnostic(
    `${asked.length} of ${clients.answers.length} answers (${[...statuses].sort().join(', ')}) are the same; ${segments} segments, ${bytes} bytes`,
  );
  assert.ok(asked.length >= 10 && statuses.has(200) && statuses.has(404));
});

/** Maintenance, in which all but the status is refused. */
function announceWindow(harness: ServiceHarness): Promise<unknown> {
  const from = harness.clock.now();
  const to = asEpochMs(from + (2 * dayMs) / steps);
  return harness.withStore(({ windows }) => windows.announce({ from, to, description: 'Upgrade of the database' }));
}
