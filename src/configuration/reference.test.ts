import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from './load.ts';
import { exampleYaml, readNotes } from './reference.ts';
import { fields } from './schema.ts';

const nothing = () => {
  throw Object.assign(new Error('no file'), { code: 'ENOENT' });
};

describe('the configuration reference', () => {
  it('says of every field what it means, what is allowed and what holds when it is not set', () => {
    const notes = readNotes();
    for (const { key, schema } of fields) {
      const { description = '', whenAbsent, example } = notes.get(key) ?? {};
      assert.ok(description.length > 10, `${key} has no description`);
      assert.ok((schema.default === undefined) === (whenAbsent !== undefined), `${key} has no default`);
      assert.ok(schema.default !== undefined || example !== undefined, `${key} has no example`);
    }
  });

  it('says nothing of a field or a section that does not exist, and nothing else of one that does', () => {
    const sections = fields.flatMap(({ path }) => path.slice(1).map((_, index) => path.slice(0, index + 1).join('.')));
    const known = new Set([...fields.map(({ key }) => key), ...sections]);
    for (const [key, notes] of readNotes()) {
      assert.ok(known.has(key), key);
      for (const name of Object.keys(notes)) assert.match(name, /^(description|whenAbsent|security|example)$/, key);
    }
  });

  it('has a complete example that is taken as it stands and gives the defaults', () => {
    const base = { flags: [], env: {}, cwd: '/srv' };
    const fromExample = loadConfiguration({ ...base, readFile: () => exampleYaml() });
    assert.deepEqual(fromExample.configuration, loadConfiguration({ ...base, readFile: nothing }).configuration);
    for (const { path } of fields) assert.match(exampleYaml(), new RegExp(`^ *(# )?${path.at(-1)}: `, 'm'));
  });
});
