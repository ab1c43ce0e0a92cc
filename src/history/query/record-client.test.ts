import assert from 'node:assert/strict';
import { systemClock } from '../../ground/clock.ts';
import { answers, newRecord, recordTest, writerOn } from '../record/record.testing.ts';
import { RecordBusy, waitingMax } from './question-thread.ts';
import { RecordClient } from './record-client.ts';

recordTest('16 questions to the record wait at most, and one whose asker has left is dropped', async (t) => {
  const { location } = await newRecord(t);
  const record = new RecordClient(location, systemClock);
  t.after(() => record.stop());
  const leaver = new AbortController();
  const left = record.ask('summary', [], leaver.signal);
  const leavers = [left, ...Array.from({ length: waitingMax }, () => record.ask('summary', [], leaver.signal))];
  await assert.rejects(record.ask('summary', []), RecordBusy);
  const refused = leavers.map((question) => assert.rejects(question, RecordBusy));
  leaver.abort();
  const waiting = Array.from({ length: waitingMax }, () => record.ask('summary', []));
  await Promise.all(refused);
  const sizes = (await Promise.all(waiting)).map(({ segments }) => segments);
  assert.deepEqual(sizes, Array(waitingMax).fill(0), 'the thread goes on after the question that was dropped');
});

recordTest('verifications that are asked for at one time share a run, which ends when all have left', async (t) => {
  const { location, store, journalPath } = await newRecord(t);
  const { writer } = await writerOn(store, journalPath);
  await writer.take(answers()(1_000));
  await writer.seal();
  const record = new RecordClient(location, systemClock);
  t.after(() => record.stop());
  const [one, other] = [new AbortController(), new AbortController()];
  const shared = record.ask('verify', [], one.signal);
  assert.equal(record.ask('verify', [], other.signal), shared);
  one.abort();
  const { segments } = await shared;
  assert.equal(segments > 0, true, 'somebody was left who waited');
  const [first, second] = [new AbortController(), new AbortController()];
  const left = record.ask('verify', [], first.signal);
  assert.notEqual(left, shared, 'a run that is over is not shared');
  void record.ask('verify', [], second.signal);
  first.abort();
  second.abort();
  const next = record.ask('verify', []);
  await assert.rejects(left, RecordBusy);
  assert.equal((await next).segments, segments);
});

recordTest('a verification keeps no other question waiting', async (t) => {
  const { location } = await newRecord(t);
  const record = new RecordClient(location, systemClock);
  t.after(() => record.stop());
  const questions = Array.from({ length: waitingMax + 1 }, () => record.ask('summary', []));
  const { finding } = await record.ask('verify', []);
  assert.equal(finding, undefined);
  await Promise.all(questions);
});

recordTest('the thread of a question whose asker has left ends', async (t) => {
  const { location } = await newRecord(t);
  const record = new RecordClient(location, systemClock);
  t.after(() => record.stop());
  const ended = new Promise((resolve) => {
    process.once('worker', (worker) => worker.once('exit', resolve));
  });
  const leaver = new AbortController();
  const left = record.ask('summary', [], leaver.signal);
  leaver.abort();
  await assert.rejects(left, RecordBusy);
  await ended;
  assert.equal((await record.ask('summary', [])).segments, 0);
});
