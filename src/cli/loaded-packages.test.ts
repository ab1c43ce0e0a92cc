import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newDirectory } from './cli.testing.ts';

const program = fileURLToPath(new URL('../../bin/mdapi.js', import.meta.url));

/** Preloaded: writes the address of every module that was asked for, a line each. */
const listing = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    urls.add(found.url);
    return found;
  },
});
process.on('exit', () => writeFileSync(process.env.LISTED, [...urls].join('\\n')));
`;

/** The packages that a command loads, without those of the runtime, and how many of our own files. */
function loadedBy(t: TestContext, directory: string, command: string, ...files: readonly string[]) {
  const listed = join(newDirectory(t), 'listed');
  const preload = `data:text/javascript,${encodeURIComponent(listing)}`;
  const args = ['--import', preload, program, ...command.split(' '), ...files];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, LISTED: listed },
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${command}: ${stderr}`);
  const urls = readFileSync(listed, 'utf8').split('\n');
  const packages = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return { packages: [...new Set(packages)].sort(), own: urls.filter((url) => url.includes('/src/')) };
}

test('a command loads the packages that it uses: Kysely for the database, YAML for a file, and nothing to check schemas', (t) => {
  const directory = newDirectory(t);
  loadedBy(t, directory, 'accounts create --email a@example.com');
  for (const command of [
    'accounts list',
    'keys list',
    'maintenance list',
    'markets list',
    'sources list',
    'alerts list',
  ])
    assert.deepEqual(loadedBy(t, directory, command).packages, ['big.js', 'kysely'], command);
  for (const command of ['rates show', 'terms show', 'notices list', 'subscriptions list', 'admin tokens'])
    assert.deepEqual(loadedBy(t, directory, command).packages, ['big.js', 'kysely'], command);
  const file = join(directory, 'other.yaml');
  writeFileSync(file, 'store: sqlite:./mdapi.sqlite\n');
  assert.deepEqual(loadedBy(t, directory, 'accounts list', '--config', file).packages, ['big.js', 'kysely', 'yaml']);
});

test('a version needs no package, and the help of a noun only that noun', (t) => {
  const directory = newDirectory(t);
  assert.deepEqual(loadedBy(t, directory, '--version').packages, []);
  for (const command of ['help terms', 'terms --help', 'terms set --help']) {
    const { own } = loadedBy(t, directory, command);
    const nouns = own.filter((url) => /\/src\/cli\/(accounts|keys|markets|check|serve|history|terms)\.ts$/.test(url));
    assert.deepEqual(
      nouns.map((url) => url.slice(url.lastIndexOf('/') + 1)),
      ['terms.ts'],
      command,
    );
  }
});
