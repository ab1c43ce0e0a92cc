import type { Command } from '../command.ts';
import { paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { accountJson, accountText } from './describe.ts';

export const accountsCreate: Command = {
  name: 'accounts create',
  summary: 'make an account, the holder of API keys',
  details: ['The database is made when there is none yet. The e-mail address is where notices about its keys go.'],
  options: [
    { name: 'email', value: 'ADDRESS', required: true, summary: 'e-mail address of the holder, one account each' },
  ],
  examples: [
    {
      line: 'mdapi accounts create --email bot@example.com',
      note: 'prints the account with its id, which `keys create` takes',
    },
  ],
  run: (input, context) =>
    withStore(
      input,
      context,
      async (store) => {
        const account = await store.accounts.create({ email: input.required('email') });
        return {
          json: accountJson(account),
          text: accountText(account, paintFor(context)),
          notes: [`Next: mdapi keys create --account ${account.id}`],
        };
      },
      true,
    ),
};
