import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { id, instantMs, nullableLine } from '../../operator/fields.ts';
import { invalid, Problem } from './problems.ts';

/** Counters by name; names can be added. */
export function counts(description: string, example: Readonly<Record<string, number>>) {
  return Type.Unsafe<Readonly<Record<string, number>>>({
    description,
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    examples: [example],
  });
}

/** An object that refuses unknown properties: for requests. */
export function strictObject<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description, additionalProperties: false });
}

/** Of an operation that takes no values. */
export const noBody = strictObject('Nothing is taken.', {});

/** The expiry of a new key or token. */
export const expiresAtMs = instantMs(
  'The first instant at which it is no longer valid. Never when left out.',
  '2027-02-19T10:00:00.000Z',
);

export const pathId = (prefix: string) => Type.Object({ id: id(prefix, 'The id, as lists give it.') });

export const nextSchema = nullableLine(
  'Send it as `after` to get the next page; null on the last one. A page can be short or empty although there is a next one.',
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

/** The body of an operation that is final. @param noun what identifies its subject */
export function confirmation(noun: 'id' | 'symbol', example: string) {
  const confirm = Type.String({ description: `The ${noun} once more.`, maxLength: 64, examples: [example] });
  return strictObject('The confirmation.', { confirm });
}

/** Throws `CONFLICT` unless the id or symbol is repeated. @param what what is final */
export function assertConfirmed(confirm: string, wanted: string, what: string): void {
  if (confirm === wanted) return;
  throw new Problem('CONFLICT', `${what} is final. Repeat ${wanted} in confirm.`, {
    errors: [{ field: 'confirm', message: `must be ${wanted}.` }],
  });
}

export const defaultLimit = 50;

/** A place in a list as opaque text for the client. */
export function writeCursor(...place: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Reads what {@link writeCursor} wrote. Throws `INVALID_INPUT` for anything else. */
export function readCursor<Place extends TSchema>(text: string | undefined, place: Place): Static<Place> | undefined {
  if (text === undefined) return undefined;
  const value = parsed(Buffer.from(text, 'base64url').toString());
  if (Value.Check(place, value)) return value;
  throw invalid('after', 'is not a place in this list. Send `next` of the page before unchanged.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The place of an entry in a list by time, and by id within the same millisecond. */
export const timeAndId = Type.Tuple([Type.Integer(), Type.String({ maxLength: 64 })]);
