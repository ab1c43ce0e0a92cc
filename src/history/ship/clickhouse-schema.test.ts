import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statisticNames } from '../segment/rows.ts';
import { retentionOf, rowTableNames, schemaStatements, schemaVersion } from './clickhouse-schema.ts';

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
