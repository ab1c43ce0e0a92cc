import type { Problem as ProblemBody, Session as SessionBody } from '../../generated/management-v1.d.ts';
import { after } from '../clock.ts';
import { problemDetails } from '../czech/problems.ts';
import { saidText } from '../format/said.ts';
import { say } from '../language.ts';
import { noteAnswered, noteUnreachable, type Session, session, signedOut } from '../state.ts';

/** Why a request gave nothing. */
export type Problem =
  | {
      /** The service answered and refused, in its own words. */
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string;
      /** By the name of the field; empty when the fault is not of one. */
      readonly fields: Readonly<Record<string, string>>;
      readonly retryAfterSeconds: number | undefined;
    }
  | {
      /** No answer, or one of something between here and the service. */
      readonly kind: 'unreachable';
      readonly detail: string;
    };

/** The value of an answer, or why there is none. Nothing is thrown. */
export type Outcome<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Nothing is changed yet: another person has to confirm it. The value is the proposal. */
      readonly isProposed?: true;
    }
  | { readonly ok: false; readonly problem: Problem };

/** Reads an answer that is not a success. What is not a problem of ours comes from something in between. */
async function readProblem(response: Response): Promise<Problem> {
  const isProblem = response.headers.get('Content-Type')?.startsWith('application/problem+json') === true;
  const {
    status,
    code,
    detail,
    detailCode,
    requestId,
    errors = [],
  } = (isProblem ? await response.json() : {}) as ProblemBody;
  if (requestId === undefined)
    return {
      kind: 'unreachable',
      detail: say('A proxy in front of the service answered with {status}.', { status: response.status }),
    };
  const texts = errors.map(({ field, message, messageCode }) => [
    field,
    saidText(message, messageCode, problemDetails),
  ]);
  const fields = Object.fromEntries(texts);
  const retryAfterSeconds = Number(response.headers.get('Retry-After')) || undefined;
  const said = saidText(detail, detailCode, problemDetails);
  return { kind: 'refused', status, code, detail: said, requestId, fields, retryAfterSeconds };
}

interface Asked {
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
  /** Over the usual one, for what takes long. */
  readonly timeoutMs?: number;
}

/** After this time the service counts as unreachable. */
const usualTimeoutMs = 10_000;

/** Where the API lies, seen from `/console/`: a proxy may serve both below a path of its own. */
const base = new URL('../api/', document.baseURI);

export function get<T>(path: string, signal?: AbortSignal, timeoutMs = usualTimeoutMs): Promise<Outcome<T>> {
  return ask('GET', path, signal === undefined ? { timeoutMs } : { signal, timeoutMs });
}

export function post<T>(path: string, body: object = {}): Promise<Outcome<T>> {
  return ask('POST', path, { body });
}

/** Asks the management API. A session that has ended signs the whole page out. Never rejects. */
async function ask<T>(
  method: string,
  path: string,
  { body, signal, timeoutMs = usualTimeoutMs }: Asked = {},
): Promise<Outcome<T>> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method !== 'GET' && session.value.state === 'in') headers['X-CSRF-Token'] = session.value.csrfToken;
  const asked = session.value;
  const deadline = new AbortController();
  const stop = after(timeoutMs, () => deadline.abort());
  try {
    const response = await fetch(new URL(path, base), {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await read<T>(response, asked);
  } catch {
    // The page that asked is gone: its request says nothing of the service.
    if (signal?.aborted === true) return { ok: false, problem: { kind: 'unreachable', detail: say('Cancelled.') } };
    return unreachable(method === 'GET' ? say('The service does not answer.') : unknownOutcome);
  } finally {
    stop();
  }
}

const unknownOutcome = say('No answer came, so it is not known whether it was done. Look before you try again.');

async function read<T>(response: Response, asked: Session): Promise<Outcome<T>> {
  if (response.ok) {
    const value = response.status === 204 ? undefined : await response.json();
    noteAnswered();
    return { ok: true, value: value as T, ...(response.status === 202 && { isProposed: true }) };
  }
  const problem = await readProblem(response);
  if (problem.kind === 'unreachable') return unreachable(problem.detail);
  noteAnswered();
  if (problem.kind === 'refused' && problem.status === 401) noteUnauthenticated(problem.code, asked);
  return { ok: false, problem };
}

function unreachable<T>(detail: string): Outcome<T> {
  noteUnreachable();
  return { ok: false, problem: { kind: 'unreachable', detail } };
}

/**
 * A token refused at the sign-in form is handled by the form. Of several requests that learn of the end of a session
 * the first reports it, none sent after that erases its notice, and none ends the next session.
 */
function noteUnauthenticated(code: string, asked: Session): void {
  if (code === 'INVALID_TOKEN' || asked.state === 'out' || session.value !== asked) return;
  const wasIn = asked.state === 'in';
  signedOut(wasIn ? say('Your session has ended. Sign in and you are back where you were.') : undefined);
}

/** Resumes the session of the browser's cookie, if there is one. */
export async function resumeSession(): Promise<Outcome<SessionBody>> {
  const outcome = await get<SessionBody>('session');
  if (outcome.ok) begin(outcome.value);
  return outcome;
}

/** Exchanges an operator token for a session. */
export async function signIn(token: string): Promise<Outcome<SessionBody>> {
  const outcome = await post<SessionBody>('session', { token });
  if (outcome.ok) begin(outcome.value);
  return outcome;
}

export async function signOut(): Promise<Outcome<undefined>> {
  const outcome = await ask<undefined>('DELETE', 'session');
  if (outcome.ok) signedOut();
  return outcome;
}

function begin({ operator, csrfToken, expiresAtMs }: SessionBody): void {
  session.set({ state: 'in', operator: operator.name, role: operator.role, csrfToken, expiresAtMs });
}
