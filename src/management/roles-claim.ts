import type { OidcConfiguration } from '../configuration/configuration.ts';
import { type Role, roles } from '../operator/role.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Gives the highest of the roles that the values of the claim stand for. */
export function roleOf(
  claims: Claims,
  { rolesClaim, roles: mapping }: Pick<OidcConfiguration, 'rolesClaim' | 'roles'>,
): Role | undefined {
  const roleFor = new Map<unknown, Role>(Object.entries(mapping));
  const found = [claimAt(claims, rolesClaim)].flat().map((value) => roleFor.get(value));
  return roles.findLast((role) => found.includes(role));
}

/** The claim of that very name, which may hold dots; else the member that a path such as `realm_access.roles` names. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((value, part) => memberOf(value, part), claims);
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? (value as Claims)[name] : undefined;
}

/** Says what kind of value the claim has, for whoever wonders why it gives no role. Never the value: it is personal. */
export function kindOfClaim(claims: Claims, name: string): string {
  const value = claimAt(claims, name);
  if (value === undefined) return 'nothing: no such claim in the ID token or UserInfo';
  if (Array.isArray(value)) return kindOfList(value);
  if (typeof value === 'string') return 'a text that admin.oidc.roles does not have';
  if (typeof value === 'object' && value !== null) return `an object: name its member, as in ${name}.roles`;
  return value === null ? 'null' : `a ${typeof value}, not a text`;
}

function kindOfList(list: readonly unknown[]): string {
  if (list.length === 0) return 'an empty list';
  const texts = list.filter((one) => typeof one === 'string').length;
  if (texts < list.length) return `a list of ${list.length}, of which ${list.length - texts} are no texts`;
  return `a list of ${list.length} ${list.length === 1 ? 'text' : 'texts'}, none of which admin.oidc.roles has`;
}
