import { generateToken, tokenDigest } from '../access/operator-token.ts';
import { roles, roleTable } from '../operator/role.ts';
import { type TokenView, tokenView } from '../operator/token.ts';
import { storeCommand, yes } from './store-command.ts';
import { type Cell, factsOf, harmless, listing, type Paint, pairs } from './style.ts';
import { parseId, parseOptionalInstant } from './values.ts';

const create = storeCommand({
  name: 'admin token',
  summary: 'create a token for the management API and the console',
  details: [
    `Each role may also do what those before it may. ${roles.map((role) => `${role}: ${roleTable[role]}`).join('; ')}.`,
    'Programs send it as `Authorization: Bearer …`. The audit log shows its name.',
  ],
  options: {
    name: { value: 'NAME', summary: 'whom or what it is for, up to 60 characters (default: its id)' },
    role: { value: 'ROLE', values: roles, summary: 'what it may do (default: operator)' },
    expires: { value: 'INSTANT', summary: 'when it stops working (default: never)' },
  },
  examples: {
    'mdapi admin token --name alice': 'for a colleague',
    'mdapi admin token --name "client app" --role support --json': 'for a program: the text is in `token`',
  },
  mayCreate: true,
  read: ({ options }, now) => parseOptionalInstant(options.expires, now, '--expires'),
  async work({ options, values: expiresAt, store, context, paint }) {
    const { name, role = 'operator' } = options;
    const text = generateToken('operator', context.randomness);
    const record = await store.tokens.insert({ digest: tokenDigest(text), name, role, expiresAt });
    const token = tokenView(record, context.clock.now());
    return {
      json: { ...token, token: text },
      text: pairs([['Token', text], ...factsAbout(token, paint)], paint),
      notes: ['The token is shown only once and stored nowhere. Save it now, as you would a password.'],
    };
  },
});

const list = storeCommand({
  name: 'admin tokens',
  summary: 'list the operator tokens, oldest first',
  details: ['Leaves out the token of the configuration (admin.token).'],
  examples: {
    'mdapi admin tokens': 'whose they are and when each was last used',
  },
  async work({ store, context, paint }) {
    const now = context.clock.now();
    const tokens = (await store.tokens.list()).map((token) => tokenView(token, now));
    const columns = {
      ID: 'id',
      NAME: 'name',
      ROLE: 'role',
      STATE: 'state',
      CREATED: 'createdAt',
      EXPIRES: 'expiresAt',
      'LAST USED': 'lastUsedAt',
    } as const;
    return { json: { tokens }, text: listing(tokens, columns, paint, 'No tokens.') };
  },
});

const revoke = storeCommand({
  name: 'admin revoke',
  summary: 'revoke an operator token for good',
  details: ['Its console sessions end at once. To revoke the token of the configuration, remove it there.'],
  positionals: { ID: { summary: 'the token’s id, tok_…' } },
  options: {
    yes,
  },
  examples: {
    'mdapi admin revoke tok_4fGh72Kq0ZsTn1Lw': 'asks first at a terminal',
  },
  read: ({ positionals }) => parseId(positionals.ID),
  async work({ values: id, store, context, paint, confirm }) {
    const found = await store.tokens.get(id);
    if (found !== undefined && found.revokedAt === undefined) {
      await confirm(`Revoke ${id} "${harmless(found.name)}"? This is final.`);
    }
    const token = tokenView(await store.tokens.revoke(id), context.clock.now());
    return { json: token, text: pairs(factsAbout(token, paint), paint) };
  },
});

export const commands = [create, list, revoke];

function factsAbout(token: TokenView, paint: Paint): (readonly [string, Cell])[] {
  return factsOf(token, { Id: 'id', Name: 'name', Role: 'role', State: 'state', Expires: 'expiresAt' }, paint);
}
