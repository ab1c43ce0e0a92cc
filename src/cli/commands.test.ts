import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newDirectory, runProcess } from './cli.testing.ts';
import { loadCommands, loadNoun } from './commands.ts';

/** Has a process name the files it loads on stderr, each as it is loaded. */
const namingHook = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({ load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context); } });
`)}`;

describe('the commands of a noun', () => {
  it('are those that begin with it, all of them, and no other', async () => {
    for (const noun of new Set((await loadCommands()).map(({ name }) => name.split(' ')[0]!))) {
      const all = (await loadCommands()).map(({ name }) => name).filter((name) => name.split(' ')[0] === noun);
      assert.deepEqual(
        (await loadNoun(noun)).map(({ name }) => name),
        all,
      );
    }
    assert.deepEqual(await loadNoun('nouns'), []);
  });

  it('are loaded alone, and none for the version: the others would only delay it', async (t) => {
    const cwd = newDirectory(t);
    const executable = new URL('../../bin/mdapi.js', import.meta.url).pathname;
    const loadedBy = async (...argv: readonly string[]) => {
      const words = ['--import', namingHook, executable, ...argv];
      const { stderr } = await runProcess(process.execPath, words, cwd, {});
      return Array.from(stderr.matchAll(/\/src\/cli\/([\w-]+)\.ts$/gm), ([, file]) => file);
    };
    const forVersion = await loadedBy('--version');
    const forKeys = await loadedBy('keys', 'list');
    assert.ok(forVersion.includes('run') && forKeys.includes('keys'));
    for (const noun of ['serve', 'keys', 'markets', 'history']) assert.ok(!forVersion.includes(noun), noun);
    for (const noun of ['serve', 'markets', 'history']) assert.ok(!forKeys.includes(noun), noun);
  });
});
