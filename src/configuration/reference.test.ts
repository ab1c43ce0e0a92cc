import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

  it('names every field, and the rule it gives names every variable', () => {
    const reference = configurationReference();
    assert.ok(reference.includes('`MDAPI_SERVER_BASE_URL` is `server.baseUrl`'));
    for (const { key, variable } of fields) {
      assert.ok(reference.includes(`\n- \`${key}\` (`), key);
      const words = key.replaceAll('.', '_').replaceAll(/(?=[A-Z])/g, '_');
      assert.equal(variable, `MDAPI_${words.toUpperCase()}`);
    }
  });

  it('has a complete example that is taken as it stands and gives the defaults', () => {
    const base = { flags: [], env: {}, cwd: '/srv' };
    const fromExample = loadConfiguration({ ...base, readFile: () => exampleYaml() });
    assert.deepEqual(fromExample.configuration, loadConfiguration({ ...base, readFile: nothing }).configuration);
    for (const { path } of fields) assert.match(exampleYaml(), new RegExp(`^ *(# )?${path.at(-1)}: `, 'm'));
  });
});
