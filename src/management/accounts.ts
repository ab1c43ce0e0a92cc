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
    path: '/api/accounts',
    summary: 'Accounts, latest first',
    description:
      'In pages. With `query` those whose e-mail address holds the text in any case, or the one with this id. A search among very many accounts can return early: continue with `next`.',
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
    path: '/api/accounts',
    summary: 'Make an account',
    description:
      'An account holds keys, and its e-mail address gets notices about them. The case of letters makes no difference.',
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
    path: '/api/accounts/:id',
    summary: 'One account and its keys',
    description: 'The account with its latest keys.',
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
  activateAccount: switching(
    {
      path: '/api/accounts/:id/activate',
      summary: 'Activate an account',
      description: 'Its active keys work again at once. Repeating it changes nothing.',
    },
    true,
  ),
  deactivateAccount: switching(
    {
      path: '/api/accounts/:id/deactivate',
      summary: 'Deactivate an account',
      description: 'All its keys are refused at once, until it is activated. Repeating it changes nothing.',
    },
    false,
  ),
  updateAccount: api.operation({
    path: '/api/accounts/:id/update',
    summary: 'Change the e-mail address of an account',
    description: 'Notices about its keys go there from now on.',
    ...changing,
    body: api.strictObject('What is to change.', { email: Type.Optional(email), language }),
    problems: ['EMAIL_TAKEN'],
    async handle({ params, body, store }) {
      const account = await store.accounts.update(params.id, body);
      return countedAccount(store.accounts, account);
    },
  }),

  eraseAccount: api.operation({
    path: '/api/accounts/:id/erase',
    summary: 'Erase the personal data of an account for good',
    description:
      'Final: its keys are revoked and lose their labels, its e-mail address becomes a pseudonym, also in the audit log, and notices that wait are not sent. `confirm` must repeat the id.',
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

function switching(described: api.Described, active: boolean) {
  return api.operation({
    ...described,
    ...changing,
    body: api.noBody,
    async handle({ params, store }) {
      const account = await store.accounts.setActive(params.id, active);
      return countedAccount(store.accounts, account);
    },
  });
}
