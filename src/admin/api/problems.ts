/** One row of the table of problems. A code that was retired is never used again. */
interface ProblemRow {
  readonly status: number;
  /** Never changes for a code. */
  readonly title: string;
  /** What leads to it and what to do. */
  readonly description: string;
}

/** Every code of the management API. */
export const problemTable = {
  INVALID_INPUT: {
    status: 400,
    title: 'Invalid input',
    description: 'The request cannot be understood or a value is not allowed. `errors` names each field and the mend.',
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
      'A change that comes with a session also needs its token in `X-CSRF-Token`, and has to come from a page of this server.',
  },
  NOT_FOUND: { status: 404, title: 'Not found', description: 'Nothing exists at this path or under this id.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    description: 'The path exists and does not answer this method. `Allow` lists those it answers.',
  },
  CONFLICT: {
    status: 409,
    title: 'Conflict',
    description: 'The state of what was asked for does not allow it. Nothing was changed.',
  },
  EMAIL_TAKEN: {
    status: 409,
    title: 'E-mail address taken',
    description: 'An account has this e-mail address already.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Body too large', description: 'A body may have 64 kB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    description: 'A body has to be JSON, sent as `Content-Type: application/json`.',
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
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    description: 'A fault of the service itself. The log has it under the request id.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'Store unavailable',
    description: 'The database cannot be read or written now. Nothing was changed; try again later.',
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

export type ProblemCode = keyof typeof problemTable;

export const problemCodes = Object.keys(problemTable) as readonly ProblemCode[];

/** A field of the request and what is wrong with it. */
export interface FieldError {
  /** As in the request: `email`, `limit`; empty for the body as a whole. */
  readonly field: string;
  readonly message: string;
}

/** Thrown by whoever cannot answer as asked. The detail is written for the operator and holds no secret. */
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

/** A value that is not allowed, by the name of its field. */
export function invalid(field: string, message: string): Problem {
  return new Problem('INVALID_INPUT', `${field}: ${message}`, { errors: [{ field, message }] });
}

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
}

/** The body of an `application/problem+json` answer (RFC 9457). `type` is a path of this listener. */
export function problemBody({ code, message, errors }: Problem, requestId: string): ProblemBody {
  const { status, title } = problemTable[code];
  const body = { type: problemType(code), title, status, code, detail: message, requestId };
  return errors === undefined ? body : { ...body, errors };
}

export function problemType(code: ProblemCode): string {
  return `/api/problems/${problemSlug(code)}`;
}

export function problemSlug(code: ProblemCode): string {
  return code.toLowerCase().replaceAll('_', '-');
}
