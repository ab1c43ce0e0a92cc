/** Why a request gave nothing. */
export type Problem =
  | {
      /** The service answered and refused, in its own words. */
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | undefined;
      /** By the name of the field; empty when the fault is not of one. */
      readonly fields: Readonly<Record<string, string>>;
      readonly retryAfterSeconds: number | undefined;
    }
  | {
      /** Nobody answered, or somebody between here and the service. */
      readonly kind: 'unreachable';
      readonly detail: string;
    }
  /** The page that asked is gone. */
  | { readonly kind: 'aborted' };

/** The value of an answer, or why there is none. Nothing is thrown. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

/** The sentence to show for it. */
export function problemText(problem: Problem): string {
  if (problem.kind === 'aborted') return 'The request was given up.';
  return problem.detail;
}

interface ProblemBody {
  readonly code?: unknown;
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly requestId?: unknown;
  readonly errors?: unknown;
}

/** Reads an answer that is not a success. What is not a problem of ours comes from something in between. */
export async function readProblem(response: Response): Promise<Problem> {
  const isProblem = response.headers.get('Content-Type')?.startsWith('application/problem+json') === true;
  const body = isProblem ? await readBody(response) : undefined;
  if (body === undefined || typeof body.code !== 'string') {
    return { kind: 'unreachable', detail: `Something before the service answered with ${response.status}.` };
  }
  const retryAfter = Number(response.headers.get('Retry-After'));
  return {
    kind: 'refused',
    status: response.status,
    code: body.code,
    detail: String(body.detail ?? body.title ?? body.code),
    requestId: typeof body.requestId === 'string' ? body.requestId : undefined,
    fields: fieldsOf(body.errors),
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
  };
}

async function readBody(response: Response): Promise<ProblemBody | undefined> {
  try {
    return (await response.json()) as ProblemBody;
  } catch {
    return undefined;
  }
}

function fieldsOf(errors: unknown): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const entry of Array.isArray(errors) ? errors : []) {
    const { field, message } = entry as { field?: unknown; message?: unknown };
    if (typeof field === 'string' && typeof message === 'string') fields[field] = message;
  }
  return fields;
}
