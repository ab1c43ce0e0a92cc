import { generateToken, tokenDigest } from '../access/operator-token.ts';
import { type Role, roleTable } from '../operator/role.ts';
import { type TokenView, tokenView } from '../operator/token.ts';
import type { Command } from './command.ts';
import { storeCommand } from './store-command.ts';
import { type Cell, factsOf, harmless, listing, type Paint, pairs } from './style.ts';
import { idFrom, parseOptionalInstant } from './values.ts';

const create = storeCommand('admin token', {
  details: [
    `Each role may also do what those before it may. ${Object.entries(roleTable)
      .map(([role, may]) => `${role}: ${may}`)
      .join('; ')}.`,
    'Programs send it as `Authorization: Bearer …`. The audit log shows its name.',
  ],
  mayCreate: true,
  read: (input, now) => ({
    expiresAt: parseOptionalInstant(input.option('expires'), now, '--expires'),
    role: (input.option('role') ?? 'operator') as Role,
  }),
  async work({ input, values, store, context, paint }) {
    const text = generateToken('operator', context.randomness);
    const record = await store.tokens.insert({ ...values, digest: tokenDigest(text), name: input.option('name') });
    const token = tokenView(record, context.clock.now());
    return {
      json: { ...token, token: text },
      text: pairs([['Token', text], ...tokenLines(token, paint)], paint),
      notes: ['The token is shown only once and stored nowhere. Save it now, as you would a password.'],
    };
  },
});

const list = storeCommand('admin tokens', async ({ store, context, paint }) => {
  const now = context.clock.now();
  const tokens = (await store.tokens.list()).map((token) => tokenView(token, now));
  const times = { CREATED: 'createdAt', EXPIRES: 'expiresAt', 'LAST USED': 'lastUsedAt' } as const;
  const shown = { ID: 'id', NAME: 'name', ROLE: 'role', STATE: 'state', ...times } as const;
  return { json: { tokens }, text: listing(tokens, shown, paint, 'No tokens.') };
});

const revoke = storeCommand('admin revoke', {
  read: idFrom,
  async work({ values: id, store, context, paint, confirm }) {
    const found = await store.tokens.get(id);
    if (found !== undefined && found.revokedAt === undefined)
      await confirm(`Revoke ${id} "${harmless(found.name)}"? This is final.`);
    const token = tokenView(await store.tokens.revoke(id), context.clock.now());
    return { json: token, text: pairs(tokenLines(token, paint), paint) };
  },
});

export const adminCommands: readonly Command[] = [create, list, revoke];

function tokenLines(token: TokenView, paint: Paint): (readonly [string, Cell])[] {
  return factsOf(token, { Id: 'id', Name: 'name', Role: 'role', State: 'state', Expires: 'expiresAt' }, paint);
}
