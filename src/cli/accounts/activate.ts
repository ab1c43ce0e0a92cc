import type { Command } from '../command.ts';
import { paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { accountJson, accountText } from './describe.ts';

export const accountsActivate: Command = {
  name: 'accounts activate',
  summary: 'make an inactive account active again',
  details: ['Its keys work again within a second, each as far as its own state and expiry allow.'],
  positionals: [{ name: 'ID', summary: 'the account, acc_…' }],
  examples: [
    { line: 'mdapi accounts activate acc_4fGh72Kq0ZsTn1Lw', note: 'changes nothing when it is active already' },
  ],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const account = await store.accounts.setActive(input.argument('ID'), true);
      return { json: accountJson(account), text: accountText(account, paintFor(context)) };
    }),
};
