import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writeOrCheck } from './generated-file.ts';
import { loadConfiguration } from './load.ts';
import { configurationReference, exampleYaml } from './reference.ts';
import { fields } from './schema.ts';

const nothing = () => {
  throw Object.assign(new Error('no file'), { code: 'ENOENT' });
};

describe('the configuration reference', () => {
  it('says of every field what it means, what is allowed and what holds when it is not set', () => {
    for (const { key, schema } of fields) {
      assert.ok((schema.description ?? '').length > 10, `${key} has no description`);
      assert.ok((schema.default === undefined) === (schema.whenAbsent !== undefined), `${key} has no default`);
    }
  });

  it('names every field and its variable', () => {
    const reference = configurationReference();
    for (const { key, variable } of fields) assert.ok(reference.includes(`| \`${key}\`<br>\`${variable}\` |`), key);
  });

  it('has a complete example that is taken as it stands and gives the defaults', () => {
    const base = { flags: [], env: {}, cwd: '/srv' };
    const fromExample = loadConfiguration({ ...base, readFile: () => exampleYaml() });
    assert.deepEqual(fromExample, loadConfiguration({ ...base, readFile: nothing }));
    for (const { path } of fields) assert.match(exampleYaml(), new RegExp(`^ *(# )?${path.at(-1)}: `, 'm'));
  });

  it('is in docs/configuration.md as the schema gives it', () => {
    const written = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    assert.ok(written === configurationReference(), 'docs/configuration.md is behind: run `npm run generate`');
  });

  it('is refused by --check, in one line that says what to do, once it is behind', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'mdapi-generated-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const target = pathToFileURL(join(directory, 'x.md'));
    const lines: string[] = [];
    const run = (text: string, ...argv: string[]) =>
      writeOrCheck(target, 'x.md', text, argv, (line) => lines.push(line));
    assert.equal(run('a', '--check'), 1);
    assert.equal(run('a'), 0);
    assert.equal(run('a', '--check'), 0);
    assert.deepEqual(lines, ['x.md is not what its source gives. Run `npm run generate` and commit the result.\n']);
    assert.equal(run('b', '--check'), 1);
    assert.equal(readFileSync(target, 'utf8'), 'a');
  });
});
