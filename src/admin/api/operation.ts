import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import type { Management } from '../sources.ts';
import type { Gate, Operator } from './gate.ts';
import type { ProblemCode } from './problems.ts';

/** A request that passed the gate and whose values are as the operation declares them. */
export interface Asked<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Read once, when the request came. */
  readonly now: EpochMs;
  readonly operator: Operator;
  /** The store, for changes that the audit log puts down to this operator. */
  readonly store: Store;
  readonly gate: Gate;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** One method of one path: what it takes, what it answers, and what it does. One source for router and document. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the router writes it: `/api/keys/:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Whether it needs a sign-in; `sign-in` is the one that makes one. */
  readonly access: 'operator' | 'anybody' | 'sign-in';
  readonly params: TObject | undefined;
  readonly query: TObject | undefined;
  readonly body: TObject | undefined;
  readonly answer: AnswerDescription;
  /** Beside those that every operation of its kind can answer. */
  readonly problems: readonly ProblemCode[];
  handle(asked: Asked<never, never, never>, management: Management): unknown;
}

export type Tag =
  | 'Session'
  | 'Service'
  | 'Markets'
  | 'Accounts and keys'
  | 'Maintenance'
  | 'Notices'
  | 'Audit'
  | 'Description';

export interface AnswerDescription {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** `undefined` for an answer without a body. */
  readonly schema: TSchema | undefined;
}

interface Declared<Params extends TObject, Query extends TObject, Body extends TObject, Answer extends TSchema>
  extends Omit<Operation, 'params' | 'query' | 'body' | 'answer' | 'handle' | 'access' | 'problems'> {
  readonly access?: Operation['access'];
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: { readonly status: 200 | 201 | 204; readonly description: string; readonly schema?: Answer };
  readonly problems?: readonly ProblemCode[];
  handle(
    asked: Asked<Static<Params>, Static<Query>, Static<Body>>,
    management: Management,
  ): Static<Answer> | Promise<Static<Answer>>;
}

/** Declares an operation; what its handler is given and has to give follows from the schemas. */
export function operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Answer extends TSchema = TSchema,
>(declared: Declared<Params, Query, Body, Answer>): Operation {
  const { access = 'operator', params, query, body, answer, problems = [], handle, ...rest } = declared;
  return {
    ...rest,
    access,
    params,
    query,
    body,
    answer: { ...answer, schema: answer.schema },
    problems,
    handle: handle as Operation['handle'],
  };
}
