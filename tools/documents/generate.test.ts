import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fields } from '../../src/configuration/schema.ts';
import { configurationReference } from './configuration-reference.ts';
import { generate } from './generate.ts';

test('the generated documents are as their sources describe them', () => {
  assert.deepEqual(generate(new URL('../../', import.meta.url), true), [], 'run `npm run generate`');
});

test('a document that is missing or out of date is named by a check, which writes nothing', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-generated-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const folder of ['client/mcp', 'docs/openapi', 'ops/prometheus'])
    mkdirSync(join(directory, folder), { recursive: true });
  const root = pathToFileURL(`${directory}/`);
  const reference = join(directory, 'docs/configuration.md');
  const names = generate(root, true);
  assert.ok(names.includes('docs/configuration.md') && names.includes('docs/metrics.md'), names.join());
  assert.deepEqual(generate(root, false), names);
  assert.deepEqual(generate(root, true), []);
  writeFileSync(reference, 'old');
  assert.deepEqual(generate(root, true), ['docs/configuration.md']);
  assert.equal(readFileSync(reference, 'utf8'), 'old');
});

test('the configuration reference names every field, and the rule it gives names every variable', () => {
  const reference = configurationReference();
  assert.ok(reference.includes('`MDAPI_SERVER_BASE_URL` is `server.baseUrl`'));
  for (const { key, variable } of fields) {
    assert.ok(reference.includes(`\n- \`${key}\` (`), key);
    const words = key.replaceAll('.', '_').replaceAll(/(?=[A-Z])/g, '_');
    assert.equal(variable, `MDAPI_${words.toUpperCase()}`);
  }
});
