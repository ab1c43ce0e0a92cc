import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { EpochMs } from '../ground/clock.ts';
import { id, instantMs, nullableLine } from '../operator/fields.ts';
import type { Store } from '../store/store.ts';
import type { Access, Gate, Operator } from './gate.ts';
import type { Management } from './parts.ts';
import { invalid, Problem, type ProblemCode } from './problems.ts';
import type { Proposed } from './proposed.ts';

/** A request that passed the gate and whose values are as the operation declares them. */
export interface Asked<Params = never, Query = never, Body = never> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Read once, when the request came. */
  readonly now: EpochMs;
  readonly operator: Operator;
  /** The store, for changes that the audit log records under this operator's name. */
  readonly store: Store;
  readonly gate: Gate;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The place of an operation, and what the document says of it. */
export interface Described {
  /** The path as the router writes it: `/api/keys/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
}

/** One method of one path: what it takes, what it answers, and what it does. One source for router and document. */
interface Declared<Params extends TObject, Query extends TObject, Body extends TObject, Answer extends TSchema>
  extends Described {
  /** When left out, POST with a body and GET without. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** `read-only` when left out. */
  readonly access?: Access;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** 200 when left out; 204 without a body in the answer. */
  readonly status?: 200 | 201;
  /** `application/json` when left out. An operation of any other type answers by itself. */
  readonly answerType?: 'text/event-stream';
  /** The body of the answer; its description is that of the answer too. */
  readonly answer?: Answer;
  /** Whether a second person may have to confirm it: then it answers 202 with the proposal. */
  readonly canWait?: true;
  /** Beside those that every operation of its kind can answer; with parameters in its path that is `NOT_FOUND` too. */
  readonly problems?: readonly ProblemCode[];
  handle(
    asked: Asked<Static<Params>, Static<Query>, Static<Body>>,
    management: Management,
  ): Static<Answer> | Proposed | Promise<Static<Answer> | Proposed>;
}

export interface Operation extends Omit<Declared<TObject, TObject, TObject, TSchema>, 'handle' | 'method' | 'access'> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly access: Access;
  handle(asked: Asked, management: Management): unknown;
}

/** An operation in the table of them all. */
export interface ListedOperation extends Operation {
  readonly operationId: string;
  /** The part of the document that it is in. */
  readonly tag: string;
}

/** Declares an operation; what its handler is given and has to give follows from the schemas. */
export function operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Answer extends TSchema = TSchema,
>(declared: Declared<Params, Query, Body, Answer>): Operation {
  const method = declared.body === undefined ? 'GET' : 'POST';
  return { method, access: 'read-only', ...(declared as Omit<Operation, 'method' | 'access'>) };
}

/** An object that refuses unknown properties: for requests. */
export function strictObject<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description, additionalProperties: false });
}

/** The body of an operation that takes no values. */
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
export function assertConfirmed(confirm: string, wanted: string, what: 'Delisting' | 'Erasing'): void {
  if (confirm === wanted) return;
  const of = what === 'Delisting' ? 'delisting' : 'erasing';
  const must = { code: 'value_must', values: { value: wanted } } as const;
  throw new Problem('CONFLICT', `${what} is final. Repeat ${wanted} in confirm.`, {
    said: { code: 'confirm_final', values: { what: of, wanted } },
    errors: [{ field: 'confirm', message: `must be ${wanted}.`, messageCode: must }],
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
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    Value.Assert(place, value);
    return value;
  } catch {
    throw invalid('after', 'is not a place in this list. Send `next` of the page before unchanged.');
  }
}

const timeAndId = Type.Tuple([Type.Integer(), Type.String({ maxLength: 64 })]);

/**
 * Reads the place of an entry in a list by time, and by id within the same millisecond. Throws as {@link readCursor}.
 */
export function readPlace(text: string | undefined) {
  const place = readCursor(text, timeAndId);
  return place && { atMs: place[0], id: place[1] };
}
