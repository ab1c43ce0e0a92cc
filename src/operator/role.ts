import type { OperatorRole } from '../store/schema.ts';

export type Role = OperatorRole;

/** What each role may do. Each may also do what those before it may. */
export const roleTable: Readonly<Record<Role, string>> = {
  'read-only': 'see everything and change nothing',
  support: 'manage accounts and keys',
  operator: 'manage markets, maintenance and notices',
  admin: 'make and revoke operator tokens',
};

/** From the least to the most. */
export const roles = Object.keys(roleTable) as readonly Role[];

export function isRole(text: string): text is Role {
  return Object.hasOwn(roleTable, text);
}

/** Whether a role may do what needs another. */
export function isEnough(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
