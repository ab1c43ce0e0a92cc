import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { krakenAt } from '../../test/support/kraken-at.ts';
import { emptyDatabase, newDatabase, postgresTest } from '../store/store.testing.ts';
import { newDirectory, newOperator, runInside } from './cli.testing.ts';

describe('store copy', () => {
  postgresTest('moves an installation to PostgreSQL and back, and keys and accounts are there', async (t) => {
    const { json, mdapi } = newOperator(t);
    const url = await newDatabase(t, 'postgres');
    const account = await json<{ id: string }>('accounts', 'create', '--email', 'a@example.com');
    const key = await json<{ id: string }>('keys', 'create', '--account', account.id);
    const copied = await mdapi('store', 'copy', '--to', url);
    assert.equal(copied.exitCode, 0, copied.stderr);
    assert.match(copied.stdout, /^TABLE +ROWS\naccounts +1\napi_keys +1\n/);
    assert.match(copied.stderr, /^Copying accounts\nCopying api_keys\n/);
    assert.match(copied.stderr, /Next: set `store` in the configuration/);
    const again = await json<object>('store', 'copy', '--to', url);
    assert.deepEqual({ ...again, counts: undefined }, { complete: true, wasComplete: true, counts: undefined });
    const { keys } = await json<{ keys: { id: string }[] }>('keys', 'list', '--store', url);
    assert.deepEqual(
      keys.map(({ id }) => id),
      [key.id],
    );
    await json('keys', 'revoke', key.id, '--store', url);
    await json('store', 'copy', '--from', url, '--to', 'sqlite:back.sqlite');
    const back = await json<{ keys: { status: string }[] }>('keys', 'list', '--store', 'sqlite:back.sqlite');
    assert.deepEqual(
      back.keys.map(({ status }) => status),
      ['revoked'],
    );
  });

  postgresTest('draws a bar on a terminal', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'a@example.com'], { cwd });
    const { exitCode, stderr } = await runInside(['store', 'copy', '--to', 'sqlite:other.sqlite'], {
      cwd,
      isTerminal: true,
    });
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /\r\[#{30}\] 100 % of \d+ rows, operator_tokens/);
  });

  postgresTest('refuses a target that has data, and leaves it as it is', async (t) => {
    const { json, mdapi } = newOperator(t);
    for (const name of ['mdapi', 'taken']) {
      await json('accounts', 'create', '--email', `${name}@example.com`, '--store', `sqlite:${name}.sqlite`);
    }
    const { exitCode, stderr } = await mdapi('store', 'copy', '--to', 'sqlite:taken.sqlite');
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /has data of its own already \(accounts: 1 rows\)\. Copy into a new database/);
    const { accounts } = await json<{ accounts: { email: string }[] }>(
      'accounts',
      'list',
      '--store',
      'sqlite:taken.sqlite',
    );
    assert.deepEqual(
      accounts.map(({ email }) => email),
      ['taken@example.com'],
    );
  });
});

describe('a database on PostgreSQL', () => {
  postgresTest(
    'that is empty is made by the first account alone, and looked at by `check` without being made',
    async (t) => {
      const { mdapi, json } = newOperator(t, {
        MDAPI_SOURCES: JSON.stringify([krakenAt('http://127.0.0.1:1', 'ws://127.0.0.1:1')]),
      });
      const url = await emptyDatabase(t, 'postgres');
      const missing = await mdapi('accounts', 'list', '--store', url);
      assert.equal(missing.exitCode, 4);
      assert.match(missing.stderr, /There is no database postgres:\/\/postgres@127\.0\.0\.1:\d+\/\w+\./);
      const databaseOf = async () => {
        const { stdout } = await mdapi('check', '--json', '--store', url);
        const { findings } = JSON.parse(stdout) as { findings: { name: string; detail: string }[] };
        return findings.find(({ name }) => name === 'database')?.detail ?? '';
      };
      assert.match(await databaseOf(), /: empty; the server creates its tables$/);
      assert.match(await databaseOf(), /: empty; the server creates its tables$/);
      await json('accounts', 'create', '--email', 'a@example.com', '--store', url);
      assert.match(await databaseOf(), /: 1 accounts, 0 keys, 0 markets$/);
    },
  );
});
