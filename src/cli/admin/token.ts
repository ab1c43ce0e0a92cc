import { generateOperatorToken, tokenDigest } from '../../access/operator-token.ts';
import type { Command } from '../command.ts';
import { instantForms, parseInstant } from '../instant.ts';
import { paintFor, pairs } from '../style.ts';
import { withStore } from '../with-store.ts';
import { tokenJson, tokenLines } from './describe.ts';

export const adminToken: Command = {
  name: 'admin token',
  summary: 'make a token for the management API and the console',
  details: [
    'Whoever has it can make keys, pause markets and announce maintenance. It is printed this once: only its SHA-256 is stored.',
    'The console asks for it; programs send it as `Authorization: Bearer …`. The audit log calls its holder by the name.',
  ],
  options: [
    { name: 'name', value: 'NAME', summary: 'whom or what it is for, up to 60 characters (default: its id)' },
    { name: 'expires', value: 'INSTANT', summary: `when it stops working: ${instantForms} (default: never)` },
  ],
  examples: [
    { line: 'mdapi admin token --name alice', note: 'one for a colleague' },
    { line: 'mdapi admin token --name "client app" --json', note: 'for a program: the token’s text is `token`' },
  ],
  async run(input, context) {
    const now = context.clock.now();
    const expires = input.option('expires');
    const expiresAt = expires === undefined ? undefined : parseInstant(expires, now, '--expires');
    return withStore(
      input,
      context,
      async (store) => {
        const text = generateOperatorToken(context.randomness);
        const token = await store.tokens.insert({ digest: tokenDigest(text), name: input.option('name'), expiresAt });
        const paint = paintFor(context);
        return {
          json: { ...tokenJson(token, now), token: text },
          text: pairs([['Token', text], ...tokenLines(token, now, paint)], paint),
          notes: ['The token is shown this once and stored nowhere. Keep it now, as you keep a password.'],
        };
      },
      true,
    );
  },
};
