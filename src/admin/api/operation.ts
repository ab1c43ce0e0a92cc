import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import type { Role } from '../../operator/role.ts';
import type { Store } from '../../store/store.ts';
import type { Management } from '../sources.ts';
import type { Gate, Operator } from './gate.ts';
import type { ProblemCode } from './problems.ts';

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

/** One method of one path: what it takes, what it answers, and what it does. One source for router and document. */
interface Declared<Params extends TObject, Query extends TObject, Body extends TObject, Answer extends TSchema> {
  /** When left out, POST with a body and GET without. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** As the router writes it: `/api/keys/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The role it needs, `read-only` when left out; `sign-in` is the operation that makes a session. */
  readonly access?: Role | 'anybody' | 'sign-in';
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** 200 when left out; 204 without a body in the answer. */
  readonly status?: 200 | 201;
  /** `application/json` when left out. An operation of any other type answers by itself. */
  readonly answerType?: 'text/event-stream';
  /** The body of the answer; its description is that of the answer too. */
  readonly answer?: Answer;
  /** Beside those that every operation of its kind can answer; with parameters in its path that is `NOT_FOUND` too. */
  readonly problems?: readonly ProblemCode[];
  handle(
    asked: Asked<Static<Params>, Static<Query>, Static<Body>>,
    management: Management,
  ): Static<Answer> | Promise<Static<Answer>>;
}

export interface Operation extends Omit<Declared<TObject, TObject, TObject, TSchema>, 'handle' | 'method' | 'access'> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly access: Role | 'anybody' | 'sign-in';
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
