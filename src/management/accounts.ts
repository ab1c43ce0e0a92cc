import Type from 'typebox';
import { AccountSchema, accountFields, accountView, countedAccount } from '../operator/account.ts';
import { line, listOf, named, text } from '../operator/fields.ts';
import { KeySchema, keyView } from '../operator/key.ts';
import { unknownAccount } from '../store/accounts.ts';
import {
  assertConfirmed,
  confirmation,
  defaultLimit,
  nextSchema,
  noBody,
  operation,
  pageQuery,
  pathId,
  readCursor,
  strictObject,
  timeAndId,
  writeCursor,
} from './operation.ts';

const AccountListSchema = named('AccountList', 'A page of accounts.', {
  accounts: listOf(AccountSchema, 'Latest first.', 200),
  next: nextSchema,
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

export const accountOperations = {
  listAccounts: operation({
    path: '/api/accounts',
    summary: 'Accounts, latest first',
    description:
      'In pages. With `query` those whose e-mail address holds the text in any case, or the one with this id. A search among very many accounts can return early: continue with `next`.',
    query: Type.Object({ query: Type.Optional(line('What to look for.', '@example.com', 254)), ...pageQuery }),
    answer: AccountListSchema,
    async handle({ query: { query, after, limit = defaultLimit }, store }) {
      const place = readCursor(after, timeAndId);
      const page = await store.accounts.page({
        query,
        limit,
        after: place && { atMs: place[0], id: place[1] },
      });
      return {
        accounts: page.items.map(({ keys, ...account }) => accountView(account, keys)),
        next: page.next === undefined ? null : writeCursor(page.next.atMs, page.next.id),
      };
    },
  }),

  createAccount: operation({
    path: '/api/accounts',
    access: 'support',
    summary: 'Make an account',
    description:
      'An account holds keys, and its e-mail address gets notices about them. The case of letters makes no difference.',
    body: strictObject('The new account.', { email }),
    status: 201,
    answer: AccountSchema,
    problems: ['EMAIL_TAKEN'],
    async handle({ body, store }) {
      const account = await store.accounts.create({ email: body.email });
      return accountView(account, { active: 0, disabled: 0, revoked: 0 });
    },
  }),

  readAccount: operation({
    path: '/api/accounts/:id',
    summary: 'One account and its keys',
    description: 'The account with its latest keys.',
    params: pathId('acc'),
    answer: AccountDetailSchema,
    async handle({ params, store, now }) {
      const account = await store.accounts.get(params.id);
      if (account === undefined) throw unknownAccount(params.id);
      const { items: keys } = await store.keys.page({ accountId: account.id, limit: keysShownMax });
      const view = await countedAccount(store.accounts, account);
      return { ...view, keysList: keys.map((key) => keyView(key, now)) };
    },
  }),
  activateAccount: switching('activate', true, 'Its active keys work again at once.'),
  deactivateAccount: switching('deactivate', false, 'All its keys are refused at once, until it is activated.'),
  updateAccount: operation({
    path: '/api/accounts/:id/update',
    access: 'support',
    summary: 'Change the e-mail address of an account',
    description: 'Notices about its keys go there from now on.',
    params: pathId('acc'),
    body: strictObject('What is to change.', { email }),
    answer: AccountSchema,
    problems: ['EMAIL_TAKEN'],
    async handle({ params, body, store }) {
      const account = await store.accounts.setEmail(params.id, body.email);
      return countedAccount(store.accounts, account);
    },
  }),

  eraseAccount: operation({
    path: '/api/accounts/:id/erase',
    access: 'operator',
    summary: 'Erase the personal data of an account for good',
    description:
      'Final: its keys are revoked and lose their labels, its e-mail address becomes a pseudonym, also in the audit log, and notices that wait are not sent. `confirm` must repeat the id.',
    params: pathId('acc'),
    body: confirmation('id', 'acc_4fGh72Kq0ZsTn1Lw'),
    answer: AccountSchema,
    problems: ['CONFLICT'],
    async handle({ params, body, store }) {
      assertConfirmed(body.confirm, params.id, 'Erasing');
      const account = await store.accounts.erase(params.id);
      return countedAccount(store.accounts, account);
    },
  }),
};

function switching(verb: 'activate' | 'deactivate', active: boolean, effect: string) {
  return operation({
    path: `/api/accounts/:id/${verb}`,
    access: 'support',
    summary: active ? 'Activate an account' : 'Deactivate an account',
    description: `${effect} Repeating it changes nothing.`,
    params: pathId('acc'),
    body: noBody,
    answer: AccountSchema,
    async handle({ params, store }) {
      const account = await store.accounts.setActive(params.id, active);
      return countedAccount(store.accounts, account);
    },
  });
}
