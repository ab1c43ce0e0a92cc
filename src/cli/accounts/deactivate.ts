import { unknownAccount } from '../../store/accounts.ts';
import type { Command } from '../command.ts';
import { confirm, yesOption } from '../confirm.ts';
import { harmless, paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { accountJson, accountText } from './describe.ts';

export const accountsDeactivate: Command = {
  name: 'accounts deactivate',
  summary: 'make an account inactive: none of its keys can be used',
  details: ['Running servers refuse its keys within a second. `accounts activate` takes it back; the keys are kept.'],
  positionals: [{ name: 'ID', summary: 'the account, acc_…' }],
  options: [yesOption],
  examples: [{ line: 'mdapi accounts deactivate acc_4fGh72Kq0ZsTn1Lw', note: 'asks first when run in a terminal' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const id = input.argument('ID');
      const found = await store.accounts.get(id);
      if (found === undefined) throw unknownAccount(id);
      await confirm(`Deactivate ${id} (${harmless(found.email)})? All its keys stop working.`, input, context);
      const account = await store.accounts.setActive(id, false);
      return { json: accountJson(account), text: accountText(account, paintFor(context)) };
    }),
};
