import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import { Type } from '../contract/schema-builder.ts';
import * as part from '../contract/schema-parts.ts';

/** The instant of the examples. */
const exampleInstant = '2026-11-21T10:00:00.000Z';

type Pair<Name extends string, Text, Number> = Record<Name, Text> & Record<`${Name}Ms`, Number>;

/** Schemas of an instant in both forms: `createdAt` and `createdAtMs`. */
export function instantFields<const Name extends string>(name: Name, description: string) {
  return {
    [name]: part.instant(`${description} ISO 8601 in UTC with milliseconds.`, exampleInstant),
    [`${name}Ms`]: part.instantMs(
      `The same instant as \`${name}\`, in milliseconds since the Unix epoch.`,
      exampleInstant,
    ),
  } as Pair<Name, ReturnType<typeof part.instant>, ReturnType<typeof part.instantMs>>;
}

/** The fields of {@link instantFields}, both null where there is no such instant. */
export function nullableInstantFields<const Name extends string>(name: Name, description: string) {
  return {
    [name]: part.nullable(part.instant(`${description} ISO 8601 in UTC with milliseconds.`, exampleInstant)),
    [`${name}Ms`]: part.nullable(
      part.instantMs(
        `The same instant as \`${name}\`, in milliseconds since the Unix epoch; null together with it.`,
        exampleInstant,
      ),
    ),
  } as Pair<Name, TUnsafe<string | null>, TUnsafe<number | null>>;
}

/** The values of a {@link instantFields}, or of a {@link nullableInstantFields}. */
export function instants<const Name extends string>(name: Name, atMs: number): Pair<Name, string, number>;
export function instants<const Name extends string>(
  name: Name,
  atMs: number | undefined,
): Pair<Name, string | null, number | null>;
export function instants(name: string, atMs: number | undefined) {
  return { [name]: atMs === undefined ? null : isoInstant(atMs), [`${name}Ms`]: atMs ?? null };
}

/**
 * The values that a view is made from: of an instant the milliseconds under its first name, and `undefined` for null.
 */
type ViewValues<View> = {
  readonly [Field in keyof View as Field extends `${infer Name}Ms`
    ? Exclude<Field, Name extends keyof View ? Field : never>
    : Field]: `${Field & string}Ms` extends keyof View
    ? View[`${Field & string}Ms` & keyof View] | (null extends View[Field] ? undefined : never)
    : View[Field] | (null extends View[Field] ? undefined : never);
};

/** The properties of a schema in their order: instants in both forms, null for what there is not. */
export function viewOf<Properties extends TProperties>(
  properties: Properties,
  values: ViewValues<Static<TObject<Properties>>>,
) {
  const given = values as Readonly<Record<string, unknown>>;
  const view: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    if (`${name}Ms` in properties) Object.assign(view, instants(name, given[name] as number | undefined));
    else if (!(name in view)) view[name] = given[name] ?? null;
  }
  return view as Static<TObject<Properties>>;
}

/** Refers to a schema, with a description for the place where it is used. The writer of the document resolves it. */
export function referenceTo<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema>>({ $ref: schema, description });
}

/** The same schema, or null. */
export function nullable<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema> | null>({ description, anyOf: [schema, { type: 'null' }] });
}

export function count(description: string, example = 3) {
  return Type.Integer({ description, format: 'int64', minimum: 0, examples: [example] });
}

/** A number that was measured, with a fraction. */
export function figure(description: string, example: number) {
  return Type.Number({ description, minimum: 0, examples: [example] });
}

/** Counters by name; names can be added. */
export function counts(description: string, example: Readonly<Record<string, number>>) {
  return Type.Unsafe<Readonly<Record<string, number>>>({
    description,
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    examples: [example],
  });
}

/** A schema of one type with an example: the same, or null. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  const { type, examples, ...rest } = schema as Schema & {
    readonly type: string;
    readonly examples: readonly unknown[];
  };
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, 'null'], examples: [...examples, null] });
}

export const nullableCount = (...args: Parameters<typeof count>) => orNull(count(...args));

/** Free text of one line; it may be empty. */
export function line(description: string, example: string, maxLength = 1_000) {
  return Type.String({ description, maxLength, examples: [example] });
}

export const nullableLine = (...args: Parameters<typeof line>) => orNull(line(...args));

export const nullableDecimal = (...args: Parameters<typeof part.decimal>) => orNull(part.decimal(...args));

/** An object that the document has among its components. */
export function named<Properties extends TProperties>(name: string, description: string, properties: Properties) {
  return Type.Object(properties, { $id: name, description });
}

export const { object } = part;

export function listOf<Entry extends TSchema>(entry: Entry, description: string, maxItems?: number) {
  return Type.Array(entry, { description, ...(maxItems !== undefined && { maxItems }) });
}

/** Text that must not be empty. */
export function text(description: string, example: string, maxLength: number, minLength = 1) {
  return Type.String({ description, minLength, maxLength, examples: [example] });
}

/** Text of one form. */
export function form(description: string, pattern: string, example: string, maxLength?: number) {
  return Type.String({ description, ...(maxLength !== undefined && { maxLength }), pattern, examples: [example] });
}

/** A whole number in a range, both ends included. */
export function whole(description: string, [minimum, maximum]: readonly [number, number], example?: number) {
  return Type.Integer({ description, minimum, maximum, ...(example !== undefined && { examples: [example] }) });
}

/** An instant that a request gives. */
export function instantMs(description: string, example = exampleInstant) {
  return part.instantMs(`${description} In milliseconds since the Unix epoch.`, example);
}

/** One of a set of words that can grow. */
export function openEnum<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number]>({ description, type: 'string', enum: [...values], examples: [values[0]] });
}

/** An id of ours, such as `key_4fGh72Kq0ZsTn1Lw`. */
export function id(prefix: string, description: string) {
  return part.text(description, `${prefix}_4fGh72Kq0ZsTn1Lw`, { maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' });
}

export const nullableId = (...args: Parameters<typeof id>) => orNull(id(...args));

/** A code of those that there are, with its values. */
export type Coded<Variants extends Readonly<Record<string, TProperties>>> = {
  [Code in keyof Variants & string]: { readonly code: Code; readonly values: Static<TObject<Variants[Code]>> };
}[keyof Variants & string];

/**
 * A sentence by its code, with the values it names: whoever shows it in another language makes the words from these.
 * @param variants the values of each code
 */
export function coded<const Variants extends Readonly<Record<string, TProperties>>>(
  name: string,
  description: string,
  variants: Variants,
) {
  return Type.Unsafe<Coded<Variants>>({
    $id: name,
    description: `${description} The set can grow.`,
    anyOf: Object.entries(variants).map(([code, values]) =>
      Type.Object(
        {
          code: Type.Literal(code, { description: 'What it is.' }),
          values: Type.Object(values, { description: 'What it names.' }),
        },
        { description: `\`${code}\`` },
      ),
    ),
  });
}
