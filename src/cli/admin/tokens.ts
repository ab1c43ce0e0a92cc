import type { Command } from '../command.ts';
import { formatInstant } from '../instant.ts';
import { paintFor, table } from '../style.ts';
import { withStore } from '../with-store.ts';
import { instantOr, tokenJson, tokenState } from './describe.ts';

export const adminTokens: Command = {
  name: 'admin tokens',
  summary: 'list the operator tokens, oldest first',
  details: ['A token of the configuration (admin.token) is not among them, nor is the text of any.'],
  examples: [{ line: 'mdapi admin tokens', note: 'whose they are and when each was used last' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const tokens = await store.tokens.list();
      const now = context.clock.now();
      const paint = paintFor(context);
      const rows = tokens.map((token) => [
        token.id,
        token.name,
        tokenState(token, now, paint),
        formatInstant(token.createdAt),
        instantOr(token.expiresAt, 'never'),
        instantOr(token.lastUsedAt, 'never'),
      ]);
      return {
        json: { tokens: tokens.map((token) => tokenJson(token, now)) },
        text: table(['ID', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'], rows, paint, 'No tokens.'),
      };
    }),
};
