import type { Session } from '../../generated/management-v1.d.ts';
import { session, signedOut } from '../session.ts';
import { ask, get, post } from './client.ts';
import type { Outcome } from './problem.ts';

/** Takes up the session the browser's cookie stands for, if there is one. */
export async function resumeSession(): Promise<Outcome<Session>> {
  const outcome = await get<Session>('session');
  if (outcome.ok) begin(outcome.value);
  return outcome;
}

/** Exchanges an operator token for a session. */
export async function signIn(token: string): Promise<Outcome<Session>> {
  const outcome = await post<Session>('session', { token });
  if (outcome.ok) begin(outcome.value);
  return outcome;
}

export async function signOut(): Promise<Outcome<undefined>> {
  const outcome = await ask<undefined>('DELETE', 'session');
  if (outcome.ok) signedOut();
  return outcome;
}

function begin({ operator, csrfToken, expiresAtMs }: Session): void {
  session.set({ state: 'in', operator: operator.name, csrfToken, expiresAtMs });
}
