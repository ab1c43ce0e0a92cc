import Type, { type Static } from 'typebox';
import { filled, type Values } from '../ground/filled.ts';
import { RecordBusy } from '../history/query/question-thread.ts';
import { form, line, listOf, named, object } from '../operator/fields.ts';
import { StoreError, type StoreErrorReason } from '../store/store-error.ts';
import rows from './problems.json' with { type: 'json' };
import refusals from './refusals.json' with { type: 'json' };

/** One row of the table of problems. A code that was retired is never used again. */
interface ProblemRow {
  readonly status: number;
  /** Never changes for a code. */
  readonly title: string;
  readonly description: string;
}

/** Every code of the management API. */
export const problemTable = rows satisfies Readonly<Record<string, ProblemRow>>;

export type ProblemCode = keyof typeof problemTable;

export const problemCodes = Object.keys(problemTable) as readonly ProblemCode[];

/** A field of the request, as it is named there, and what is wrong with it. */
export type FieldError = NonNullable<Static<typeof ProblemSchema>['errors']>[number];

/** Why a request is refused. The detail is written for the operator and holds no secret. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { readonly errors?: readonly FieldError[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }
}

/** A problem with one of the details of `refusals.json`: its code, and the case where that has several. @param values for the words in braces */
export function refused<Name extends keyof typeof refusals.details>(name: Name, values: Values = {}): Problem {
  return new Problem(name.replace(/\..*/, '') as ProblemCode, filled(refusals.details[name], values));
}

/** A value that is not allowed, by the name of its field. */
export function invalid(field: string, message: string): Problem {
  return new Problem('INVALID_INPUT', `${field}: ${message}`, { errors: [{ field, message }] });
}

/** The body of an `application/problem+json` answer (RFC 9457). `type` is a path of this listener. */
export function problemBody({ code, message, errors }: Problem, requestId: string): Static<typeof ProblemSchema> {
  const { status, title } = problemTable[code];
  const body = { type: problemType(code), title, status, code, detail: message, requestId };
  return errors === undefined ? body : { ...body, errors: [...errors] };
}

export function problemType(code: ProblemCode): string {
  return `/api/problems/${problemSlug(code)}`;
}

export function problemSlug(code: ProblemCode): string {
  return code.toLowerCase().replaceAll('_', '-');
}

/** The field of a request that a refusal of the store is about; none for one that is about what is stored. */
export const fieldOf: Readonly<Partial<Record<StoreErrorReason, string>>> = refusals.fields;

/** The problem that an error of the framework is, by the code of that. */
const ofTheFramework = refusals.framework as Readonly<Record<string, { code: ProblemCode; detail: string }>>;

/** The problem to answer for an error. `undefined`: a fault of the service, which only the log describes. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError) return problemOfStore(error);
  if (error instanceof RecordBusy)
    return new Problem('RECORD_BUSY', error.message, { headers: { 'Retry-After': '5' } });
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = ofTheFramework[String(code)];
  if (known !== undefined) return new Problem(known.code, known.detail);
  const isOfTheRequest = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isOfTheRequest ? new Problem('INVALID_INPUT', 'The request cannot be understood.') : undefined;
}

/** The store's sentences are written for operators and go out as they are. */
function problemOfStore({ reason, message, isEngineFailure }: StoreError): Problem {
  if (isEngineFailure) return new Problem('STORE_UNAVAILABLE', message);
  if (reason.endsWith('_unknown')) return new Problem('NOT_FOUND', message);
  if (reason === 'email_taken') return new Problem('EMAIL_TAKEN', message);
  const field = fieldOf[reason];
  if (field === undefined) return new Problem('CONFLICT', message);
  return new Problem('INVALID_INPUT', message, { errors: invalid(field, message).errors! });
}

const code = Type.Unsafe<ProblemCode>({
  description: 'Machine readable. Decide on this, not on the texts. The set can grow.',
  type: 'string',
  enum: [...problemCodes],
  examples: ['NOT_FOUND'],
});

export const ProblemSchema = named('Problem', 'A problem (RFC 9457) with a code and a request id.', {
  type: Type.String({
    description: 'Path of this listener that describes the problem.',
    format: 'uri-reference',
    examples: ['/api/problems/not-found'],
  }),
  title: line('Always the same for a code.', 'Not found', 100),
  status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599, examples: [404] }),
  code,
  detail: line(
    'What went wrong this time and how to fix it, for people.',
    'There is no key key_4fGh72Kq0ZsTn1Lw.',
    4_000,
  ),
  requestId: form(
    'Equals the `X-Request-Id` header; the log records faults of the service under it.',
    '^[A-Za-z0-9_-]{16,64}$',
    '9f2c51d07ab84e6c8d1e7f3a2b4c5d6e',
  ),
  errors: Type.Optional(
    listOf(
      object('A field that is wrong.', {
        field: line('The field, as in the request; empty for the body as a whole.', 'email', 100),
        message: line('What is wrong with it.', 'is missing.', 1_000),
      }),
      'With INVALID_INPUT: every field that is wrong.',
    ),
  ),
});
