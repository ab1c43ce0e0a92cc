/**
 * Prints an OpenAPI document for progenitor, as 3.0 and without what it stops at: answers of more than one type, which
 * `304` and `default` make. A status it then has no words for is an `UnexpectedResponse` with its body.
 */
import { readFileSync } from 'node:fs';

const { jsonSchemaDialect, info, ...document } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { summary, license, ...about } = info;

/** Replaces what 3.1 has added, as far as our document uses it. Values of examples are data and stay. */
function older(part) {
  if (Array.isArray(part)) return part.map(older);
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.entries(part).flatMap(([name, value]) => {
    if (name === '304' || name === 'default') return [];
    if (name === 'value' || name === 'example') return [[name, value]];
    if (name === 'const') return [['enum', [value]]];
    if (name === 'examples' && Array.isArray(value)) return [['example', value[0]]];
    if (name === 'type' && Array.isArray(value)) return Object.entries({ type: value[0], nullable: true });
    if (name === 'anyOf') return Object.entries({ nullable: true, allOf: [value[0]] });
    if (name === '$ref' && 'description' in part) return [['allOf', [{ $ref: value }]]];
    return [[name, older(value)]];
  });
  return Object.fromEntries(members);
}

const converted = { ...older(document), openapi: '3.0.3', info: { ...about, license: { name: license.name } } };
process.stdout.write(JSON.stringify(converted));
