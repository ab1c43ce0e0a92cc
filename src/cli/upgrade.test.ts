import assert from 'node:assert/strict';
import fs, { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { version } from '../ground/version.ts';
import { newDirectory, runInside } from './cli.testing.ts';

/** A store that version 1.0.0 served with: of steps 1 to 4, with accounts, keys, terms, a window and 112 markets. */
const released = zstdDecompressSync(readFileSync(new URL('../../test/golden/store-4.zst', import.meta.url)));
const stepsBefore = ['0001-initial', '0002-terms', '0003-status-history', '0004-source-tokens'];

function oldStore(t: TestContext) {
  const cwd = newDirectory(t);
  const path = join(cwd, 'mdapi.sqlite');
  writeFileSync(path, released, { mode: 0o600 });
  const clock = new FakeClock();
  const mdapi = (...argv: readonly string[]) => runInside(argv, { cwd, clock });
  const kept = () => readdirSync(cwd).filter((name) => name.includes('.before-'));
  return { cwd, path, clock, mdapi, kept };
}

function stepsOf(path: string): unknown[] {
  using database = new DatabaseSync(path);
  const rows = database.prepare('select name from kysely_migration order by name').all();
  return rows.map(({ name }) => name);
}

describe('mdapi upgrade check', () => {
  it('tries the steps on a copy, says what they take, and leaves the store of the last version as it is', async (t) => {
    const { cwd, path, mdapi } = oldStore(t);
    const { exitCode, stdout, stderr } = await mdapi('upgrade', 'check', '--json');
    assert.equal(exitCode, 0, stderr);
    const { steps, trial, record } = JSON.parse(stdout);
    assert.deepEqual([steps.slice(0, 1), record], [['0005-accepted-source'], null]);
    assert.equal(trial.bytes, released.length);
    assert.ok(trial.bytesAfter >= trial.bytes && trial.neededBytes > trial.bytesAfter && trial.freeBytes > 0);
    assert.deepEqual(readFileSync(path), released);
    assert.deepEqual(
      readdirSync(cwd).filter((name) => name.includes('.trial-')),
      [],
    );
    assert.match(
      (await mdapi('upgrade', 'check')).stdout,
      /^Steps +0005-accepted-source.*\nTime .+\nDisk .+ MB free$/m,
    );
  });

  it('says what would fail, and removes its copy', async (t) => {
    const { cwd, path, mdapi } = oldStore(t);
    {
      using database = new DatabaseSync(path);
      database.exec('alter table markets add column accepted_source text');
    }
    const { exitCode, stderr } = await mdapi('upgrade', 'check');
    assert.equal(exitCode, 1);
    assert.match(stderr, /mdapi\.sqlite\.trial-\d+/);
    assert.deepEqual([readdirSync(cwd).filter((name) => name.includes('trial')), stepsOf(path)], [[], stepsBefore]);
  });

  it('copies nothing to a disk that has no room for it', async (t) => {
    const { cwd, mdapi } = oldStore(t);
    t.mock.method(fs, 'statfsSync', () => ({ bavail: 200, bsize: 4_096 }));
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const { exitCode, stderr } = await mdapi('upgrade', 'check');
    assert.equal(exitCode, 1);
    assert.match(stderr, /has 0\.8 MB free\. Free some space: the upgrade needs up to 1\.0 MB/);
    assert.ok(readdirSync(cwd).every((name) => name.startsWith('mdapi.sqlite') && !name.includes('trial')));
  });

  it('names what a record becomes that the version before could then not read', async (t) => {
    const { cwd, mdapi } = oldStore(t);
    {
      using record = new DatabaseSync(join(cwd, 'history.sqlite'));
      record.exec('create table segment (number integer); pragma user_version = 2');
    }
    writeFileSync(join(cwd, 'mdapi.yaml'), 'history: { url: "sqlite:./history.sqlite" }');
    assert.match((await mdapi('upgrade', 'check')).stdout, /^Record +of form 2, becomes 4\. .*store backup/m);
  });

  it('refuses a setting that this version does not know', async (t) => {
    const { cwd, mdapi } = oldStore(t);
    writeFileSync(join(cwd, 'mdapi.yaml'), 'pricing: { fee: "1" }');
    const { exitCode, stderr } = await mdapi('upgrade', 'check');
    assert.equal(exitCode, 3);
    assert.match(stderr, /pricing\.fee/);
  });
});

describe('the upgrade of a store of the last version', () => {
  it('keeps a copy, which its way back puts in place; then it can be done again', async (t) => {
    const { cwd, path, clock, mdapi, kept } = oldStore(t);
    const before = await mdapi('keys', 'list', '--json');
    assert.equal(before.exitCode, 0, before.stderr);
    const keys = JSON.parse(before.stdout).keys as { label: string; accountEmail: string }[];
    assert.deepEqual(
      keys.map(({ accountEmail, label }) => [accountEmail, label]),
      [
        ['demo@example.com', 'demo'],
        ['client@example.com', 'first client'],
      ],
    );
    const name = `mdapi.sqlite.before-${version}-${new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')}`;
    assert.deepEqual(kept(), [name]);
    assert.equal(statSync(join(cwd, name)).mode & 0o777, 0o600);
    assert.deepEqual(stepsOf(join(cwd, name)), stepsBefore);
    const [, command = ''] = /run `mdapi (store restore .*)`, and start the version before\.$/m.exec(before.stderr)!;

    assert.equal((await mdapi(...command.split(' '))).exitCode, 0);
    assert.deepEqual(stepsOf(path), stepsBefore);
    assert.deepEqual(kept(), [name], 'the copy stays');

    await clock.advance(1_000);
    const again = await mdapi('keys', 'list', '--json');
    assert.equal(again.stdout, before.stdout);
    assert.equal(kept().length, 1, 'one of each version');
    assert.notEqual(kept()[0], name);
    const ofUpgrade = kept();
    await clock.advance(1_000);
    await mdapi('keys', 'list');
    assert.deepEqual(kept(), ofUpgrade, 'and none of a store that is up to date');
    assert.match((await mdapi('upgrade', 'check')).stdout, /^Steps +none/m);
  });

  it('restores no file that is no store', async (t) => {
    const { cwd, path, mdapi } = oldStore(t);
    writeFileSync(join(cwd, 'notes'), 'no database, and long enough to have a header\n'.repeat(100));
    const { exitCode, stderr } = await mdapi('store', 'restore', 'notes', '--replace');
    assert.equal(exitCode, 1);
    assert.match(stderr, /notes is not an SQLite database/);
    assert.deepEqual(readFileSync(path), released);
  });
});
