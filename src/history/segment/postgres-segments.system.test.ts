import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { asEpochMs, type EpochMs, systemClock } from '../../ground/clock.ts';
import { postgresTest } from '../../store/store.testing.ts';
import { verifyRecord } from '../query/verify.ts';
import { RecordReader } from '../reading/record-reader.ts';
import { openWriter } from '../record/open-writer.ts';
import { answers, directoryFor, requestKey } from '../record/record.testing.ts';
import { openPostgresSegments, openPostgresSegmentsToRead } from './postgres-segments.ts';
import { recordForm } from './record-form.ts';
import { prune } from './retention.ts';
import type { Segment } from './segment.ts';
import type { SegmentReader, SegmentStore } from './segment-store.ts';

let shared: Promise<PostgresServer> | undefined;
after(async () => (await shared)?.stop());

async function newDatabase() {
  shared ??= startPostgres();
  const server = await shared;
  return { server, url: await server.newDatabase() };
}

/** Opens the record as one machine has it: with journals of its own. */
async function machineOn(t: TestContext, url: string, now: EpochMs, directory = directoryFor(t)) {
  const journalPath = join(directory, 'history');
  const store = await openPostgresSegments({ kind: 'postgres', url, journalPath }, systemClock);
  t.after(() => store.close());
  const written: number[] = [];
  const options = { store, journalPath: store.journalPath!, requestKey, now };
  const opened = await openWriter({ ...options, written: (bytes) => written.push(bytes) });
  let isReleased = false;
  const release = () => {
    if (!isReleased) opened.release();
    isReleased = true;
  };
  t.after(release);
  return { ...opened, release, store, written, directory };
}

async function servedOf(store: SegmentReader, chain: number): Promise<number[]> {
  const found: number[] = [];
  const everything = { from: asEpochMs(0), to: asEpochMs(10 ** 13) };
  for await (const some of new RecordReader(store).servings(chain, everything)) {
    found.push(...some.map(({ askedAt }) => askedAt));
  }
  return found;
}

async function monthsOf(server: PostgresServer, url: string): Promise<string[]> {
  const query = `select relname from pg_class where relname ~ '^record_segment_[0-9]{6}$' order by relname`;
  return (await server.run(query, url)).rows.map(({ relname }) => relname.slice(-6));
}

const at = (text: string) => asEpochMs(Date.parse(text));
const laterMs = 61_000;

postgresTest(
  'machines that record into one database have a chain each, and keep it when they start again',
  async (t) => {
    const { url } = await newDatabase();
    const now = at('2026-11-22T12:00:00Z');
    const one = await machineOn(t, url, now);
    const other = await machineOn(t, url, now);
    assert.deepEqual([one.chain, other.chain], [1, 2]);
    for (const machine of [one, other]) {
      await machine.writer.take(answers()(now + machine.chain));
      await machine.writer.stop();
      machine.release();
    }
    const again = await machineOn(t, url, now, other.directory);
    assert.equal(again.chain, 2);
    const reader = await openPostgresSegmentsToRead({ kind: 'postgres', url, journalPath: 'none' }, systemClock);
    t.after(() => reader!.close());
    assert.deepEqual([await servedOf(reader!, 1), await servedOf(reader!, 2)], [[now + 1], [now + 2]]);
    assert.equal((await verifyRecord(reader!, () => {})).finding, undefined);
  },
);

postgresTest('a database in which nothing was recorded is left as it is by those who read', async (t) => {
  const { server, url } = await newDatabase();
  const record = { kind: 'postgres', url, journalPath: join(directoryFor(t), 'history') } as const;
  assert.equal(await openPostgresSegmentsToRead(record, systemClock), undefined);
  assert.deepEqual((await server.run(`select relname from pg_class where relname like 'record%'`, url)).rows, []);
});

postgresTest(
  'a month is a partition that is dropped whole once it is past, and stays while a hold touches it',
  async (t) => {
    const { server, url } = await newDatabase();
    const days = ['2026-09-10T00:00', '2026-09-30T23:30', '2026-10-31T23:59', '2026-11-22T00:00'];
    const instants = days.map((day) => at(`${day}:00Z`));
    const { writer, store } = await machineOn(t, url, instants[0]!);
    const answered = answers();
    for (const instant of instants) {
      await writer.take(answered(instant));
      await writer.tick(asEpochMs(instant + laterMs));
    }
    assert.deepEqual(await monthsOf(server, url), ['202609', '202610', '202611']);
    const storage = `select distinct attstorage from pg_attribute where attname = 'data'
    and attrelid in (select inhrelid from pg_inherits where inhparent = 'record_segment'::regclass)`;
    assert.deepEqual((await server.run(storage, url)).rows, [{ attstorage: 'e' }], 'stored as it is');

    assert.deepEqual(await prune(store, at('2026-09-30T23:59:00Z')), [], 'the month is not past');
    const hold = await store.addHold({ from: instants[0]!, to: asEpochMs(instants[0]! + 1), reason: 'complaint' });
    await prune(store, at('2026-11-10T00:00:00Z'));
    assert.ok((await monthsOf(server, url)).includes('202609'), 'held');
    await store.releaseHold(hold);
    await prune(store, at('2026-11-21T00:00:00Z'));
    assert.deepEqual(await monthsOf(server, url), ['202610', '202611'], 'what comes later needs the last of October');
    assert.deepEqual(await servedOf(store, 1), [instants[3]]);
    await prune(store, at('2026-11-23T00:00:00Z'));
    assert.deepEqual(await monthsOf(server, url), ['202611']);
  },
);

postgresTest('while the database is away the journal has everything, and it is stored once it is back', async (t) => {
  const { server, url } = await newDatabase();
  const now = at('2026-11-22T12:00:00Z');
  const { writer, written, store } = await machineOn(t, url, now);
  const answered = answers();
  await writer.take(answered(now));
  await server.kill();
  await assert.rejects(writer.tick(asEpochMs(now + laterMs)), /cannot be reached|terminated/);
  await writer.take(answered(now + laterMs));
  assert.equal(written.length, 2, 'the journal has both');
  await server.start();
  await storedIn(store, () => writer.tick(asEpochMs(now + 2 * laterMs)));
  assert.deepEqual(await servedOf(store, 1), [now, now + laterMs]);
  assert.equal((await verifyRecord(store, () => {})).finding, undefined);
});

/** A connection that was cut is noticed by the first that uses it. */
async function storedIn(store: SegmentStore, tick: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    await tick().catch(() => {});
    if ((await store.head(1).catch(() => undefined)) !== undefined) return;
  }
}

postgresTest(
  'what is appended again because its answer was lost is stored once, and another chain’s end is refused',
  async (t) => {
    const { url } = await newDatabase();
    const now = at('2026-11-22T12:00:00Z');
    const { writer, store } = await machineOn(t, url, now);
    await writer.take(answers()(now));
    await writer.tick(asEpochMs(now + laterMs));
    const { segments: count } = await verifyRecord(store, () => {});
    const segments: Segment[] = [];
    while (segments.length < count) segments.push((await store.segment(1, segments.length + 1))!);
    await store.append(segments);
    assert.equal((await verifyRecord(store, () => {})).segments, count);
    const forged = { ...segments.at(-1)!, hash: Buffer.alloc(32, 1) };
    await assert.rejects(store.append([...segments.slice(0, -1), forged]), /does not end where this process left it/);
  },
);

postgresTest('what a restored database no longer has is a gap', async (t) => {
  const { server, url } = await newDatabase();
  const now = at('2026-11-22T12:00:00Z');
  const first = await machineOn(t, url, now);
  const answered = answers();
  for (const minute of [0, 1, 2]) {
    await first.writer.take(answered(now + minute * laterMs));
    await first.writer.tick(asEpochMs(now + (minute + 1) * laterMs));
  }
  await first.writer.take(answered(now + 4 * laterMs));
  first.release();
  const { number } = (await first.store.head(1))!;
  await server.run(`delete from record_segment where number >= ${number}`, url);
  const second = await machineOn(t, url, asEpochMs(now + 10 * laterMs), first.directory);
  assert.deepEqual(second.gap, { from: now + laterMs, to: now + 10 * laterMs, reason: 'killed' });
});

postgresTest('a record of the form before is read and continued, and one of a newer version is refused', async (t) => {
  const { server, url } = await newDatabase();
  const now = at('2026-11-22T12:00:00Z');
  const first = await machineOn(t, url, now);
  await first.writer.take(answers()(now));
  await first.writer.stop();
  first.release();
  const formOf = async () => (await server.run('select form from record_identity', url)).rows[0]?.form;
  assert.equal(await formOf(), recordForm);
  await server.run('alter table record_identity drop column form', url);
  const location = { kind: 'postgres', url, journalPath: 'none' } as const;
  const reader = (await openPostgresSegmentsToRead(location, systemClock))!;
  t.after(() => reader.close());
  assert.deepEqual(await servedOf(reader, 1), [now]);
  const again = await machineOn(t, url, now, first.directory);
  assert.deepEqual([again.chain, await formOf()], [1, recordForm]);
  await server.run('update record_identity set form = 99', url);
  for (const open of [openPostgresSegments, openPostgresSegmentsToRead]) {
    await assert.rejects(
      open(location, systemClock),
      /made by a newer version of this program \(form 99.*Install that/,
    );
  }
  assert.equal(await formOf(), 99);
});
