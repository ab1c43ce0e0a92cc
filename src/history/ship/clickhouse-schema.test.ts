import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statisticNames } from '../segment/rows.ts';
import {
  isSameType,
  makesView,
  neededColumns,
  retentionOf,
  rowTableNames,
  schemaStatements,
  schemaVersion,
  tableOfView,
} from './clickhouse-schema.ts';

test('every decimal of a quote has a column with its digits and one for arithmetic', () => {
  const [quotes = ''] = schemaStatements(86_400_000);
  for (const name of ['bid', 'ask', 'buyPrice', 'sellPrice', ...statisticNames]) {
    assert.match(quotes, new RegExp(`\\b${name}Text String\\b`));
    assert.match(
      quotes,
      new RegExp(`\\b${name} Nullable\\(Decimal\\(38, 18\\)\\) ALIAS toDecimal128OrNull\\(${name}Text`),
    );
  }
});

test('the rows are kept for as long as the record, and the tables name their version', () => {
  const statements = schemaStatements(90_061_001);
  const made = (table: string) => statements.find((each) => each.includes(`TABLE IF NOT EXISTS ${table} (`));
  for (const table of rowTableNames) assert.ok(made(table)?.includes(`TTL ${retentionOf(90_061_001)}`), table);
  assert.equal(retentionOf(90_061_001), 'toDateTime(at) + toIntervalSecond(90062)');
  assert.ok(made('coverage')?.includes(`COMMENT 'mdapi record, schema ${schemaVersion}'`));
  assert.doesNotMatch(statements.join(), /[{}]/);
});

test('every column of a statement that makes a table is known with its type', () => {
  const needed = neededColumns();
  assert.deepEqual([...needed.keys()], ['quotes', 'servings', 'facts', 'segments', 'coverage']);
  for (const statement of schemaStatements(0).filter((each) => !makesView(each))) {
    const [, table = '', lines = ''] = /EXISTS (\w+) \(\n(.+)\n\) ENGINE/s.exec(statement)!;
    const defined = lines.split('\n').filter((line) => !/^ {2}(--|INDEX )/.test(line));
    assert.equal(needed.get(table)?.length, defined.length, table);
    for (const [index, { name, type, definition }] of needed.get(table)!.entries()) {
      assert.ok(defined[index]!.startsWith(`  ${name} ${type}`), `${table}: ${definition}`);
      assert.doesNotMatch(definition, /,$/);
    }
  }
  assert.ok(needed.get('coverage')!.some(({ type }) => type === "Nullable(DateTime64(3, 'UTC'))"));
});

test('a view shows every column of its table', () => {
  for (const [view, table] of Object.entries(tableOfView)) {
    const statement = schemaStatements(0).find((each) => makesView(each, view))!;
    const [, shown = ''] = /\)\nSELECT ([\w\s,]+) FROM spoken/.exec(statement)!;
    const names = neededColumns()
      .get(table)!
      .map(({ name }) => name);
    assert.deepEqual(shown.split(/[\s,]+/).sort(), names.sort());
  }
});

test('types are the same where they hold the same values', () => {
  assert.ok(isSameType('Nullable(Decimal(38, 18))', 'Nullable(Decimal(38,18))'));
  assert.ok(isSameType('LowCardinality(String)', 'String'));
  assert.ok(!isSameType('Nullable(String)', 'String'));
  assert.ok(!isSameType('UInt32', 'UInt16'));
});
