import Type, { type Static } from 'typebox';
import { RecordBusy } from '../history/query/question-thread.ts';
import { form, line, listOf, named, object, referenceTo } from '../operator/fields.ts';
import { StoreError, type StoreErrorReason } from '../store/store-error.ts';
import { type ProblemDetail, ProblemDetailSchema } from './problem-details.ts';

/** One row of the table of problems. A code that was retired is never used again. */
interface ProblemRow {
  readonly status: number;
  /** Never changes for a code. */
  readonly title: string;
  readonly description: string;
}

/** Every code of the management API. */
export const problemTable = {
  INVALID_INPUT: {
    status: 400,
    title: 'Invalid input',
    description:
      'The request cannot be understood or a value is not allowed. `errors` names each field and what is wrong with it.',
  },
  NOT_SIGNED_IN: {
    status: 401,
    title: 'Not signed in',
    description: 'Neither an operator token nor a session came with the request. Sign in, or send a token.',
  },
  SESSION_EXPIRED: {
    status: 401,
    title: 'Session expired',
    description: 'The session is over, or its token was revoked or has expired. Sign in again.',
  },
  INVALID_TOKEN: {
    status: 401,
    title: 'Invalid token',
    description: 'The operator token is not known, was revoked or has expired.',
  },
  CSRF: {
    status: 403,
    title: 'Cross-site request refused',
    description:
      'A change made with a session also needs its token in `X-CSRF-Token`, and must come from a page of this server.',
  },
  ROLE_REQUIRED: {
    status: 403,
    title: 'Role required',
    description: 'The operation needs a role that the token or the session does not have. `detail` names both.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    description: 'Nothing exists at this path or under this id.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    description: 'The path exists and does not answer this method. `Allow` lists those it answers.',
  },
  CONFLICT: {
    status: 409,
    title: 'Conflict',
    description: 'The current state does not allow this change. Nothing was changed.',
  },
  EMAIL_TAKEN: {
    status: 409,
    title: 'E-mail address taken',
    description: 'An account with this e-mail address exists already.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'Body too large',
    description: 'A body may have up to 64 kB.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    description: 'A body must be JSON, sent as `Content-Type: application/json`.',
  },
  HOST_NOT_ALLOWED: {
    status: 421,
    title: 'Host not allowed',
    description: 'The request names a host that is not this listener’s. Add it to `admin.hosts` if it is yours.',
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    title: 'Too many attempts',
    description: 'Too many wrong tokens came from this address. Wait as many seconds as `Retry-After` says.',
  },
  TOO_MANY_STREAMS: {
    status: 503,
    title: 'Too many streams',
    description: 'This process has 100 price streams open already. Share one among your readers.',
  },
  RECORD_BUSY: {
    status: 503,
    title: 'Record busy',
    description:
      'As many questions to the record wait as are let in. Ask again in as many seconds as `Retry-After` says.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    description: 'A fault of the service itself. The log records it under the request id.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'Store unavailable',
    description: 'The database cannot be read or written now. Nothing was changed; try again later.',
  },
} satisfies Readonly<Record<string, ProblemRow>>;

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

  /** The detail by its code, where it has one. */
  readonly said: ProblemDetail | undefined;

  constructor(code: ProblemCode, detail: string, more: ProblemParts = {}) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
    this.said = more.said;
  }
}

interface ProblemParts {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly said?: ProblemDetail;
}

/** A value that is not allowed, by the name of its field. */
export function invalid(field: string, message: string, said?: ProblemDetail): Problem {
  const error = said === undefined ? { field, message } : { field, message, messageCode: said };
  return new Problem('INVALID_INPUT', `${field}: ${message}`, { errors: [error] });
}

/** The body of an `application/problem+json` answer (RFC 9457). `type` is a path of this listener. */
export function problemBody(problem: Problem, requestId: string): Static<typeof ProblemSchema> {
  const { code, message, errors, said } = problem;
  const { status, title } = problemTable[code];
  return {
    type: problemType(code),
    title,
    status,
    code,
    detail: message,
    ...(said === undefined ? {} : { detailCode: said }),
    requestId,
    ...(errors === undefined ? {} : { errors: [...errors] }),
  };
}

export function problemType(code: ProblemCode): string {
  return `/api/problems/${problemSlug(code)}`;
}

export function problemSlug(code: ProblemCode): string {
  return code.toLowerCase().replaceAll('_', '-');
}

/** The field of a request that a refusal of the store is about; none for one that is about what is stored. */
export const fieldOf: Readonly<Partial<Record<StoreErrorReason, string>>> = {
  email_invalid: 'email',
  label_invalid: 'label',
  token_name_invalid: 'name',
  limit_invalid: 'limitPerMinute',
  expiry_not_in_future: 'expiresAtMs',
  overlap_in_past: 'overlapMs',
  term_empty: 'feePercent',
  term_value: 'feePercent',
  term_scope: 'scope',
  term_start: 'fromMs',
  window_order: 'toMs',
  window_in_past: 'toMs',
  window_description: 'description',
  incident_title: 'title',
  incident_text: 'text',
  incident_review: 'review',
  incident_czech: 'textCs',
  incident_parts: 'parts',
  incident_start: 'fromMs',
  incident_end: 'toMs',
  incident_unchanged: 'text',
};

interface FrameworkProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly said: ProblemDetail;
}

/** The problem that an error of the framework is, by the code of that. */
const frameworkProblems: Readonly<Record<string, FrameworkProblem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'PAYLOAD_TOO_LARGE',
    detail: 'The body has more than 64 kB.',
    said: { code: 'body_too_large', values: {} },
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: 'Send the body as JSON, with the header Content-Type: application/json.',
    said: { code: 'body_no_json', values: {} },
  },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'INVALID_INPUT',
    detail: 'The body is not valid JSON.',
    said: { code: 'body_malformed', values: {} },
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'INVALID_INPUT',
    detail: 'The body is not as long as its Content-Length says.',
    said: { code: 'body_length', values: {} },
  },
  FST_ERR_BAD_URL: {
    code: 'INVALID_INPUT',
    detail: 'The path has a percent sign that does not start an escape sequence.',
    said: { code: 'path_escape', values: {} },
  },
};

/** The problem to answer for an error. `undefined`: a fault of the service, which only the log describes. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError) return problemOfStore(error);
  if (error instanceof RecordBusy)
    return new Problem('RECORD_BUSY', error.message, { headers: { 'Retry-After': '5' } });
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = frameworkProblems[String(code)];
  if (known !== undefined) return new Problem(known.code, known.detail, { said: known.said });
  const isOfTheRequest = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isOfTheRequest ? new Problem('INVALID_INPUT', 'The request cannot be understood.') : undefined;
}

/** The store's sentences are written for operators and go out as they are. */
function problemOfStore({ code: storeCode, values, reason, message, isEngineFailure }: StoreError): Problem {
  const said: ProblemDetail = { code: 'store', values: { code: storeCode, values: { ...values } } };
  if (isEngineFailure) return new Problem('STORE_UNAVAILABLE', message, { said });
  if (reason.endsWith('_unknown')) return new Problem('NOT_FOUND', message, { said });
  if (reason === 'email_taken') return new Problem('EMAIL_TAKEN', message, { said });
  const field = fieldOf[reason];
  if (field === undefined) return new Problem('CONFLICT', message, { said });
  return new Problem('INVALID_INPUT', message, { errors: [{ field, message, messageCode: said }], said });
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
  detailCode: Type.Optional(referenceTo(ProblemDetailSchema, 'The same by its code, where it has one.')),
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
        messageCode: Type.Optional(referenceTo(ProblemDetailSchema, 'The same by its code, where it has one.')),
      }),
      'With INVALID_INPUT: every field that is wrong.',
    ),
  ),
});
