import type { Static, TProperties, TSchema } from 'typebox';
import { lastInstantMs } from './instant.ts';
import { Type } from './schema-builder.ts';

/** A price, amount or size: plain notation, no sign, no exponent, no superfluous leading zero. */
const decimalPattern = '^(0|[1-9]\\d*)(\\.\\d+)?$';

/** A change in percent: two decimals, `-` allowed, no `+`, no `%`. */
const percentPattern = '^-?(0|[1-9]\\d*)\\.\\d{2}$';

const symbolPattern = '^[A-Z0-9]{2,32}$';

/** A symbol as a client may write it. */
export const anyCaseSymbolPattern = '^[A-Za-z0-9]{2,32}$';

const currencyPattern = '^[A-Z0-9]{1,16}$';

export const lowerCaseWord = '^[a-z][a-z_]*$';

export const requestIdPattern = '^[A-Za-z0-9_-]{16,64}$';

/** One line of text: no control characters, so no line breaks either. */
const linePattern = '^[^\\u0000-\\u001F\\u007F]+$';

const decimalLengthMax = 64;

/** Decimal places a market can have; the bound of both precisions. */
const precisionMax = 18;

/** A schema of `components/schemas`, referred to by its name. The static type is that of `Schema`. */
export function component<Schema extends TSchema>(name: string, description?: string) {
  return Type.Unsafe<Static<Schema>>({
    $ref: `#/components/schemas/${name}`,
    ...(description === undefined ? {} : { description }),
  });
}

export function object<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description });
}

/** The length and form of a text; one line when `pattern` is left out. */
interface Form {
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: string;
}

export function text(description: string, example: string, { format, minLength = 1, maxLength, pattern }: Form) {
  return Type.String({
    description,
    ...(format === undefined ? {} : { format }),
    minLength,
    maxLength,
    pattern: pattern ?? linePattern,
    examples: [example],
  });
}

export function decimal(description: string, example: string) {
  return text(description, example, { maxLength: decimalLengthMax, pattern: decimalPattern });
}

export function percent(description: string, example: string) {
  return text(description, example, { minLength: 4, maxLength: decimalLengthMax, pattern: percentPattern });
}

/** The format alone: generators turn it into a date, and some of them cannot apply a pattern or a length to one. */
export function instant(description: string, example: string) {
  return Type.String({ description, format: 'date-time', examples: [example] });
}

export function instantMs(description: string, example: string) {
  const examples = [Date.parse(example)];
  return Type.Integer({ description, format: 'int64', minimum: 0, maximum: lastInstantMs, examples });
}

/** The same, or null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { description, type, examples, ...rest } = schema as unknown as Record<string, readonly unknown[]>;
  return Type.Unsafe<Static<Schema> | null>({
    description,
    type: [type, 'null'],
    ...rest,
    examples: [...examples!, null],
  });
}

export function currency(description: string, example: string) {
  return text(description, example, { maxLength: 16, pattern: currencyPattern });
}

export function symbol(description: string, example: string) {
  return text(description, example, { minLength: 2, maxLength: 32, pattern: symbolPattern });
}

export function places(description: string, example: number) {
  return Type.Integer({ description, format: 'int32', minimum: 0, maximum: precisionMax, examples: [example] });
}

export function address(description: string, example: string, pattern = '^https?://') {
  return text(description, example, { format: 'uri', minLength: 8, maxLength: 2048, pattern });
}

/**
 * A set that can grow: a string, with today's values in `x-extensible-enum` and in words. With `enum`, or a union of
 * it and a string, clients that a generator makes fail at the first new value or lose the plain string.
 */
export function openSet<Value extends string>(values: readonly Value[], description: string, pattern = lowerCaseWord) {
  const form = { type: 'string', minLength: 1, maxLength: 64, pattern, 'x-extensible-enum': [...values] };
  return Type.Unsafe<Value>({ description, ...form, examples: [values[0]] });
}

/** The parts of a schema that examples are made from. */
interface SchemaNode {
  /** A schema, or the name that it has in the document. */
  readonly $ref?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/**
 * A whole example of a schema, put together from the examples of its parts.
 * @param resolve finds what a reference names
 */
export function exampleOf(schema: SchemaNode, resolve = (ref: unknown): unknown => ref): unknown {
  const { $ref, examples, anyOf, properties, items, type } = schema;
  if ($ref !== undefined) return exampleOf(resolve($ref) as SchemaNode, resolve);
  if (examples !== undefined) return examples[0];
  if ('const' in schema) return schema.const;
  if (anyOf !== undefined) return exampleOf(anyOf[0]!, resolve);
  if (items !== undefined) return [exampleOf(items, resolve)];
  if (type === 'boolean') return true;
  if (type !== 'object') throw new Error(`a schema has no example: ${JSON.stringify(schema).slice(0, 200)}`);
  const parts = Object.entries(properties ?? {});
  return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(part, resolve)]));
}
