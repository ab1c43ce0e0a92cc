import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { optional, section, setting, wholeNumber } from './kinds.ts';
import { loadConfiguration } from './load.ts';
import { exampleYaml } from './reference.ts';
import { fields } from './schema.ts';

const nothing = () => {
  throw Object.assign(new Error('no file'), { code: 'ENOENT' });
};

describe('the configuration reference', () => {
  it('says of every field what it means, what is allowed and what holds when it is not set', () => {
    for (const { key, schema } of fields) {
      const { description = '', whenAbsent, example } = schema;
      assert.ok(description.length > 10, `${key} has no description`);
      assert.ok((schema.default === undefined) === (whenAbsent !== undefined), `${key} has no default`);
      assert.ok(schema.default !== undefined || example !== undefined, `${key} has no example`);
    }
  });

  it('takes no setting into a section without saying what it means', () => {
    const port = wholeNumber(1, [1, 2]);
    // @ts-expect-error it has no description
    section('A section.', { port });
    // @ts-expect-error it has no default, and does not say what holds without one
    optional(port, { description: 'A port.' });
    const { description } = section('A section.', { port: setting(port, 'A port.') });
    assert.equal(description, 'A section.');
  });

  it('has a complete example that is taken as it stands and gives the defaults', () => {
    const base = { flags: [], env: {}, cwd: '/srv' };
    const fromExample = loadConfiguration({ ...base, readFile: () => exampleYaml() });
    assert.deepEqual(fromExample.configuration, loadConfiguration({ ...base, readFile: nothing }).configuration);
    for (const { path } of fields) assert.match(exampleYaml(), new RegExp(`^ *(# )?${path.at(-1)}: `, 'm'));
  });
});
