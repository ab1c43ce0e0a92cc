import type { Command } from '../command.ts';
import { confirm, yesOption } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import { harmless, paintFor, pairs } from '../style.ts';
import { withStore } from '../with-store.ts';
import { tokenJson, tokenLines } from './describe.ts';

export const adminRevoke: Command = {
  name: 'admin revoke',
  summary: 'end an operator token for good',
  details: [
    'Its sessions of the console end with it, at once. A token of the configuration ends by taking it out there.',
  ],
  positionals: [{ name: 'ID', summary: 'the token’s id, tok_…' }],
  options: [yesOption],
  examples: [{ line: 'mdapi admin revoke tok_4fGh72Kq0ZsTn1Lw', note: 'asks first when run in a terminal' }],
  run(input, context) {
    const id = input.argument('ID');
    if (id.startsWith('mdo_')) {
      throw new UsageError(
        'That is a token, not its id (tok_…, see `mdapi admin tokens`). Tokens do not belong in a command line.',
      );
    }
    return withStore(input, context, async (store) => {
      const found = await store.tokens.get(id);
      if (found !== undefined && found.revokedAt === undefined)
        await confirm(`Revoke ${id} "${harmless(found.name)}"? This is final.`, input, context);
      const token = await store.tokens.revoke(id);
      const now = context.clock.now();
      const paint = paintFor(context);
      return { json: tokenJson(token, now), text: pairs(tokenLines(token, now, paint), paint) };
    });
  },
};
