import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newDirectory, runInside } from './cli.testing.ts';
import { loadCommands } from './commands.ts';

const commands = await loadCommands();

/** Gives what a shell offers for the last word of a command line, with the script of a file loaded. */
export type Offer = (file: string, words: readonly string[]) => string;

/** The script that completes command lines in a shell, as a file. */
export async function scriptFor(t: TestContext, shell: string): Promise<string> {
  const cwd = newDirectory(t);
  const { exitCode, stdout } = await runInside(['completion', shell], { cwd });
  assert.equal(exitCode, 0);
  const file = join(cwd, 'script');
  writeFileSync(file, stdout);
  return file;
}

/** Every command and option is offered, and the words they take. */
export function assertOffers(offer: Offer, file: string): void {
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
    const expected = [...options.map((option) => option.name), 'config', 'store', 'as', 'json', 'help', 'version'];
    assert.deepEqual(offered(...name.split(' '), '--'), expected.map((option) => `--${option}`).sort(), name);
  }
  assert.deepEqual(offered('--config', 'keys', 'accounts', 'create', '--em'), ['--email']);
  assert.deepEqual(offered('serve', '--only', ''), ['api', 'feed']);
  for (const word of ['bash', 'fish', 'zsh']) assert.ok(offered('completion', '').includes(word));
}
