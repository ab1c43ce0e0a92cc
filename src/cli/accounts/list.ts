import type { Command } from '../command.ts';
import { formatInstant } from '../instant.ts';
import { paintFor, table } from '../style.ts';
import { withStore } from '../with-store.ts';
import { accountJson, stateCell } from './describe.ts';

export const accountsList: Command = {
  name: 'accounts list',
  summary: 'list the accounts, oldest first',
  examples: [{ line: 'mdapi accounts list', note: 'id, e-mail address and state of each' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const accounts = await store.accounts.list();
      const paint = paintFor(context);
      const rows = accounts.map((account) => [
        account.id,
        account.email,
        stateCell(account, paint),
        formatInstant(account.createdAt),
      ]);
      return {
        json: { accounts: accounts.map(accountJson) },
        text: table(['ID', 'E-MAIL', 'STATE', 'CREATED'], rows, paint, 'No accounts.'),
      };
    }),
};
