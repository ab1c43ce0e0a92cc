import { after } from '../clock.ts';
import { noteAnswered, noteUnreachable } from '../live/connection.ts';
import { type Session, session, signedOut } from '../session.ts';
import { type Outcome, readProblem } from './problem.ts';

export interface Asked {
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** A service that has not answered for so long is taken for one that does not answer. */
const patienceMs = 10_000;

/** Where the API lies, seen from `/console/`: a proxy may serve both below a path of its own. */
const base = new URL('../api/', document.baseURI);

export function get<T>(path: string, signal?: AbortSignal): Promise<Outcome<T>> {
  return ask('GET', path, signal === undefined ? {} : { signal });
}

export function post<T>(path: string, body: object = {}): Promise<Outcome<T>> {
  return ask('POST', path, { body });
}

/** Asks the management API. A session that has ended is told to the whole page. Never rejects. */
export async function ask<T>(method: string, path: string, { body, signal }: Asked = {}): Promise<Outcome<T>> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method !== 'GET' && session.value.state === 'in') headers['X-CSRF-Token'] = session.value.csrfToken;
  const asked = session.value;
  const deadline = new AbortController();
  const stop = after(patienceMs, () => deadline.abort());
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
    if (signal?.aborted === true) return { ok: false, problem: { kind: 'aborted' } };
    return unreachable(method === 'GET' ? 'The service does not answer.' : unknownOutcome);
  } finally {
    stop();
  }
}

const unknownOutcome = 'No answer came, so it is not known whether it was done. Look before you try again.';

async function read<T>(response: Response, asked: Session): Promise<Outcome<T>> {
  if (response.ok) {
    const value = response.status === 204 ? undefined : await response.json();
    noteAnswered();
    return { ok: true, value: value as T };
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
 * A token refused at the sign-in form is the form's own matter. Of several requests that learn of the end of a session
 * the first tells it, and none tells it of the next session.
 */
function noteUnauthenticated(code: string, asked: Session): void {
  if (code === 'INVALID_TOKEN' || session.value !== asked) return;
  const wasIn = asked.state === 'in';
  signedOut(wasIn ? 'Your session has ended. Sign in and you are back where you were.' : undefined);
}
