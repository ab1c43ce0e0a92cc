import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { browserCode, browserModule } from './browser-code.ts';

test('types are blanked out and lines stay where they are; syntax that is more than types is refused', () => {
  assert.equal(browserCode('const a: number = 1;\ninterface B {}\nexport {};').split('\n').length, 3);
  assert.throws(() => browserCode('enum A { B }'), { code: 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' });
  assert.equal(browserModule("import { a } from './a.ts';"), "import { a } from './a.js';");
});

test('what was stripped once is read from the cache, under its source; a folder that cannot be written is no fault', (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'mdapi-browser-code-'));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const first = browserCode('let a: string;', cache);
  const [name, ...others] = readdirSync(cache);
  assert.deepEqual([others, readFileSync(join(cache, name!), 'utf8')], [[], first]);
  writeFileSync(join(cache, name!), 'let kept;');
  assert.equal(browserCode('let a: string;', cache), 'let kept;');
  assert.notEqual(browserCode('let b: string;', cache), 'let kept;');
  assert.equal(browserCode('let a: string;', join(cache, 'nowhere')), first);
});
