import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { isoInstant } from '../../contract/instant.ts';
import * as part from '../../contract/schema-parts.ts';

/** The instant of the examples. */
export const exampleInstant = '2026-11-21T10:00:00.000Z';

type PairSchemas<Name extends string> = Record<Name, ReturnType<typeof part.instant>> &
  Record<`${Name}Ms`, ReturnType<typeof part.instantMs>>;
type NullablePairSchemas<Name extends string> = Record<Name, ReturnType<typeof part.nullableInstant>> &
  Record<`${Name}Ms`, ReturnType<typeof part.nullableInstantMs>>;

/** An instant in both forms: `createdAt` and `createdAtMs`. */
export function pair<const Name extends string>(name: Name, description: string): PairSchemas<Name> {
  return {
    [name]: part.instant(`${description} ISO 8601 in UTC with milliseconds.`, exampleInstant),
    [`${name}Ms`]: part.instantMs(
      `The same instant as \`${name}\`, in milliseconds since the Unix epoch.`,
      exampleInstant,
    ),
  } as PairSchemas<Name>;
}

/** As {@link pair}, both null where there is no such instant. */
export function nullablePair<const Name extends string>(name: Name, description: string): NullablePairSchemas<Name> {
  return {
    [name]: part.nullableInstant(`${description} ISO 8601 in UTC with milliseconds.`, exampleInstant),
    [`${name}Ms`]: part.nullableInstantMs(
      `The same instant as \`${name}\`, in milliseconds since the Unix epoch; null together with it.`,
      exampleInstant,
    ),
  } as NullablePairSchemas<Name>;
}

/** The values of a {@link pair}. */
export function instants<const Name extends string>(
  name: Name,
  atMs: number,
): Record<Name, string> & Record<`${Name}Ms`, number> {
  return { [name]: isoInstant(atMs), [`${name}Ms`]: atMs } as Record<Name, string> & Record<`${Name}Ms`, number>;
}

/** The values of a {@link nullablePair}. */
export function nullableInstants<const Name extends string>(
  name: Name,
  atMs: number | undefined,
): Record<Name, string | null> & Record<`${Name}Ms`, number | null> {
  const text = atMs === undefined ? null : isoInstant(atMs);
  return { [name]: text, [`${name}Ms`]: atMs ?? null } as Record<Name, string | null> &
    Record<`${Name}Ms`, number | null>;
}

/** A schema of its own name in the document. */
export const component = part.component;

/** As {@link component}, or null. */
export function nullableComponent<Schema extends TSchema>(name: string, description: string) {
  return Type.Unsafe<Static<Schema> | null>({
    description,
    anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
  });
}

export function count(description: string, example = 3) {
  return Type.Integer({ description, format: 'int64', minimum: 0, examples: [example] });
}

export function nullableCount(description: string, example = 3) {
  return Type.Unsafe<number | null>({
    description,
    type: ['integer', 'null'],
    format: 'int64',
    minimum: 0,
    examples: [example, null],
  });
}

/** Free text of one line; it may be empty. */
export function line(description: string, example: string, maxLength = 1_000) {
  return Type.String({ description, maxLength, examples: [example] });
}

export function nullableLine(description: string, example: string, maxLength = 1_000) {
  return Type.Unsafe<string | null>({ description, type: ['string', 'null'], maxLength, examples: [example, null] });
}

/** Words that can grow in number. */
export function words<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number]>({ description, type: 'string', enum: [...values], examples: [values[0]] });
}

export function nullableWords<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number] | null>({
    description,
    type: ['string', 'null'],
    enum: [...values, null],
    examples: [values[0], null],
  });
}

/** Counters by names that can grow in number. */
export function counts(description: string, example: Readonly<Record<string, number>>) {
  return Type.Unsafe<Readonly<Record<string, number>>>({
    description,
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    examples: [example],
  });
}

/** An object that refuses properties it does not know: for what is sent to us. */
export function strictObject<Properties extends TProperties>(
  properties: Properties,
  description: string,
): TObject<Properties> {
  return Type.Object(properties, { description, additionalProperties: false });
}

/** An id of ours, such as `key_4fGh72Kq0ZsTn1Lw`. */
export function id(prefix: string, description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9_-]+$',
    examples: [`${prefix}_4fGh72Kq0ZsTn1Lw`],
  });
}

export function nullableId(prefix: string, description: string) {
  return Type.Unsafe<string | null>({
    description,
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 64,
    examples: [`${prefix}_4fGh72Kq0ZsTn1Lw`, null],
  });
}

export const pathId = (prefix: string) => Type.Object({ id: id(prefix, 'The id, as lists give it.') });

export const nextSchema = nullableLine(
  'Hand it back as `after` to get the next page; null after the last one. A page can be short, or empty, although there is a next one.',
  'WzE3NjM3MjU2MDAwMDAsImFjY18xIl0',
  400,
);

/** The query of a list that comes in pages. */
export const pageQuery = {
  after: Type.Optional(
    Type.String({
      description: 'Where the page begins: `next` of the page before.',
      minLength: 1,
      maxLength: 400,
      pattern: '^[A-Za-z0-9_-]+$',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ description: 'Entries wanted, 50 when left out.', minimum: 1, maximum: 200, examples: [50] }),
  ),
};

export const defaultLimit = 50;
