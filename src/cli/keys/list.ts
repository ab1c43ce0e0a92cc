import { unknownAccount } from '../../store/accounts.ts';
import type { Command } from '../command.ts';
import { formatInstant } from '../instant.ts';
import { paintFor, table } from '../style.ts';
import { withStore } from '../with-store.ts';
import { keyState, keyStateCell, keyWithAccountJson } from './describe.ts';

export const keysList: Command = {
  name: 'keys list',
  summary: 'list the API keys, oldest first',
  details: [
    'A key’s text cannot be listed: it is stored nowhere. People tell keys apart by their last four characters.',
  ],
  options: [{ name: 'account', value: 'ID', summary: 'only the keys of this account' }],
  examples: [
    { line: 'mdapi keys list', note: 'every key and what state it is in' },
    { line: 'mdapi keys list --account acc_4fGh72Kq0ZsTn1Lw', note: 'those of one account' },
  ],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const accountId = input.option('account');
      if (accountId !== undefined && (await store.accounts.get(accountId)) === undefined)
        throw unknownAccount(accountId);
      const keys = await store.keys.list({ accountId });
      const now = context.clock.now();
      const paint = paintFor(context);
      const rows = keys.map((key) => [
        key.id,
        `…${key.lastFour}`,
        keyStateCell(keyState(key, key.accountActive, now), paint),
        key.expiresAt === undefined ? 'never' : formatInstant(key.expiresAt),
        key.limitPerMinute === undefined ? '-' : String(key.limitPerMinute),
        key.accountEmail,
        key.label,
      ]);
      const headings = ['ID', 'KEY', 'STATE', 'EXPIRES', 'LIMIT', 'ACCOUNT', 'LABEL'];
      return {
        json: { keys: keys.map((key) => keyWithAccountJson(key, now)) },
        text: table(headings, rows, paint, 'No keys.'),
      };
    }),
};
