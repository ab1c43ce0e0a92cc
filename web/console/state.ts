import type { Token } from '../generated/management-v1.d.ts';
import { monotonicMs, nowMs } from './clock.ts';
import { Store } from './store.ts';

/**
 * Who is signed in. The operator token is never kept: the browser holds a cookie that no script can read, the page
 * only the CSRF token that goes with it.
 */
export type Session =
  | { readonly state: 'asking' }
  | { readonly state: 'out'; readonly notice: string | undefined }
  | {
      readonly state: 'in';
      readonly operator: string;
      readonly role: Token['role'];
      readonly csrfToken: string;
      readonly expiresAtMs: number;
    };

/** Those of people: `prices` is for programs alone. */
export type Role = Exclude<Token['role'], 'prices'>;

/** From the least to the most: each may also do what those before it may. */
export const roles: readonly Role[] = ['read-only', 'support', 'operator', 'admin'];

/** Whether who is signed in may do what needs a role. The service decides again at every request. */
export function isAllowed(needed: Role): boolean {
  return session.value.state === 'in' && roles.indexOf(session.value.role as Role) >= roles.indexOf(needed);
}

export const session = new Store<Session>({ state: 'asking' });

/** `notice` says why a new sign-in is needed. The address stays, so they return to it. */
export function signedOut(notice?: string): void {
  session.set({ state: 'out', notice });
}

/** When the service last answered this page, by this computer's clock; `undefined` while it answers. */
export const lostSince = new Store<number | undefined>(undefined);
let lastAnswerAtMs = nowMs();

export function noteAnswered(): void {
  lastAnswerAtMs = nowMs();
  lostSince.set(undefined);
}

export function noteUnreachable(): void {
  if (lostSince.value === undefined) lostSince.set(lastAnswerAtMs);
}

let serverAheadMs = nowMs() - monotonicMs();

/** Takes the server's clock from an answer, so that nothing on the page depends on this computer's. */
export function noteServerTime(serverTimeMs: number): void {
  serverAheadMs = serverTimeMs - monotonicMs();
}

/** What the server's clock shows now, as far as the last answer tells, in whole milliseconds. */
export function serverNowMs(): number {
  return Math.ceil(monotonicMs() + serverAheadMs);
}
