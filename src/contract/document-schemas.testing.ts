import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from './openapi.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Checks a value against a schema of the document; gives what is wrong, empty when nothing is. */
export type SchemaCheck = (schema: unknown, value: unknown) => readonly string[];

/**
 * How a value is judged. `asClient`: to the letter of the schema. `asServer`: what this server itself
 * may send; no property beyond the documented ones, and of an open set only the values it knows today.
 */
export type Judgement = 'asClient' | 'asServer';

const schemaReference = /^#\/components\/schemas\/(\w+)$/;

/** Compiles the schemas of a document on demand. Throws on a schema that is not JSON Schema 2020-12. */
export function documentSchemas(document: OpenApiDocument, judgement: Judgement): SchemaCheck {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: true });
  formats.default(ajv);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema({ ...(prepare(schema as Json, judgement) as object), $id: `schema:${name}` });
  }
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile(prepare(JSON.parse(text), judgement) as object);
    compiled.set(text, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath || 'the value'} ${message} ${JSON.stringify(params)}`.trim(),
    );
  };
}

/** Copies a schema with its references made absolute, and tightened for `asServer`. */
function prepare(schema: Json, judgement: Judgement): Json {
  if (Array.isArray(schema)) return schema.map((entry) => prepare(entry, judgement));
  if (schema === null || typeof schema !== 'object') return schema;
  const copy: Record<string, Json> = {};
  for (const [name, value] of Object.entries(schema)) copy[name] = prepare(value, judgement);
  if (typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace(schemaReference, 'schema:$1');
  const { 'x-extensible-enum': known, ...checked } = copy;
  if (known !== undefined) return judgement === 'asServer' ? { ...checked, enum: known } : checked;
  return judgement === 'asServer' ? tighten(copy) : copy;
}

function tighten(schema: Record<string, Json>): Record<string, Json> {
  // What says how many properties it can have is of another specification, with properties that are not ours.
  const isOurs = schema.type === 'object' && schema.properties !== undefined && schema.maxProperties === undefined;
  return isOurs ? { ...schema, additionalProperties: false } : schema;
}
