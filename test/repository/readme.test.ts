import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { textOf } from './files.ts';
import { blocksOf } from './markdown.ts';

/** Both commands a newcomer types, in the order of their use. */
const commands = ['npm ci && npm start', 'npm ci && npm test'];

describe('the first commands of the README', () => {
  test('are the first block of the page, and need nothing before them', () => {
    const [first] = blocksOf(textOf('README.md'));
    const lines = first?.text.trim().split('\n') ?? [];
    assert.deepEqual(
      lines.map((line) => line.replace(/\s*#.*/, '')),
      commands,
    );
  });

  test('are scripts of the package', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    for (const command of commands) assert.ok(scripts[command.split(' ').at(-1)!], command);
  });

  test('CI runs the tests by that very command, then those that start other programs', () => {
    const run = textOf('.ci/run');
    const quick = run.indexOf("bash -c 'npm ci && npm test'");
    const system = run.indexOf('npm run test:system\n');
    assert.ok(quick > 0, 'npm ci && npm test');
    assert.ok(system > quick, 'npm run test:system');
  });
});
