import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import written from './store-errors.json' with { type: 'json' };

const src = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync('**/*.ts', { cwd: src }).filter((file) => !/\.(test|testing)\.ts$/.test(file));
const code = sources.map((file) => readFileSync(join(src, file), 'utf8')).join('\n');
/** By the system's error, the state of the source, or the version of the record. */
const chosenByWhatIsFound = /^(cannot_open|copy_refused)\.|_database\.record$/;

test('each text of a refusal is used, and whoever uses it gives a value for each word in braces', () => {
  for (const [name, text] of Object.entries(written.texts)) {
    if (chosenByWhatIsFound.test(name)) continue;
    const calls = [...code.matchAll(new RegExp(`refusal\\(\\s*'${name.replace('.', '\\.')}'[^;]*;`, 'g'))];
    assert.ok(calls.length > 0, `${name} is used`);
    for (const [, word] of text.matchAll(/\{(\w+)\}/g)) {
      for (const [call] of calls) assert.match(call, new RegExp(`\\b${word}\\b`), `${name} gets ${word}: ${call}`);
    }
  }
});
