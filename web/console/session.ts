import { Store } from './store.ts';

/**
 * Who is signed in. The operator token is never kept: the browser holds a cookie that no script can read, the page
 * only the CSRF token that goes with it.
 */
export type Session =
  | { readonly state: 'asking' }
  | { readonly state: 'out'; readonly notice: string | undefined }
  | { readonly state: 'in'; readonly operator: string; readonly csrfToken: string; readonly expiresAtMs: number };

export const session = new Store<Session>({ state: 'asking' });

/** Somebody who was signed in is told why they have to sign in again; the address stays, so they come back to it. */
export function signedOut(notice?: string): void {
  session.set({ state: 'out', notice });
}
