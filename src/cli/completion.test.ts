import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { newDirectory, runInside } from './cli.testing.ts';
import { assertOffers, type Offer, scriptFor } from './completion.testing.ts';

/** On every machine that develops this; `completion.system.test.ts` has the others. */
const bash: Offer = (file, words) => {
  const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mdapi; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', program, file, ...words], { encoding: 'utf8' });
};

describe('the completion of a shell', () => {
  it('knows commands, options and the words they take, in bash', async (t) => {
    assertOffers(bash, await scriptFor(t, 'bash'));
  });

  it('offers files where one is meant, in bash', async (t) => {
    const file = await scriptFor(t, 'bash');
    assert.equal(bash(file, ['mdapi', 'check', '--config', file.slice(0, -2)]), `${file}\n`);
  });

  it('is refused for another shell', async (t) => {
    const { exitCode, stderr } = await runInside(['completion', 'tcsh'], { cwd: newDirectory(t) });
    assert.equal(exitCode, 2);
    assert.match(stderr, /no completion for "tcsh", only for bash, zsh, fish/);
  });
});
