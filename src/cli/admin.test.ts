import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { hasTokenShape } from '../access/operator-token.ts';
import { systemClock, systemRandomness } from '../ground/clock.ts';
import { openStore } from '../store/store.ts';
import { newDirectory, newOperator, runInside } from './cli.testing.ts';

interface Token {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly usable: boolean;
  readonly token: string;
  readonly expiresAtMs: number | null;
}

describe('operator tokens', () => {
  it('are created, listed and revoked, and their text is in no file', async (t) => {
    const operator = newOperator(t);
    const made = await operator.json<Token>('admin', 'token', '--name', 'alice');
    assert.ok(hasTokenShape('operator', made.token) && made.usable && made.name === 'alice');
    const listed = await operator.text('admin', 'tokens');
    assert.match(
      listed,
      new RegExp(
        `^ID +NAME +ROLE +STATE +CREATED +EXPIRES +LAST USED\n${made.id} +alice +operator +active .* never +never\n$`,
      ),
    );
    assert.ok(!listed.includes('mdo_'));
    assert.equal((await operator.json<Token>('admin', 'revoke', made.id)).usable, false);
    assert.equal((await operator.json<Token>('admin', 'revoke', made.id)).usable, false);
    for (const file of readdirSync(operator.directory)) {
      assert.ok(!readFileSync(join(operator.directory, file), 'latin1').includes(made.token), file);
    }
  });

  it('have the role that was given, and otherwise one that makes no further tokens', async (t) => {
    const operator = newOperator(t);
    assert.equal((await operator.json<Token>('admin', 'token')).role, 'operator');
    for (const role of ['read-only', 'support', 'operator', 'admin'])
      assert.equal((await operator.json<Token>('admin', 'token', '--role', role)).role, role);
  });

  it('and every other change are in the audit log under the name of the system user', async (t) => {
    const operator = newOperator(t);
    await operator.json('admin', 'token', '--name', 'alice');
    const { id } = await operator.json<{ id: string }>('accounts', 'create', '--email', 'a@b.c');
    assert.equal((await operator.process('accounts', 'deactivate', id)).exitCode, 0);
    const url = `sqlite:${join(operator.directory, 'mdapi.sqlite')}`;
    const store = await openStore({ url, clock: systemClock, randomness: systemRandomness });
    t.after(() => store.close());
    const { items: entries } = await store.audit.page({ limit: 10 });
    const actors = [`cli:${userInfo().username}`, 'cli:tester', 'cli:tester'];
    assert.deepEqual(
      entries.map((entry) => [entry.actor, entry.action]),
      ['account.deactivate', 'account.create', 'token.create'].map((action, index) => [actors[index], action]),
    );
  });

  it('expire at the given instant, and are revoked only after a y at a terminal', async (t) => {
    const cwd = newDirectory(t);
    const clock = new FakeClock('2026-11-21T10:00:00.000Z');
    const run = (argv: string[], more: object = {}) => runInside(argv, { cwd, clock, ...more });
    const made = JSON.parse((await run(['admin', 'token', '--expires', '+1h', '--json'])).stdout) as Token;
    assert.equal(made.expiresAtMs, Date.parse('2026-11-21T11:00:00Z'));
    const kept = await run(['admin', 'revoke', made.id], { isTerminal: true, typed: 'n\n' });
    assert.deepEqual(
      [kept.exitCode, kept.stderr.startsWith(`Revoke ${made.id} "${made.id}"? This is final. [y/N] `)],
      [1, true],
    );
    clock.jump(3_600_000);
    assert.match((await run(['admin', 'tokens'])).stdout, / expired +/);
  });

  it('are refused with a reason and an exit code, and a token in place of its id is not echoed', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['admin', 'token', '--name', 'alice'], { cwd });
    const refusals: readonly (readonly [argv: readonly string[], exitCode: number, reason: string])[] = [
      [['token', '--name', 'alice'], 5, 'token_name_taken'],
      [['token', '--role', 'root'], 2, 'wrong_usage'],
      [['token', '--name', 'configuration'], 2, 'token_name_invalid'],
      [['token', '--expires', 'soon'], 2, 'wrong_usage'],
      [['token', '--expires', '2020-01-01T00:00Z'], 2, 'expiry_not_in_future'],
      [['revoke', 'tok_none'], 4, 'token_unknown'],
      [['revoke', 'mdo_0123456789abcdefghijABCDEFGHIJ0123456789'], 2, 'wrong_usage'],
    ];
    for (const [argv, exitCode, reason] of refusals) {
      const outcome = await runInside(['admin', ...argv, '--json'], { cwd });
      const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
      assert.deepEqual([outcome.exitCode, error.reason], [exitCode, reason], argv.join(' '));
      assert.ok(!`${outcome.stdout}${outcome.stderr}`.includes('mdo_'));
    }
  });
});
