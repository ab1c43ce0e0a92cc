/**
 * Prints an OpenAPI document for generators of TypeScript: its open sets become `'one' | 'other' | (string & …)`, which
 * editors complete and which takes values that are new. A plain `string` beside the values would swallow them.
 */
import { readFileSync } from 'node:fs';

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const anyString = { allOf: [{ type: 'string' }, { properties: { length: { type: 'integer' } } }] };
for (const schema of Object.values(document.components.schemas)) {
  const { 'x-extensible-enum': known, type, minLength, maxLength, pattern, ...rest } = schema;
  if (known === undefined) continue;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, rest, { anyOf: [{ type, enum: known }, anyString] });
}
process.stdout.write(JSON.stringify(document));
