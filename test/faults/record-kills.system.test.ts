import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { RecordQuestions } from '../../src/history/query/questions.ts';
import { openSqliteSegmentsToRead } from '../../src/history/segment/sqlite-segments.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Installation } from '../support/mdapi-process.ts';
import { sized } from './full-size.ts';
import { RecordedClients } from './recorded-clients.ts';

const kills = sized(3, 50);
const answersBetween = 1_000;
/** What was noted is sent to the journal four times a second; a machine that is busy with other work takes longer. */
const unwrittenMsMax = 5_000;

test('a service that is killed again and again under load misses nothing but what its last gap says (fault row 60)', async (t) => {
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
  const questions = new RecordQuestions(store, systemClock);
  const { gaps } = await questions.summary();
  const killed = gaps.filter(({ reason }) => reason === 'killed');
  assert.equal(killed.length, kills);
  for (const [index, { from, to }] of killed.entries()) {
    const at = killedAtMs[index]!;
    assert.ok(to !== undefined && from <= at && at <= to, 'the gap holds the instant of the kill');
    assert.ok(from > at - unwrittenMsMax, `the gap begins ${at - from} ms before the kill`);
  }
  let missing = 0;
  for (const [index, { requestId, body, gotAtMs }] of clients.answers.entries()) {
    const isInGap = killed.some(({ from, to }) => from <= gotAtMs && gotAtMs <= to!);
    // Of those that must be there every tenth is built again; of those in a gap all are looked for.
    if (!isInGap && index % 10 !== 0) continue;
    const found = await questions.answer(requestId);
    if (found === undefined) {
      assert.ok(isInGap, `an answer of ${new Date(gotAtMs).toISOString()}, outside of every gap, is missing`);
      missing++;
    } else assert.equal(found.body, body);
  }
  const longest = Math.max(...killed.map(({ from }, index) => killedAtMs[index]! - from));
  t.diagnostic(
    `${missing} of ${clients.answers.length} answers are missing; the longest gap before a kill: ${longest} ms`,
  );
  assert.equal((await questions.verify(() => {})).finding, undefined);
});
