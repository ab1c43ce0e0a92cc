import type { OperatorRole } from '../store/schema.ts';

export type Role = OperatorRole;

/** The rights of each role. Each may also do what those before it may. */
export const roleTable: Readonly<Record<Role, string>> = {
  prices: 'read prices and nothing else: for an application',
  'read-only': 'see everything and change nothing',
  support: 'manage accounts and keys',
  operator: 'manage markets, terms, maintenance, incidents and notices',
  admin: 'make and revoke operator tokens',
};

/** From the least to the most. */
export const roles = Object.keys(roleTable) as readonly Role[];

/** Roles of people; the others are for programs, which do not sign in. */
export const personalRoles: readonly Role[] = roles.filter((role) => role !== 'prices');

export function isRole(text: string): text is Role {
  return Object.hasOwn(roleTable, text);
}

/** Whether a role may do what needs another. */
export function isEnough(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
