import type { TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { type FieldError, Problem } from './problems.ts';

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Checks values against a schema. Throws `INVALID_INPUT`, which names every wrong field. */
export type Check = (values: unknown) => unknown;

/** For a body: as it is. */
export function bodyCheck(schema: TObject): Check {
  return checkOf(schema, (value) => value ?? {});
}

/** For path and query, where everything is text: digits become numbers where the schema asks for one. */
export function textCheck(schema: TObject): Check {
  const numbers = Object.entries(schema.properties).flatMap(([name, { type }]: [string, { type?: unknown }]) =>
    type === 'integer' ? [name] : [],
  );
  return checkOf({ ...schema, additionalProperties: false } as TObject, (value) => {
    const values: Record<string, unknown> = { ...(value as object) };
    for (const name of numbers) {
      if (typeof values[name] === 'string' && /^-?\d{1,15}$/.test(values[name])) values[name] = Number(values[name]);
    }
    return values;
  });
}

function checkOf(schema: TObject, prepared: (value: unknown) => unknown): Check {
  const validator = Compile(schema);
  return (given) => {
    const value = prepared(given);
    if (validator.Check(value)) return value;
    const errors = fieldErrors(schema, validator.Errors(value) as unknown as readonly SchemaError[]);
    const detail = errors.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ');
    throw new Problem('INVALID_INPUT', detail, { errors });
  };
}

/** One message a field: the first, which is the closest to what was sent. */
function fieldErrors(schema: TObject, found: readonly SchemaError[]): readonly FieldError[] {
  const byField = new Map<string, string>();
  const known = Object.keys(schema.properties).join(', ');
  for (const { keyword, params, instancePath, message } of found) {
    const { additionalProperties = [], requiredProperties = [] } = params as {
      additionalProperties?: readonly string[];
      requiredProperties?: readonly string[];
    };
    for (const name of additionalProperties) {
      byField.set(
        name,
        known === '' ? 'is not known; this operation takes no values.' : `is not known. Known here: ${known}.`,
      );
    }
    for (const name of requiredProperties) byField.set(name, 'is missing.');
    if (keyword === 'additionalProperties' || keyword === 'required' || keyword === 'boolean') continue;
    const field = instancePath.slice(1).replaceAll('/', '.');
    if (!byField.has(field)) byField.set(field, field === '' ? 'The body must be a JSON object.' : `${message}.`);
  }
  return [...byField].map(([field, message]) => ({ field, message }));
}
