import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ClickHouseStandIn } from '../../../test/support/clickhouse-stand-in.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { prune } from '../segment/retention.ts';
import { ClickHouse } from './clickhouse.ts';
import { makeTables } from './clickhouse-tables.ts';
import { assertCopied, RecordedService, rig } from './ship.testing.ts';
import { shipTo } from './ship.ts';

const dayMs = 86_400_000;

test('wherever a ship is killed, and whatever the server carried out of its last request, each row is there once', async (t) => {
  const { service } = await rig(t);
  const { store } = service.record;
  const options = { from: undefined, to: undefined, keepForMs: 400 * dayMs, progress: () => {} };
  await service.minute();
  await service.minute();
  let [cuts, at] = [0, 1];
  for (let isOver = false; !isOver; at++) {
    for (const carriedOut of ['never', 'before', 'late'] as const) {
      const clickhouse = await ClickHouseStandIn.start(t);
      await makeTables(new ClickHouse(clickhouse.location), options.keepForMs);
      const ship = () => {
        service.clock.jump(1_000);
        return shipTo(store, clickhouse.location, false, { ...options, now: service.clock.now() });
      };
      const { wasInsert } = clickhouse.cutAt(at, carriedOut);
      const outcome = await ship().then(
        () => 'done',
        ({ reason }) => reason,
      );
      isOver = outcome === 'done';
      if (isOver) break;
      assert.equal(outcome, 'clickhouse_unreachable');
      cuts++;
      // What was recorded meanwhile must not change what is sent again.
      if (at % 5 === 0) await service.minute();
      if (carriedOut === 'before') clickhouse.forgetTokens();
      await ship();
      await assertCopied({ service, clickhouse });
      if (!wasInsert()) break;
    }
  }
  assert.ok(cuts > 20, `only ${cuts} cuts`);
});

test('segments that retention deleted before they were copied are counted, and the rest is copied', async (t) => {
  const { service, ship } = await rig(t);
  await service.minute();
  for (let hour = 0; hour < 2; hour++) {
    service.clock.jump(3_600_000);
    await service.minute();
  }
  await service.stop();
  const deleted = await prune(service.record.store, (service.clock.now() - 1_800_000) as EpochMs);
  assert.ok(deleted.length > 0);
  const { lost, segments } = await ship({}, true);
  assert.ok(lost > 0 && segments > 0, `${lost} ${segments}`);
  assert.equal((await ship({ from: 1 as EpochMs })).lost, 0);
});

test('a ship goes on where retention deleted at once what was copied and what was not, each time', async (t) => {
  const { service, ship } = await rig(t);
  await ship({}, true);
  for (let time = 0; time < 2; time++) {
    await service.minute();
    await service.minute();
    assert.equal((await ship()).lost, 0);
    for (let hour = 0; hour < 2; hour++) {
      service.clock.jump(3_600_000);
      await service.minute();
    }
    service.clock.jump(60_000);
    await service.minute();
    const deleted = await prune(service.record.store, (service.clock.now() - 1_800_000) as EpochMs);
    assert.equal(deleted.length, 1);
    const { lost, segments } = await ship();
    assert.ok(lost > 0 && lost < deleted[0]!.last && segments > 0, `${lost} ${segments}`);
  }
});

test('where the record was stays in ClickHouse when retention has deleted it here', async (t) => {
  const { service, clickhouse, ship } = await rig(t);
  await service.minute();
  await service.minute();
  await service.minute();
  await ship({}, true);
  const read = () => {
    const ofDay = clickhouse.rows('SELECT day, fromAt, toAt, shippedAt FROM coverage ORDER BY day, shippedAt');
    const last = new Map(ofDay.map(({ day, shippedAt }) => [day, shippedAt]));
    return ofDay.filter(({ day, shippedAt }) => last.get(day) === shippedAt);
  };
  const [first, second, ...others] = read();
  assert.deepEqual([first!.fromAt, first!.toAt], ['2026-11-30 23:58:00.000', '2026-12-01 00:00:00.000']);
  assert.deepEqual([second!.fromAt, second!.toAt, others], ['2026-12-01 00:00:00.000', '2026-12-02 00:00:00.000', []]);
  service.clock.jump(2 * dayMs);
  await service.minute();
  await ship();
  assert.equal(read().length, 4);
  for (let hour = 0; hour < 3; hour++) {
    service.clock.jump(3_600_000);
    await service.minute();
  }
  await ship();
  await prune(service.record.store, (service.clock.now() - 3_600_000) as EpochMs);
  await ship();
  const texts = read().map(({ fromAt, toAt }) => `${fromAt} ${toAt}`);
  assert.deepEqual(texts, [
    '2026-11-30 23:58:00.000 2026-12-01 00:00:00.000',
    '2026-12-01 00:00:00.000 2026-12-02 00:00:00.000',
    '2026-12-02 00:00:00.000 2026-12-03 00:00:00.000',
    '2026-12-03 00:00:00.000 2026-12-04 00:00:00.000',
  ]);
});

test('rows that ClickHouse would delete at once are not sent', async (t) => {
  const { service, clickhouse } = await rig(t);
  await service.minute();
  await service.stop();
  service.clock.jump(2 * dayMs);
  const options = { from: undefined, to: undefined, now: service.clock.now(), keepForMs: dayMs, progress: () => {} };
  const { segments, rows } = await shipTo(service.record.store, clickhouse.location, true, options);
  assert.ok(segments > 0);
  assert.deepEqual(rows, { quotes: 0, servings: 0, facts: 0 });
});

test('tables keep rows as long as it is configured, from the next --create on', async (t) => {
  const { service, clickhouse, ship } = await rig(t);
  await ship({}, true);
  assert.match(clickhouse.definitionOf('quotes')!, /^TTL toDateTime\(at\) \+ toIntervalSecond\(34560000\)$/m);
  const options = { from: undefined, to: undefined, now: service.clock.now(), keepForMs: dayMs, progress: () => {} };
  await shipTo(service.record.store, clickhouse.location, true, options);
  for (const table of ['quotes', 'servings', 'facts'])
    assert.match(clickhouse.definitionOf(table)!, /toIntervalSecond\(86400\)$/m);
});

test('a segment that is not as it was sealed is never sent, nor what follows it', async (t) => {
  for (const [change, named] of [
    [
      "update chunk set data = x'00' where id = (select place from segment where number = 3)",
      /Segment 3 of chain 1 was changed/,
    ],
    ['delete from segment where number = 3', /Segment 3 of chain 1 is missing/],
    [
      'update segment set previous = (select hash from segment where number = 1) where number = 3',
      /Segment 3 of chain 1 does not follow/,
    ],
  ] as const) {
    const { service, clickhouse, ship } = await rig(t);
    await service.minute();
    await service.stop();
    if (service.record.location.kind === 'sqlite') {
      const database = new DatabaseSync(service.record.location.path);
      database.exec(change);
      database.close();
    }
    await assert.rejects(ship({}, true), { reason: 'segment_unproven', message: named });
    assert.deepEqual(clickhouse.rows('SELECT segment FROM quotes WHERE segment >= 3'), []);
  }
});

test('a database that holds another record, or lost rows of this one, is refused', async (t) => {
  const { service, clickhouse, ship } = await rig(t);
  const other = await RecordedService.start(t);
  await service.minute();
  await ship({}, true);
  other.clock.jump(1_000);
  await other.minute();
  const options = {
    from: undefined,
    to: undefined,
    now: other.clock.now(),
    keepForMs: 400 * dayMs,
    progress: () => {},
  };
  await assert.rejects(shipTo(other.record.store, clickhouse.location, false, options), { reason: 'record_differs' });
  clickhouse.tamper('update segments set number = 900 where number = 1 and sent = 1');
  await assert.rejects(ship(), {
    reason: 'record_differs',
    message: /segment 900 of chain 1, and here the chain ends/,
  });
  clickhouse.tamper('update segments set number = 1 where number = 900');
  // Some of the rows of a ship that was not finished were deleted by hand.
  clickhouse.tamper('delete from segments where sent = 1; delete from quotes where sub = 0');
  await assert.rejects(ship(), {
    reason: 'record_differs',
    message: /ClickHouse has \d+ of \d+ rows of segments \d+ to \d+ of chain 1 in quotes/,
  });
});

test('what ClickHouse lacks is named with its remedy, and its password never', async (t) => {
  const { service, clickhouse } = await rig(t);
  await service.minute();
  const options = { from: undefined, to: undefined, now: service.clock.now(), keepForMs: dayMs, progress: () => {} };
  const { location } = clickhouse;
  const ship = (changes: Partial<typeof location>) =>
    shipTo(service.record.store, { ...location, ...changes }, false, options).then(
      () => assert.fail('nothing was refused'),
      ({ reason, message }: { reason: string; message: string }) => {
        assert.ok(!message.includes(location.password) && !message.includes('hunter2'), message);
        return `${reason}: ${message}`;
      },
    );
  assert.match(await ship({}), /^clickhouse_schema: The database record of ClickHouse lacks tables .*--create/);
  assert.match(await ship({ password: 'hunter2' }), /^clickhouse_refused: .* refuses the user mdapi/);
  assert.match(
    await ship({ database: 'nope' }),
    /^clickhouse_schema: ClickHouse has no database nope: CREATE DATABASE nope/,
  );
  assert.match(
    await ship({ url: 'http://127.0.0.1:1' }),
    /^clickhouse_unreachable: .*http:\/\/127\.0\.0\.1:1: ECONNREFUSED/,
  );
  await shipTo(service.record.store, location, true, options);
  clickhouse.setComment('coverage', 'mdapi record, schema 7');
  assert.match(await ship({}), /^clickhouse_schema: .* have schema 7; this version of mdapi writes schema 1/);
  clickhouse.setComment('coverage', 'orders');
  assert.match(await ship({}), /^clickhouse_schema: .* are not those of a record/);
});
