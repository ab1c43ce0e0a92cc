import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDirectory, runInside } from './cli.testing.ts';

const secrets = ['mdk_', 'mdo_', 'mds_'].map((start) => `${start}0123456789abcdefghijABCDEFGHIJ0123456789`);

test('a secret in place of the id of a key or of a token is not echoed, whichever it is', async (t) => {
  const cwd = newDirectory(t);
  for (const command of [
    ['sources', 'revoke'],
    ['admin', 'revoke'],
    ['keys', 'revoke'],
  ]) {
    for (const secret of secrets) {
      for (const format of [['--json'], []]) {
        const outcome = await runInside([...command, secret, ...format], { cwd });
        assert.equal(outcome.exitCode, 2, `${command.join(' ')} ${secret}`);
        assert.ok(!`${outcome.stdout}${outcome.stderr}`.includes(secret.slice(4)));
      }
    }
  }
});
