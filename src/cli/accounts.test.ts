import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { systemClock, systemRandomness } from '../ground/clock.ts';
import { openStore } from '../store/store.ts';
import { newDirectory, newOperator, runInside } from './cli.testing.ts';

describe('accounts', () => {
  it('are created, listed, deactivated and activated', async (t) => {
    const { process, text, json, directory } = newOperator(t);
    const made = await process('accounts', 'create', '--email', 'bot@example.com');
    assert.equal(made.exitCode, 0, made.stderr);
    assert.match(
      made.stdout,
      /^Account {3}acc_\w{16}\nE-mail {4}bot@example\.com\nLanguage {2}-\nState {5}active\nCreated {3}\S+Z\n$/,
    );
    assert.match(
      made.stderr,
      /^Created the database .*mdapi\.sqlite\.\nNext: mdapi keys create --account acc_\w{16}\n$/,
    );
    assert.equal(statSync(join(directory, 'mdapi.sqlite')).mode & 0o077, 0);

    const { accounts } = await json<{ accounts: { id: string; email: string; active: boolean }[] }>('accounts', 'list');
    const [account] = accounts;
    assert.ok(account !== undefined && accounts.length === 1);
    assert.deepEqual([account.email, account.active], ['bot@example.com', true]);

    const off = await json('accounts', 'deactivate', account.id);
    assert.deepEqual([off.id, off.active], [account.id, false]);
    assert.match(await text('accounts', 'list'), /^ID +E-MAIL +STATE +CREATED\nacc_\w+ +bot@example\.com +inactive +/);
    assert.equal((await json('accounts', 'activate', account.id)).active, true);
  });

  it('take a language and another address, one without the other', async (t) => {
    const { json, mdapi } = newOperator(t);
    const made = await json('accounts', 'create', '--email', 'bot@example.com', '--language', 'cs');
    assert.equal(made.language, 'cs');
    const { email, language } = await json('accounts', 'update', `${made.id}`, '--email', 'new@example.com');
    assert.deepEqual([email, language], ['new@example.com', 'cs']);
    const changed = await json('accounts', 'update', `${made.id}`, '--language', 'en');
    assert.deepEqual([changed.email, changed.language], ['new@example.com', 'en']);
    const refused = await mdapi('accounts', 'update', `${made.id}`, '--language', 'de');
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /--language.*en.*cs/);
  });

  it('can be created by several processes at once while a server has the database open', async (t) => {
    const { process, directory } = newOperator(t);
    const url = `sqlite:${join(directory, 'mdapi.sqlite')}`;
    const server = await openStore({ url, clock: systemClock, randomness: systemRandomness });
    t.after(() => server.close());
    const outcomes = await Promise.all([1, 2, 3, 4].map((n) => process('accounts', 'create', '--email', `bot${n}@b`)));
    for (const { exitCode, stderr } of outcomes) assert.equal(exitCode, 0, stderr);
    assert.equal((await server.accounts.list()).length, 4);
  });

  it('give both forms of an instant, which agree', async (t) => {
    const { json } = newOperator(t);
    const account = await json<{ createdAt: string; createdAtMs: number }>('accounts', 'create', '--email', 'a@b');
    assert.equal(new Date(account.createdAtMs).toISOString(), account.createdAt);
  });

  const refusals: readonly (readonly [what: string, argv: readonly string[], exitCode: number, reason: string])[] = [
    ['a second account with the address in other case', ['create', '--email', 'BOT@example.com'], 5, 'email_taken'],
    ['an address that is none', ['create', '--email', 'nobody'], 2, 'email_invalid'],
    ['no address', ['create'], 2, 'wrong_usage'],
    ['deactivating an unknown account', ['deactivate', 'acc_none'], 4, 'account_unknown'],
    ['activating an unknown account', ['activate', 'acc_none'], 4, 'account_unknown'],
    ['no id', ['activate'], 2, 'wrong_usage'],
  ];
  it('are refused with a reason, an exit code and a sentence', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'bot@example.com'], { cwd });
    for (const [what, argv, exitCode, reason] of refusals) {
      const outcome = await runInside(['accounts', ...argv, '--json'], { cwd });
      assert.equal(outcome.exitCode, exitCode, what);
      const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
      assert.deepEqual([error.reason, error.exitCode], [reason, exitCode], what);
      assert.ok(outcome.stderr.startsWith(`mdapi: ${String(error.message)}\n`), outcome.stderr);
    }
  });

  it('with an impossible address make no database', async (t) => {
    const cwd = newDirectory(t);
    for (const email of ['nobody', 'a b@c.d', 'a\u202e@b', 'a\u001b@b']) {
      const { exitCode, stderr } = await runInside(['accounts', 'create', '--email', email], { cwd });
      assert.deepEqual([exitCode, stderr.startsWith('mdapi: The e-mail address must have')], [2, true], stderr);
    }
    assert.deepEqual(readdirSync(cwd), []);
  });

  it('are not deactivated unless the question at a terminal is answered with y', async (t) => {
    const cwd = newDirectory(t);
    const made = await runInside(['accounts', 'create', '--email', 'a@b', '--json'], { cwd });
    const { id } = JSON.parse(made.stdout) as { id: string };
    for (const typed of ['n\n', '\n', 'yikes\n', undefined]) {
      const inside = typed === undefined ? { cwd, isTerminal: true } : { cwd, isTerminal: true, typed };
      const kept = await runInside(['accounts', 'deactivate', id], inside);
      assert.equal(kept.exitCode, 1);
      assert.equal(kept.stdout, '');
      assert.match(
        kept.stderr,
        /^Deactivate acc_\w+ \(a@b\)\? All its keys stop working\. \[y\/N\] mdapi: Nothing was changed\.\n$/,
      );
    }
    const list = await runInside(['accounts', 'list', '--json'], { cwd });
    assert.match(list.stdout, /"active":true/);
    const done = await runInside(['accounts', 'deactivate', id], { cwd, isTerminal: true, typed: 'y\n' });
    assert.equal(done.exitCode, 0);
    const ahead = await runInside(['accounts', 'deactivate', id, '--yes'], { cwd, isTerminal: true });
    assert.deepEqual([ahead.exitCode, ahead.stderr], [0, '']);
  });

  it('cannot control the terminal with text that another program wrote', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'a@b'], { cwd });
    using database = new DatabaseSync(join(cwd, 'mdapi.sqlite'));
    database.prepare('update accounts set email = ?').run('a\u001b[31m\u202e@b');
    const { stdout } = await runInside(['accounts', 'list'], { cwd });
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u202e'));
    assert.ok(stdout.includes('a\uFFFD[31m\uFFFD@b'));
  });
});
