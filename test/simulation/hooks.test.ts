import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { only } from './hooks.ts';

test('each module that is to find a double is there, and asks for it', () => {
  const root = new URL('../../src/', import.meta.url);
  const modules = globSync('**/*.ts', { cwd: root });
  for (const [specifier, pattern] of Object.entries(only)) {
    const asking = modules.filter(
      (path) => pattern.test(`/${path}`) && readFileSync(new URL(path, root), 'utf8').includes(`'${specifier}'`),
    );
    assert.notEqual(asking.length, 0, `nobody finds the double of ${specifier} any more: ${pattern}`);
  }
});
