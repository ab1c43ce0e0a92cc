import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../ground/clock.ts';
import { mayBeOnePerson } from '../operator/actor.ts';
import { isEnough } from '../operator/role.ts';
import { openDatabaseToRead } from '../store/open-database.ts';
import type { Finding } from './check-levels.ts';

const name = 'approvals';
const namesShown = 5;

/**
 * Whether two people can sign in where one proposes and another confirms. Whoever uses the command line comes on top,
 * and is not counted: there everybody may be the same user of the system.
 */
export async function approvalsFinding({ admin, store }: Configuration, clock: Clock): Promise<Finding | undefined> {
  const { approvals, token, oidc } = admin;
  if (approvals.length === 0) return undefined;
  const kinds = `a second person confirms ${approvals.join(', ')}`;
  if (oidc !== undefined && Object.values(oidc.roles).some((role) => isEnough(role, 'operator')))
    return { name, works: true, detail: `${kinds}; whom the OpenID Connect provider gives the role may sign in` };
  const holders = await holdersIn(store.url, clock);
  if (holders === undefined) return undefined;
  const people = [...(token === undefined ? [] : ['configuration']), ...holders];
  const [first, ...others] = people;
  if (first !== undefined && others.some((other) => !mayBeOnePerson(first, other))) {
    const more = people.length > namesShown ? ', …' : '';
    return { name, works: true, detail: `${kinds}; they can be ${people.slice(0, namesShown).join(', ')}${more}` };
  }
  const who = first === undefined ? 'nobody' : `only ${people.slice(0, namesShown).join(', ')}`;
  const remedy = 'Make a token for another person: mdapi admin token --name NAME --role operator.';
  const detail = `${kinds}, but ${who} can sign in with the role operator: nothing can be confirmed. ${remedy}`;
  return { name, works: true, isWarning: true, detail };
}

/** The names of usable tokens that may propose and confirm; `undefined` for a database that cannot be read. */
async function holdersIn(url: string, clock: Clock): Promise<readonly string[] | undefined> {
  try {
    const { db, state } = await openDatabaseToRead(url, clock);
    await using open = db;
    if (state === 'empty') return [];
    const tokens = open.selectFrom('operator_tokens').select('name').where('role', 'in', ['operator', 'admin']);
    const usable = tokens
      .where('revoked_at_ms', 'is', null)
      .where(({ or, eb }) => or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', clock.now())]));
    return (await usable.orderBy('created_at_ms').execute()).map((token) => token.name);
  } catch {
    return undefined;
  }
}
