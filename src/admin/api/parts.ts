import Type, { type TObject, type TProperties } from 'typebox';
import { id, nullableLine } from '../../operator/fields.ts';

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
