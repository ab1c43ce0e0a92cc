import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ClickHouseStandIn } from '../../test/support/clickhouse-stand-in.ts';
import { RecordedService } from '../history/ship/ship.testing.ts';
import { lockForService } from '../store/sqlite/file.ts';
import { newDirectory, runInside } from './cli.testing.ts';

/** Has a record of a minute, and a ClickHouse whose URL with its password is in a file. */
async function operator(t: TestContext) {
  const [service, clickhouse] = [await RecordedService.start(t), await ClickHouseStandIn.start(t)];
  await service.minute();
  await service.stop();
  const { location } = service.record;
  const path = location.kind === 'sqlite' ? location.path : '';
  const cwd = newDirectory(t);
  const { url, user, password } = clickhouse.location;
  const secret = join(cwd, 'clickhouse-url');
  const urlWith = (given: string) => url.replace('//', `//${user}:${encodeURIComponent(given)}@`);
  writeFileSync(secret, `${urlWith(password)}/record\n`);
  const env = { MDAPI_HISTORY_URL: `sqlite:${path}`, MDAPI_HISTORY_CLICKHOUSE_URL_FILE: secret };
  await runInside(['accounts', 'create', '--email', 'bot@example.com'], { cwd, env });
  const mdapi = (argv: readonly string[], changed: Readonly<Record<string, string>> = env) =>
    runInside(['history', 'ship', ...argv], { cwd, env: changed, clock: service.clock });
  return { service, clickhouse, path, env, urlWith, mdapi };
}

describe('mdapi history ship', () => {
  it('makes the tables once, copies what is new, and says how far it is', async (t) => {
    const { clickhouse, mdapi, service } = await operator(t);
    const first = await mdapi(['--create', '--json']);
    assert.equal(first.exitCode, 0, first.stderr);
    const { segments, quotes, servings, until } = JSON.parse(first.stdout);
    assert.deepEqual([segments > 3, servings, until.slice(0, 10)], [true, 10, '2026-11-30']);
    assert.deepEqual(clickhouse.rows('SELECT count(*) AS quotes FROM quotes'), [{ quotes }]);
    assert.match(first.stderr, /^\d+ quotes, 10 answers, up to 2026-11-30T23:59:00\.000Z$/m);
    assert.equal((await mdapi([])).stdout, 'Everything that is sealed was copied already.\n');
    await service.begin();
    await service.minute();
    await service.stop();
    assert.match((await mdapi([])).stdout, /^\d+ segments: \d+ quotes, 10 answers, \d+ facts\.\n$/);
  });

  it('prints the statements that make the tables, and asks nobody', async (t) => {
    const { mdapi, clickhouse } = await operator(t);
    const { stdout, exitCode } = await mdapi(['--schema']);
    assert.equal(exitCode, 0);
    for (const table of ['quotes', 'servings', 'facts', 'segments']) {
      assert.match(stdout, new RegExp(`^CREATE TABLE IF NOT EXISTS ${table} \\($`, 'm'));
    }
    assert.match(stdout, /toIntervalSecond\(158112000\)/);
    assert.equal(clickhouse.definitionOf('quotes'), undefined);
  });

  it('names what is wrong, and never the password', async (t) => {
    const { mdapi, env, path, urlWith } = await operator(t);
    const { MDAPI_HISTORY_CLICKHOUSE_URL_FILE: _, ...without } = env;
    const at = (url: string) => ({ ...without, MDAPI_HISTORY_CLICKHOUSE_URL: url });
    const release = lockForService(path);
    const running = await mdapi([]);
    release();
    const cases = [
      [running, 1, /being shipped already, by process \d+ on /],
      [await mdapi([]), 1, /lacks tables for the record. `mdapi history ship --create` makes them/],
      [await mdapi([], without), 1, /no ClickHouse to copy to. Set history\.clickhouse\.url/],
      [await mdapi([], at(`${urlWith('hunter2')}/record`)), 1, /refuses the user mdapi/],
      [
        await mdapi([], at('http://mdapi:hunter2@127.0.0.1:1/record')),
        1,
        /does not answer at http:\/\/127\.0\.0\.1:1: ECONNREFUSED/,
      ],
      [
        await mdapi([], at('clickhouse://mdapi:hunter2@127.0.0.1')),
        3,
        /the value \(not shown\) is not http:\/\/ or https:\/\//,
      ],
      [await mdapi(['--from', 'yesterday']), 2, /--from/],
      [await mdapi(['--from', '2026-11-30T00:00Z', '--to', '2026-11-29T00:00Z']), 2, /--to has to be after --from/],
    ] as const;
    for (const [{ exitCode, stderr, stdout }, expected, named] of cases) {
      assert.equal(exitCode, expected, stderr);
      assert.match(stderr, named);
      assert.equal(stdout, '');
      assert.ok(!stderr.includes('hunter2') && !stderr.includes('word/1'), stderr);
    }
  });
});
