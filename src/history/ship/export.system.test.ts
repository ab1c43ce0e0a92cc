import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { duckdbNeeds, openDuckdb } from '../../../test/support/duckdb.ts';
import { runInside } from '../../cli/cli.testing.ts';
import { directoryFor } from '../record/record.testing.ts';
import { RecordedService } from './ship.testing.ts';

const notebook = new URL('../../../examples/record-notebook/', import.meta.url);

/** A record of five minutes over midnight, exported in every way, and a DuckDB beside it. */
async function exported(t: TestContext) {
  const service = await RecordedService.start(t);
  for (let minute = 0; minute < 5; minute++) await service.minute();
  await service.stop();
  const { location } = service.record;
  const cwd = directoryFor(t);
  const env = { MDAPI_HISTORY_URL: location.kind === 'sqlite' ? `sqlite:${location.path}` : location.url };
  const inside = { cwd, env, clock: service.clock };
  await runInside(['accounts', 'create', '--email', 'analyst@example.com'], inside);
  for (const what of ['quotes', 'answers', 'facts']) {
    for (const format of ['parquet', 'csv']) {
      const options = ['--from', '2026-11-30T00:00Z', '--what', what, '--format', format, '--out', 'export'];
      const { exitCode, stderr } = await runInside(['history', 'export', ...options], inside);
      assert.equal(exitCode, 0, stderr);
    }
  }
  const duckdb = await openDuckdb(cwd);
  t.after(() => duckdb.close());
  await duckdb.run(readFileSync(new URL('views.sql', notebook), 'utf8'));
  return { cwd, duckdb };
}

test(
  'DuckDB reads every exported value with its type and every digit, and knows what a group has',
  duckdbNeeds,
  async (t) => {
    const { cwd, duckdb } = await exported(t);
    const types = await duckdb.rows('DESCRIBE quotes');
    const typeOf = Object.fromEntries(types.map(({ column_name: name, column_type: type }) => [name, type]));
    assert.deepEqual(
      [typeOf.at, typeOf.timestamp, typeOf.bid, typeOf.rate, typeOf.volume24h, typeOf.sub, typeOf.symbol],
      [
        'TIMESTAMP WITH TIME ZONE',
        'TIMESTAMP WITH TIME ZONE',
        'DECIMAL(38,18)',
        'DECIMAL(38,18)',
        'DECIMAL(38,18)',
        'INTEGER',
        'VARCHAR',
      ],
    );
    const files = readdirSync(join(cwd, 'export'))
      .filter((name) => /^quotes-.*csv$/.test(name))
      .toSorted();
    const lines = files.flatMap((name) =>
      readFileSync(join(cwd, 'export', name), 'utf8')
        .trim()
        .split('\n')
        .slice(1),
    );
    const texts = lines
      .map((line) => line.split(','))
      .map(([symbol, at, sub, , , , bid, ask, buy, sell]) => [symbol, at, sub, bid, ask, buy, sell].join());
    const columns = ['bid', 'ask', 'buyPrice', 'sellPrice'].map(
      (name) => `coalesce(rtrim(rtrim(${name}::VARCHAR, '0'), '.'), '')`,
    );
    const rows = await duckdb.rows(
      `SELECT concat_ws(',', symbol, strftime("at", '%Y-%m-%dT%H:%M:%S.%gZ'), sub, ${columns}) AS line FROM quotes ORDER BY place`,
    );
    const shortest = (line: string) => line.replaceAll(/(\.\d*?)0+(?=,|$)/g, '$1').replaceAll(/\.(?=,|$)/g, '');
    assert.ok(texts.length >= 40, String(texts.length));
    assert.deepEqual(rows.map(({ line }) => line).toSorted(), texts.map(shortest).toSorted());
    const groups = await duckdb.rows(`SELECT path_in_schema AS name, stats_min_value AS low, stats_max_value AS high
    FROM parquet_metadata('export/quotes-*.parquet') WHERE path_in_schema IN ('at', 'bid', 'symbol')`);
    for (const { name, low, high } of groups) assert.ok(low !== null && high !== null, String(name));
  },
);

test('the ten questions of the notebook have answers', duckdbNeeds, async (t) => {
  const { duckdb } = await exported(t);
  const text = readFileSync(new URL('questions.sql', notebook), 'utf8');
  const questions = text.split(/^(?=-- \d+\. )/m);
  assert.equal(questions.length, 10);
  const found = [];
  for (const question of questions) found.push(await duckdb.rows(question));
  const [spreads, ages, served, revenue, answers, problems, unpriced, candles, oldest, facts] = found;
  const of = (rows: typeof spreads, ...names: readonly string[]) => rows!.map((row) => names.map((name) => row[name]));
  assert.deepEqual(of(spreads!.slice(0, 1), 'symbol', 'hour', 'prices', 'spread'), [
    ['BTCCZK', '2026-11-30 23:00:00+00', '7', 3.008],
  ]);
  assert.deepEqual(of(ages, 'source', 'prices', 'median', 'oldest'), [['exchange', '38', 40, '40']]);
  const [first] = served!;
  assert.deepEqual([served!.length, first!.keyId, first!.symbol], [36, 'key_0', 'BTCEUR']);
  assert.deepEqual([first!.buyPrice, first!.sellPrice].map(Number), [84631.2, 83782.2]);
  assert.deepEqual(of(revenue!.slice(0, 1), 'symbol', 'aUnitBought', 'percentBought'), [['BTCCZK', 30816.4185, 1.505]]);
  // Those of the last instant are after the span.
  assert.equal(
    answers!.reduce((sum, row) => sum + Number(row.answers), 0),
    40,
  );
  assert.deepEqual(of(problems, 'code', 'times', 'keys'), [['UNKNOWN_SYMBOL', '4', '1']]);
  assert.deepEqual(of(unpriced!.slice(0, 1), 'symbol', 'reason', 'milliseconds'), [['BTCCZK', 'no_ticker', '15000']]);
  assert.deepEqual(
    of(candles!.slice(0, 1), 'symbol', 'open').map(([symbol, open]) => [symbol, Number(open)]),
    [['BTCCZK', 2078385]],
  );
  assert.deepEqual(of(oldest!.slice(0, 1), 'keyId', 'answers', 'oldest'), [['key_0', '20', '40']]);
  assert.deepEqual([facts!.length, facts![0]!.kind], [6, 'process']);
});
