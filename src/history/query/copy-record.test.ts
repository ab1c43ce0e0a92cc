import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import { lockForService } from '../../store/sqlite/file.ts';
import { journalOf } from '../reading/journal.ts';
import {
  directoryFor,
  newRecord,
  type RecordFixture,
  recordTest,
  requestKey,
  writerOn,
} from '../record/record.testing.ts';
import { StreamWriter } from '../record/stream.ts';
import type { ExpectedHead } from '../segment/expected-heads.ts';
import { openSegments } from '../segment/open-segments.ts';
import type { RecordLocation } from '../segment/segment-store.ts';
import { copyRecord } from './copy-record.ts';
import { RecordQuestions } from './questions.ts';

const numbers = new RequestNumbers(requestKey);
const minuteMs = 60_000;
const clock = { now: () => (10 * minuteMs) as EpochMs };

/** A record of two sealed minutes and a running one, with an answer in each and holds of which the last is released. */
async function recordWithRows(t: TestContext) {
  const fixture = await newRecord(t);
  const { store, journalPath } = fixture;
  const { writer } = await writerOn(store, journalPath);
  const stream = new StreamWriter();
  stream.reset();
  stream.time(1_000 as EpochMs);
  stream.fact('process', '', JSON.stringify({ version: '1.0.0', errorsUrl: 'https://api.example.com/errors' }));
  for (const request of [1, 2, 3]) {
    const at = (2_000 + (request - 1) * minuteMs) as EpochMs;
    await writer.tick(at);
    stream.time(at);
    const asked = { keyId: 'key_a', askedAt: at, route: '/v1/time', symbol: '', status: 200, text: '', request };
    stream.serving(asked);
    await writer.take(stream.take());
  }
  for (const reason of ['kept', 'released']) await store.addHold({ from: 0 as EpochMs, to: 1 as EpochMs, reason });
  await store.releaseHold(2);
  await store.sign({ chain: 1, at: (2 * minuteMs + 3_000) as EpochMs });
  return fixture;
}

async function emptyLike(t: TestContext, { location }: RecordFixture): Promise<RecordLocation> {
  return location.kind === 'sqlite' ? sqlite(t) : (await newRecord(t)).location;
}

function sqlite(t: TestContext): RecordLocation {
  return { kind: 'sqlite', path: join(directoryFor(t), 'copy.sqlite') };
}

/** Asks the record at a place for all bodies, and whether it is whole. */
async function contentAt(location: RecordLocation) {
  const store = await openSegments(location);
  const questions = new RecordQuestions(store, clock);
  const ids = [1, 2, 3].map((request) => numbers.idOf(request));
  const answers = await Promise.all(ids.map((id) => questions.answer(id)));
  const { finding, heads } = await questions.verify();
  const [ledger, holds] = [await store.ledger(), await store.holds()];
  const bodies = answers.map((each) => each?.body);
  await store.close();
  return { bodies, finding, heads, holds: holds.map((hold) => ({ ...hold })), ledger: ledger.map(({ text }) => text) };
}

function copy(
  from: RecordLocation,
  to: RecordLocation,
  more: { kept?: readonly ExpectedHead[]; progress?: (segments: number) => void } = {},
) {
  return copyRecord(from, to, more.kept ?? [], more.progress ?? (() => {}));
}

recordTest('a record that is copied and copied back is whole, and every body is rebuilt byte for byte', async (t) => {
  const fixture = await recordWithRows(t);
  const before = await contentAt(fixture.location);
  assert.equal(before.bodies.filter((body) => body?.startsWith('{"serverTime":')).length, 3);
  const [there, back] = [sqlite(t), await emptyLike(t, fixture)];
  const { number, hash } = before.heads[0]!;
  const kept = [{ chain: 1, number, hash }];
  assert.deepEqual(await copy(fixture.location, there, { kept }), { wasComplete: false });
  await copy(there, back, { kept });
  for (const place of [there, back]) assert.deepEqual(await contentAt(place), before);
  assert.deepEqual(await copy(there, back), { wasComplete: true });
  const store = await openSegments(back);
  t.after(() => store.close());
  assert.equal(await store.addHold({ from: 0 as EpochMs, to: 1 as EpochMs, reason: 'next' }), 3, 'no number twice');
  assert.equal(await store.addRun({ chain: 1, startedAt: 0 as EpochMs, requestKey }), 2);
  const { finding } = await new RecordQuestions(store, clock).verify();
  assert.equal(finding, undefined);
});

recordTest('a copy of the record that breaks off leaves nothing, and can be begun again', async (t) => {
  const fixture = await recordWithRows(t);
  const to = await emptyLike(t, fixture);
  const progress = (segments: number) => {
    if (segments === 3) throw new Error('interrupted');
  };
  await assert.rejects(copy(fixture.location, to, { progress }), /interrupted/);
  const empty = await contentAt(to);
  assert.deepEqual([empty.heads, empty.ledger, empty.holds], [[], [], []]);
  await copy(fixture.location, to);
  assert.deepEqual(await contentAt(to), await contentAt(fixture.location));
});

recordTest('a copy of the record is refused where it would be of no use, and nothing is copied', async (t) => {
  const [fixture, other] = [await recordWithRows(t), await recordWithRows(t)];
  const to = await emptyLike(t, fixture);
  await other.store.addHold({ from: 0 as EpochMs, to: 1 as EpochMs, reason: 'of its own' });
  await assert.rejects(copy(fixture.location, other.location), { reason: 'copy_refused' });
  const kept = [{ chain: 1, number: 900, hash: 'ab' }];
  await assert.rejects(copy(fixture.location, to, { kept }), { reason: 'copy_incomplete' });
  const change = { progress: () => void fixture.store.sign({ chain: 1, at: (3 * minuteMs) as EpochMs }) };
  await assert.rejects(copy(fixture.location, to, change), { reason: 'copy_incomplete' });
  const release = lockForService(journalOf(fixture.journalPath, 1));
  await assert.rejects(copy(fixture.location, to), { reason: 'in_use' });
  release();
  await fixture.changeData(2);
  await assert.rejects(copy(fixture.location, to), { reason: 'copy_incomplete' });
  assert.deepEqual((await contentAt(to)).heads, []);
});
