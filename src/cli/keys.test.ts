import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { hasKeyShape } from '../access/api-key.testing.ts';
import { newDirectory, newOperator, type Operator, runInside } from './cli.testing.ts';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly lastFour: string;
  readonly usable: boolean;
  readonly expiresAtMs: number | null;
  readonly replacedBy: string | null;
  readonly replaces?: Key;
}

async function newAccount({ json }: Operator): Promise<string> {
  return (await json<{ id: string }>('accounts', 'create', '--email', 'bot@example.com')).id;
}

describe('API keys', () => {
  it('go through their whole life', async (t) => {
    const operator = newOperator(t);
    const { json, mdapi, text } = operator;
    const account = await newAccount(operator);
    const made = await json<Key>('keys', 'create', '--account', account, '--label', 'trading bot', '--limit', '120');
    assert.ok(hasKeyShape(made.key));
    assert.equal(made.key.slice(-4), made.lastFour);
    assert.equal((await json<Key>('keys', 'disable', made.id)).status, 'disabled');
    assert.equal((await json<Key>('keys', 'enable', made.id)).status, 'active');
    const rotated = await json<Key>('keys', 'rotate', made.id, '--overlap', '1h');
    assert.ok(hasKeyShape(rotated.key) && rotated.key !== made.key);
    assert.deepEqual([rotated.replaces?.id, rotated.replaces?.replacedBy], [made.id, rotated.id]);
    assert.equal((await json<Key>('keys', 'revoke', made.id)).status, 'revoked');
    const again = await mdapi('keys', 'enable', made.id);
    assert.equal(again.exitCode, 5);
    assert.match(again.stderr, /is revoked, which is final/);
    const list = await text('keys', 'list', '--account', account);
    assert.match(
      list,
      /^ID +KEY +STATE +EXPIRES +LIMIT +ACCOUNT +LABEL\nkey_\w+ +…\w{4} +revoked .* 120 +bot@example\.com +trading bot\nkey_\w+ +…\w{4} +active /,
    );
    assert.equal(await text('keys', 'list', '--account', 'BOT@example.com'), list);
    const ending = rotated.key.slice(-4);
    const named = await json<{ keys: Key[] }>('keys', 'list', '--ending', ending);
    assert.deepEqual(
      named.keys.map(({ lastFour }) => lastFour),
      [ending],
    );
  });

  it('can be changed later, and their account too', async (t) => {
    const operator = newOperator(t);
    const { json, mdapi } = operator;
    const account = await newAccount(operator);
    const { id } = await json<Key>('keys', 'create', '--account', account, '--label', 'bot', '--limit', '120');
    const changed = await json('keys', 'update', id, '--limit', 'default', '--label', 'new bot', '--expires', '+90d');
    assert.deepEqual([changed.limitPerMinute, changed.label], [null, 'new bot']);
    assert.equal((await json<Key>('keys', 'update', id, '--expires', 'never')).expiresAtMs, null);
    assert.match((await mdapi('keys', 'update', id)).stderr, /--label, --limit or --expires/);
    assert.equal((await json('accounts', 'update', account, '--email', 'new@example.com')).email, 'new@example.com');
    const unasked = await mdapi('accounts', 'erase', account);
    assert.equal(unasked.exitCode, 1);
    assert.match(unasked.stderr, /Without a terminal this needs --yes/);
    const erased = await json<{ email: string; keys: object }>('accounts', 'erase', account, '--yes');
    assert.equal(erased.email, `${account}@erased.invalid`);
    assert.deepEqual(erased.keys, { active: 0, disabled: 0, revoked: 1 });
  });

  it('are shown only once, with a hint, and are in no file', async (t) => {
    const operator = newOperator(t);
    const account = await newAccount(operator);
    const made = await operator.mdapi('keys', 'create', '--account', account);
    assert.equal(made.exitCode, 0, made.stderr);
    const [key = ''] = /mdk_\w+/.exec(made.stdout) ?? [];
    assert.ok(hasKeyShape(key));
    assert.equal(made.stdout.split(key).length, 2);
    assert.ok(!made.stderr.includes('mdk_') && made.stderr.includes('shown only once'));
    const outputs = await Promise.all([operator.text('keys', 'list'), operator.text('keys', 'list', '--json')]);
    for (const stdout of outputs) assert.ok(stdout.includes('key_') && !stdout.includes('mdk_'));
    const files = readdirSync(operator.directory);
    assert.ok(files.includes('mdapi.sqlite'));
    for (const file of files) assert.ok(!readFileSync(join(operator.directory, file), 'latin1').includes(key), file);
  });

  it('are not echoed when one is given in place of its id', async (t) => {
    const cwd = newDirectory(t);
    const key = 'mdk_0123456789abcdefghijABCDEFGHIJ0123456789';
    for (const command of ['revoke', 'disable', 'enable', 'rotate']) {
      const outcome = await runInside(['keys', command, key, '--json'], { cwd });
      assert.equal(outcome.exitCode, 2);
      assert.ok(!`${outcome.stdout}${outcome.stderr}`.includes(key));
    }
  });

  it('show why they cannot be used', async (t) => {
    const cwd = newDirectory(t);
    const clock = new FakeClock('2026-11-21T10:00:00.000Z');
    const inside = { cwd, clock };
    const read = async <Shape>(...argv: string[]) =>
      JSON.parse((await runInside([...argv, '--json'], inside)).stdout) as Shape;
    const account = (await read<{ id: string }>('accounts', 'create', '--email', 'a@b')).id;
    const made = await read<Key>('keys', 'create', '--account', account, '--expires', '+1h');
    assert.equal(made.expiresAtMs, Date.parse('2026-11-21T11:00:00Z'));
    const states = async () => [
      (await read<{ keys: Key[] }>('keys', 'list')).keys[0]?.usable,
      /(active|expired|account inactive) +2026-11-21T11:00:00Z/.exec(
        (await runInside(['keys', 'list'], inside)).stdout,
      )?.[1],
    ];
    assert.deepEqual(await states(), [true, 'active']);
    await read('accounts', 'deactivate', account);
    assert.deepEqual(await states(), [false, 'account inactive']);
    await read('accounts', 'activate', account);
    clock.jump(3_600_000);
    assert.deepEqual(await states(), [false, 'expired']);
  });

  it('replaced without overlap no longer work, and the answer says so', async (t) => {
    const cwd = newDirectory(t);
    const made = await runInside(['accounts', 'create', '--email', 'a@b', '--json'], { cwd });
    const { id: account } = JSON.parse(made.stdout) as { id: string };
    const key = JSON.parse(
      (await runInside(['keys', 'create', '--account', account, '--json'], { cwd })).stdout,
    ) as Key;
    const rotated = await runInside(['keys', 'rotate', key.id, '--overlap', '0s'], { cwd });
    assert.match(rotated.stdout, new RegExp(`^Replaces +${key.id}, which no longer works$`, 'm'));
    const twice = await runInside(['keys', 'rotate', key.id], { cwd });
    assert.equal(twice.exitCode, 5);
  });

  it('are made for an inactive account only with a warning', async (t) => {
    const cwd = newDirectory(t);
    const made = await runInside(['accounts', 'create', '--email', 'a@b', '--json'], { cwd });
    const { id } = JSON.parse(made.stdout) as { id: string };
    await runInside(['accounts', 'deactivate', id], { cwd });
    const key = await runInside(['keys', 'create', '--account', id], { cwd });
    assert.match(key.stderr, /is inactive: activate it/);
    assert.match(key.stdout, /^State +account inactive$/m);
  });

  it('are revoked only after a y at a terminal, and the question names the key', async (t) => {
    const cwd = newDirectory(t);
    const made = await runInside(['accounts', 'create', '--email', 'a@b', '--json'], { cwd });
    const { id: account } = JSON.parse(made.stdout) as { id: string };
    const created = await runInside(['keys', 'create', '--account', account, '--label', 'bot', '--json'], { cwd });
    const { id, lastFour } = JSON.parse(created.stdout) as Key;
    const kept = await runInside(['keys', 'revoke', id], { cwd, isTerminal: true, typed: 'n\n' });
    assert.equal(kept.exitCode, 1);
    assert.ok(kept.stderr.startsWith(`Revoke ${id} "bot" (ends in ${lastFour}, a@b)? This is final. [y/N] `));
    const gone = await runInside(['keys', 'revoke', id, '--json'], { cwd, isTerminal: true, typed: 'yes\n' });
    assert.equal((JSON.parse(gone.stdout) as Key).status, 'revoked');
    const again = await runInside(['keys', 'revoke', id], { cwd, isTerminal: true });
    assert.deepEqual([again.exitCode, again.stderr], [0, '']);
  });

  const refusals: readonly (readonly [argv: readonly string[], exitCode: number, reason: string])[] = [
    [['create'], 2, 'wrong_usage'],
    [['create', '--account', 'acc_none'], 4, 'account_unknown'],
    [['create', '--account', 'ACCOUNT', '--expires', '2026-11-21T09:59Z'], 2, 'expiry_not_in_future'],
    [['create', '--account', 'ACCOUNT', '--expires', '2026-12-01'], 2, 'wrong_usage'],
    [['create', '--account', 'ACCOUNT', '--limit', '0'], 2, 'wrong_usage'],
    [['create', '--account', 'ACCOUNT', '--limit', '1000001'], 2, 'wrong_usage'],
    [['create', '--account', 'ACCOUNT', '--limit', '6e1'], 2, 'wrong_usage'],
    [['create', '--account', 'ACCOUNT', '--label', 'x'.repeat(101)], 2, 'label_invalid'],
    [['create', '--account', 'ACCOUNT', '--label', 'a\u202eb'], 2, 'label_invalid'],
    [['create', '--account', 'ACCOUNT', '--label', 'a', '--label', 'b'], 2, 'wrong_usage'],
    [['list', '--account', 'acc_none'], 4, 'account_unknown'],
    [['list', '--account', 'nobody@example.com'], 4, 'account_unknown'],
    [['revoke', 'key_none'], 4, 'key_unknown'],
    [['disable', 'key_none'], 4, 'key_unknown'],
    [['enable', 'key_none'], 4, 'key_unknown'],
    [['rotate', 'key_none'], 4, 'key_unknown'],
    [['rotate', 'key_none', '--overlap', '24'], 2, 'wrong_usage'],
    [['rotate', 'key_none', '--overlap', '366d'], 2, 'wrong_usage'],
  ];
  it('are refused with a reason and an exit code, and then no key is printed', async (t) => {
    const cwd = newDirectory(t);
    const made = await runInside(['accounts', 'create', '--email', 'a@b', '--json'], { cwd });
    const { id } = JSON.parse(made.stdout) as { id: string };
    for (const [argv, exitCode, reason] of refusals) {
      const given = argv.map((argument) => (argument === 'ACCOUNT' ? id : argument));
      const outcome = await runInside(['keys', ...given, '--json'], { cwd });
      const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
      assert.deepEqual([outcome.exitCode, error.reason], [exitCode, reason], argv.join(' '));
      assert.ok(!`${outcome.stdout}${outcome.stderr}`.includes('mdk_'));
    }
  });
});
