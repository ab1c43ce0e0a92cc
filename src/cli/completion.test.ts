import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newDirectory, runInside } from './cli.testing.ts';
import { commands } from './commands.ts';

async function scriptFor(t: TestContext, shell: string): Promise<string> {
  const cwd = newDirectory(t);
  const { exitCode, stdout } = await runInside(['completion', shell], { cwd });
  assert.equal(exitCode, 0);
  const file = join(cwd, 'script');
  writeFileSync(file, stdout);
  return file;
}

/** Bash is on every machine that develops this; the others are tried where they are. */
const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** What each shell offers for the last word of a command line. */
const offers: Readonly<Record<string, (file: string, words: readonly string[]) => string>> = {
  bash(file, words) {
    const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mdapi; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', program, file, ...words], { encoding: 'utf8' });
  },
  /** Its own functions are stood in for: they need a terminal. */
  zsh(file, words) {
    const described = `_describe() { print -l -- \${(M)\${candidates[@]%%:*}:#\${words[CURRENT]}*} }`;
    const chosen = `compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }`;
    const program = `compdef() { : }; ${described}; ${chosen}; file=$1; shift; source $file; words=("$@"); CURRENT=$#; _mdapi`;
    return execFileSync('zsh', ['-f', '-c', program, 'zsh', file, ...words], { encoding: 'utf8' });
  },
  fish(file, words) {
    const program = 'source $argv[1]; complete -C "$argv[2..-1]"';
    const lines = execFileSync('fish', ['--no-config', '-c', program, file, ...words], { encoding: 'utf8' });
    return lines.replaceAll(/\t.*/g, '');
  },
};

describe('the completion of a shell', () => {
  for (const [shell, offer] of Object.entries(offers).filter(([shell]) => has(shell))) {
    it(`knows commands, options and the words they take, in ${shell}`, async (t) => {
      const file = await scriptFor(t, shell);
      const offered = (...words: readonly string[]) =>
        offer(file, ['mdapi', ...words])
          .trim()
          .split('\n')
          .sort();
      const first = [...new Set(['help', ...commands.map(({ name }) => name.split(' ')[0]!)])];
      const offeredFirst = offered('');
      for (const word of first) assert.ok(offeredFirst.includes(word), word);
      assert.deepEqual(offered('ke'), ['keys']);
      assert.deepEqual(offered('help', 'ke'), ['keys']);
      assert.deepEqual(offered('keys', 'r'), ['revoke', 'rotate']);
      for (const { name, options = [] } of commands) {
        const expected = [...options.map((option) => option.name), 'config', 'store', 'json', 'help', 'version'];
        assert.deepEqual(offered(...name.split(' '), '--'), expected.map((option) => `--${option}`).sort(), name);
      }
      assert.deepEqual(offered('--config', 'keys', 'accounts', 'create', '--em'), ['--email']);
      assert.deepEqual(offered('serve', '--only', ''), ['api', 'feed']);
      for (const word of ['bash', 'fish', 'zsh']) assert.ok(offered('completion', '').includes(word));
    });
  }

  it('offers files where one is meant, in bash', async (t) => {
    const file = await scriptFor(t, 'bash');
    assert.equal(offers.bash!(file, ['mdapi', 'check', '--config', file.slice(0, -2)]), `${file}\n`);
  });

  it('is refused for another shell', async (t) => {
    const { exitCode, stderr } = await runInside(['completion', 'tcsh'], { cwd: newDirectory(t) });
    assert.equal(exitCode, 2);
    assert.match(stderr, /no completion for "tcsh", only for bash, zsh, fish/);
  });
});
