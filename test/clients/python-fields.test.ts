import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '../../src/contract/schemas.ts';
import { textOf } from '../repository/files.ts';

const shapes = `${textOf('client-python/src/market_data_client/_shapes.py')}\n`;
const models = textOf('client-python/src/market_data_client/models.py');

for (const name of ['ServerTime', 'ServiceStatus', 'MaintenanceWindow', 'Market', 'Ticker', 'Problem'] as const) {
  test(`the Python client reads every field of ${name}, each into one of its model`, () => {
    const [, made = ''] = new RegExp(`return ${name}\\(([\\s\\S]*?)\\n\\n`).exec(shapes) ?? [];
    const read = new Set([...made.matchAll(/"(\w+)"/g)].map(([, field]) => field));
    // An instant is read from both of its forms by the name of the first.
    const expected = Object.keys(schemas[name].properties).filter((field) => !/[a-z]Ms$/.test(field));
    assert.deepEqual(
      expected.filter((field) => !read.has(field)),
      [],
      'client-python/src/market_data_client/_shapes.py does not read these',
    );
    const [, model = ''] = new RegExp(`class ${name}:\n([\\s\\S]*?)(?:\n\n\n|$)`).exec(models) ?? [];
    const modelled = [...model.matchAll(/^ {4}(\w+): /gm)].map(([, field]) => field);
    assert.equal(modelled.length, expected.length, `models.py: ${modelled}`);
  });
}
