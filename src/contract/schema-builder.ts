import type { Type as TypeBox } from 'typebox';

/** The builders of TypeBox that this program uses. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Tuple'
  | 'Union'
  | 'Unsafe'
>;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Builds schemas as TypeBox does, with its types, and loads none of it: its seven hundred files are most of what a
 * command would wait for. What reads a schema, such as its compiler, is loaded where it is used.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => built('Array', { type: 'array', items }, options),
  Boolean: (options?: Schema) => built('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly unknown[], options?: Schema) => built('Enum', { enum: values }, options),
  Integer: (options?: Schema) => built('Integer', { type: 'integer' }, options),
  Literal: (value: unknown, options?: Schema) => built('Literal', { type: typeof value, const: value }, options),
  Null: (options?: Schema) => built('Null', { type: 'null' }, options),
  Number: (options?: Schema) => built('Number', { type: 'number' }, options),
  Object: objectOf,
  Optional: (schema: Schema) => marked(schema, '~optional', true),
  String: (options?: Schema) => built('String', { type: 'string' }, options),
  Tuple: (items: readonly Schema[], options?: Schema) =>
    built('Tuple', { type: 'array', additionalItems: false, items, minItems: items.length }, options),
  Union: (anyOf: readonly Schema[], options?: Schema) => built('Union', { anyOf }, options),
  Unsafe: (schema: Schema) => marked(schema, '~unsafe', null),
} as unknown as Builders;

function objectOf(properties: Readonly<Record<string, Schema>>, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !('~optional' in properties[name]!));
  return built('Object', { type: 'object', ...(required.length > 0 && { required }), properties }, options);
}

function built(kind: string, members: Schema, options: Schema = {}): Schema {
  return hidden({ ...members, ...options }, '~kind', kind);
}

/** A copy with one more mark: a schema can be optional in one place and required in another. */
function marked(schema: Schema, mark: string, value: unknown): Schema {
  return hidden(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), mark, value);
}

/** Marks are no part of the document. */
function hidden(schema: object, mark: string, value: unknown): Schema {
  return Object.defineProperty(schema, mark, {
    configurable: true,
    writable: true,
    enumerable: false,
    value,
  }) as Schema;
}
