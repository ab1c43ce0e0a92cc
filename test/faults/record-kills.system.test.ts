import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { systemClock } from '../../src/clock.ts';
import { RecordQuestions } from '../../src/history/questions.ts';
import { openSqliteSegmentsToRead } from '../../src/history/sqlite-segments.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Installation } from '../support/mdapi-process.ts';
import { sized } from './full-size.ts';
import { RecordedClients } from './recorded-clients.ts';

const kills = sized(3, 50);
const answersBetween = 100;
/** The journal is brought to the disk every second. */
const unsyncedMs = 1_000;

test('a service that is killed again and again under load misses nothing but its last second, and records the gap (fault row 60)', async (t) => {
  const exchange = await startExchangeSimulator({
    clock: systemClock,
    quotes: ['EUR'],
    updatesPerSecond: 500,
    port: await fixedPort(),
  });
  t.after(() => exchange.stop());
  const installation = Installation.for(t, exchange);
  const { key, server: first, baseUrl: firstUrl } = await installation.serveLive();
  const clients = new RecordedClients(key);
  const killedAtMs: number[] = [];
  let [server, baseUrl] = [first, firstUrl];
  for (let kill = 0; kill <= kills; kill++) {
    const before = clients.answers.length;
    const asking = clients.ask(baseUrl);
    await eventually('answers', () => clients.answers.length >= before + answersBetween);
    // The last service stops in order.
    server.kill(kill < kills ? 'SIGKILL' : 'SIGTERM');
    if (kill < kills) killedAtMs.push(systemClock.now());
    await server.ended;
    clients.stop();
    await asking;
    if (kill < kills) ({ server, baseUrl } = await installation.serve());
  }

  const store = openSqliteSegmentsToRead(join(installation.directory, 'history.sqlite'))!;
  t.after(() => store.close());
  const questions = new RecordQuestions(store);
  let missing = 0;
  for (const [index, { requestId, body, gotAtMs }] of clients.answers.entries()) {
    const nextKillMs = killedAtMs.find((at) => at >= gotAtMs) ?? Number.POSITIVE_INFINITY;
    const isLast = nextKillMs - gotAtMs <= unsyncedMs;
    // Of those that must be there every tenth is built again; of the last second all are looked for.
    if (!isLast && index % 10 !== 0) continue;
    const found = await questions.answer(requestId);
    if (found === undefined) {
      assert.ok(isLast, `an answer ${nextKillMs - gotAtMs} ms before the process was killed`);
      missing++;
    } else assert.equal(found.body, body);
  }
  t.diagnostic(`${missing} of ${clients.answers.length} answers are missing, all of the last second before a kill`);
  const { gaps } = await questions.summary();
  const killed = gaps.filter(({ reason }) => reason === 'killed');
  assert.equal(killed.length, kills);
  for (const [index, { from, to }] of killed.entries()) {
    const at = killedAtMs[index]!;
    assert.ok(
      from <= at && from > at - 2 * unsyncedMs && to !== undefined && to >= at,
      'the gap begins in the last second',
    );
  }
  assert.equal((await questions.verify(() => {})).finding, undefined);
});
