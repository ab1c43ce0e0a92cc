import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ClickHouseStandIn } from '../../../test/support/clickhouse-stand-in.ts';
import { ClickHouse } from './clickhouse.ts';
import { bringUpToDate, makeTables } from './clickhouse-tables.ts';
import { assertCopied, rig } from './ship.testing.ts';

const dayMs = 86_400_000;

/** Tables as a version made them that recorded no average, no request and no place of a part of the record. */
async function formerTables(t: TestContext) {
  const clickhouse = await ClickHouseStandIn.start(t);
  const target = new ClickHouse(clickhouse.location);
  t.after(() => target.close());
  await makeTables(target, dayMs);
  for (const column of ['vwap24h', 'vwap24hText']) clickhouse.withoutColumn('quotes', column);
  clickhouse.withoutColumn('servings', 'requestId');
  clickhouse.withoutColumn('coverage', 'place');
  clickhouse.changes.length = 0;
  return { clickhouse, target };
}

const added = ['vwap24h', 'vwap24hText'];

test('a ship adds the columns that tables of a former version lack, and each row then has all of its values', async (t) => {
  const { service, clickhouse, ship } = await rig(t);
  await service.minute();
  const target = new ClickHouse(clickhouse.location);
  t.after(() => target.close());
  await makeTables(target, 400 * dayMs);
  for (const column of added) clickhouse.withoutColumn('quotes', column);
  clickhouse.withoutColumn('servings', 'requestId');
  await ship();
  await assertCopied({ service, clickhouse });
  assert.deepEqual(
    added.filter((column) => !clickhouse.columnsOf('prices').includes(column)),
    [],
  );
});

test('a column is added with its type and how it is computed, in one change of a table', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  await bringUpToDate(target);
  const [quotes, servings, coverage, view] = clickhouse.changes;
  assert.equal(
    quotes,
    'ADD COLUMN IF NOT EXISTS vwap24hText String CODEC(ZSTD(3)), ' +
      'ADD COLUMN IF NOT EXISTS vwap24h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(vwap24hText, 18)',
  );
  assert.equal(servings, 'ADD COLUMN IF NOT EXISTS requestId UUID CODEC(NONE)');
  assert.equal(coverage, 'ADD COLUMN IF NOT EXISTS place UInt32');
  assert.match(view!, /^CREATE OR REPLACE VIEW prices AS/);
  assert.equal(clickhouse.changes.length, 4);
});

test('tables that lack nothing are not changed, whatever else is in them', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  await bringUpToDate(target);
  await target.execute('ALTER TABLE quotes ADD COLUMN IF NOT EXISTS desk String');
  clickhouse.changes.length = 0;
  await bringUpToDate(target);
  assert.deepEqual(clickhouse.changes, []);
  assert.ok(clickhouse.columnsOf('quotes').includes('desk'));
});

test('several processes add the same columns at once, and each finds them there', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  const others = [new ClickHouse(clickhouse.location), new ClickHouse(clickhouse.location)];
  await Promise.all([target, ...others].map(bringUpToDate));
  await Promise.all(others.map((other) => other.close()));
  const columns = clickhouse.columnsOf('quotes');
  for (const column of added) assert.equal(columns.filter((name) => name === column).length, 1);
});

test('--create brings tables up to date before it makes the views that show their columns', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  await makeTables(target, dayMs);
  for (const column of added) assert.ok(clickhouse.columnsOf('prices').includes(column));
});

test('a column of another type is named with both types and what to do, and nothing is changed', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  clickhouse.setType('servings', 'status', 'String');
  await assert.rejects(bringUpToDate(target), {
    reason: 'clickhouse_schema',
    message:
      'The column status of the table servings in the database record of ClickHouse has the type String; this version ' +
      'of mdapi writes UInt16. Nothing was changed. Rename that column, and `mdapi history ship` adds its own, or name ' +
      'another database in history.clickhouse.url.',
  });
  assert.deepEqual(clickhouse.changes, []);
});

test('how ClickHouse stores a column is the choice of its operator', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  clickhouse.setType('quotes', 'source', 'String');
  clickhouse.setType('facts', 'text', 'LowCardinality(String)');
  await bringUpToDate(target);
  clickhouse.setType('quotes', 'timestamp', "DateTime64(3, 'UTC')");
  await assert.rejects(
    bringUpToDate(target),
    /has the type DateTime64\(3, 'UTC'\); this version of mdapi writes Nullable/,
  );
});

test('a distributed table is not changed: its statement is given to run on what it stands for', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  clickhouse.setEngine('servings', 'Distributed');
  await assert.rejects(bringUpToDate(target), {
    reason: 'clickhouse_schema',
    message:
      /servings .* is distributed\. .*: ALTER TABLE servings ADD COLUMN IF NOT EXISTS requestId UUID CODEC\(NONE\)$/,
  });
  assert.deepEqual(clickhouse.changes, []);
});

test('tables of another version are not changed', async (t) => {
  const { clickhouse, target } = await formerTables(t);
  clickhouse.setComment('coverage', 'mdapi record, schema 7');
  await assert.rejects(bringUpToDate(target), /have schema 7/);
  await assert.rejects(makeTables(target, dayMs), /have schema 7/);
  assert.deepEqual(clickhouse.changes, []);
});
