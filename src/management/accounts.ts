import Type from 'typebox';
import { languages } from '../ground/languages.ts';
import { AccountSchema, accountFields, accountView, countedAccount } from '../operator/account.ts';
import { line, listOf, named, openEnum, text } from '../operator/fields.ts';
import { KeySchema, keyView } from '../operator/key.ts';
import { accountUnknown } from '../store/accounts.ts';
import * as api from './operation.ts';

const AccountListSchema = named('AccountList', 'A page of accounts.', {
  accounts: listOf(AccountSchema, 'Latest first.', 200),
  next: api.nextSchema,
});

const keysShownMax = 1_000;

const AccountDetailSchema = named('AccountDetail', 'An account and its keys.', {
  ...accountFields,
  keysList: listOf(
    KeySchema,
    'Its latest keys, latest first, at most 1,000; GET /api/keys?account=… has them all.',
    keysShownMax,
  ),
});

const email = text('The address.', 'bot@example.com', 254, 3);
const language = Type.Optional(openEnum(languages, 'Of notices to the holder; `notices.language` where none is said.'));

/** A change of one account. */
const changing = { access: 'support', params: api.pathId('acc'), answer: AccountSchema } as const;

export const accountOperations = {
  listAccounts: api.operation({
    query: Type.Object({ query: Type.Optional(line('What to look for.', '@example.com', 254)), ...api.pageQuery }),
    answer: AccountListSchema,
    async handle({ query: { query, after, limit = api.defaultLimit }, store }) {
      const page = await store.accounts.page({ query, limit, after: api.readPlace(after) });
      return {
        accounts: page.items.map(({ keys, ...account }) => accountView(account, keys)),
        next: page.next === undefined ? null : api.writeCursor(page.next.atMs, page.next.id),
      };
    },
  }),

  createAccount: api.operation({
    access: 'support',
    body: api.strictObject('The new account.', { email, language }),
    status: 201,
    answer: AccountSchema,
    problems: ['EMAIL_TAKEN'],
    async handle({ body, store }) {
      const account = await store.accounts.create(body);
      return accountView(account, { active: 0, disabled: 0, revoked: 0 });
    },
  }),

  readAccount: api.operation({
    params: api.pathId('acc'),
    answer: AccountDetailSchema,
    async handle({ params, store, now }) {
      const account = await store.accounts.get(params.id);
      if (account === undefined) throw accountUnknown({ id: params.id });
      const { items: keys } = await store.keys.page({ accountId: account.id, limit: keysShownMax });
      const view = await countedAccount(store.accounts, account);
      return { ...view, keysList: keys.map((key) => keyView(key, now)) };
    },
  }),
  activateAccount: switching(true),
  deactivateAccount: switching(false),
  updateAccount: api.operation({
    ...changing,
    body: api.strictObject('What is to change.', { email: Type.Optional(email), language }),
    problems: ['EMAIL_TAKEN'],
    async handle({ params, body, store }) {
      const account = await store.accounts.update(params.id, body);
      return countedAccount(store.accounts, account);
    },
  }),

  eraseAccount: api.operation({
    ...changing,
    access: 'operator',
    body: api.confirmation('id', 'acc_4fGh72Kq0ZsTn1Lw'),
    problems: ['CONFLICT'],
    async handle({ params, body, store }) {
      api.assertConfirmed(body.confirm, params.id, 'Erasing');
      const account = await store.accounts.erase(params.id);
      return countedAccount(store.accounts, account);
    },
  }),
};

function switching(active: boolean) {
  return api.operation({
    ...changing,
    body: api.noBody,
    async handle({ params, store }) {
      const account = await store.accounts.setActive(params.id, active);
      return countedAccount(store.accounts, account);
    },
  });
}
