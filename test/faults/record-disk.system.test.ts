import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { RecordQuestions } from '../../src/history/query/questions.ts';
import { openSqliteSegmentsToRead } from '../../src/history/segment/sqlite-segments.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Installation } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { sized } from './full-size.ts';
import { RecordedClients } from './recorded-clients.ts';
import { SmallDisk } from './small-disk.ts';

/** Room for the record of this test, several times. */
const diskBytes = 32 * 1024 * 1024;
/** What is answered while the disk is full, each time. */
const answersWhileFull = sized(100, 20_000);

test('a disk that is full holds up no answer, and the record lacks nothing once there is room, or says what it lacks (fault row 60)', async (t) => {
  const exchange = await startExchangeSimulator({
    clock: systemClock,
    quotes: ['EUR'],
    updatesPerSecond: 500,
    port: await fixedPort(),
  });
  t.after(() => exchange.stop());
  const installation = Installation.for(t, exchange, { history: { url: 'sqlite:./record/history.sqlite' } });
  const disk = await SmallDisk.mount(t, installation.directory, 'record', diskBytes);
  installation.startedBy = disk.startedBy;
  const { key, server, baseUrl, adminUrl } = await installation.serveLive();
  const metric = async (name: string) => readMetrics(await (await fetch(`${adminUrl}/metrics`)).text()).value(name);
  const isFailing = async (expected: 0 | 1) => (await metric('mdapi_record_write_failing')) === expected;
  const clients = new RecordedClients(key);
  const asking = clients.ask(baseUrl);
  const answered = (more: number) => {
    const before = clients.answers.length;
    return eventually(`${more} answers`, () => clients.answers.length >= before + more, 300_000);
  };
  await answered(100);

  disk.fill();
  await eventually('the record cannot be written', () => isFailing(1));
  await answered(answersWhileFull);
  // The journal can have room in its last block when the database has none.
  await eventually('it waits in memory', async () => (await metric('mdapi_record_backlog_bytes')) > 0);
  disk.free();
  await eventually('the record is written again', () => isFailing(0));
  await answered(50);
  assert.equal(await metric('mdapi_record_gaps_total'), 0, 'nothing is lacking');

  await eventually(
    'the journal has what came until now',
    async () => (await metric('mdapi_record_backlog_bytes')) === 0,
  );
  const writtenUntilMs = systemClock.now();
  disk.fill();
  await eventually('the record cannot be written', () => isFailing(1));
  await answered(answersWhileFull);
  server.kill('SIGKILL');
  await server.ended;
  await asking;
  disk.free();
  const again = await installation.serve();
  const more = clients.ask(again.baseUrl);
  await answered(100);
  clients.stop();
  await more;
  again.server.kill('SIGTERM');
  await again.server.ended;

  for (const { status } of clients.answers) assert.equal(status, 200);
  const copy = join(installation.directory, 'copy.sqlite');
  copyFileSync(disk.pathOf('history.sqlite'), copy);
  const store = openSqliteSegmentsToRead(copy)!;
  t.after(() => store.close());
  const questions = new RecordQuestions(store, systemClock);
  const { gaps } = await questions.summary();
  const killed = gaps.find(({ reason }) => reason === 'killed');
  assert.ok(killed !== undefined && killed.from >= writtenUntilMs - 1_000 && killed.to !== undefined, 'one gap');
  let missing = 0;
  for (const [index, { requestId, body, gotAtMs }] of clients.answers.entries()) {
    const isInGap: boolean = gotAtMs >= killed.from && gotAtMs < killed.to;
    if (!isInGap && index % 10 !== 0) continue;
    const found = await questions.answer(requestId);
    if (found === undefined) missing++;
    assert.ok(found !== undefined || isInGap, `an answer ${killed.from - gotAtMs} ms before the gap`);
    if (found !== undefined) assert.equal(found.body, body);
  }
  assert.ok(missing > 0, 'what a killed process had in memory is in the gap');
  t.diagnostic(`${missing} of ${clients.answers.length} answers are missing, all in the gap that is recorded`);
  assert.equal((await questions.verify(() => {})).finding, undefined);
});
