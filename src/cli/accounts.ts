import { languages } from '../ground/languages.ts';
import { accountView, countedAccount } from '../operator/account.ts';
import { type AccountRecord, type AccountSettings, accountUnknown, assertEmail } from '../store/accounts.ts';
import type { Result } from './command.ts';
import { type Job, neededYes, storeCommand, yes } from './store-command.ts';
import { factsOf, harmless, listing, pairs } from './style.ts';

const create = storeCommand({
  name: 'accounts create',
  summary: 'create an account, the holder of API keys',
  details: ['Creates the database if there is none yet. Notices about its keys go to the e-mail address.'],
  options: {
    email: { value: 'ADDRESS', required: true, summary: 'e-mail address of the holder, one account each' },
    language: {
      value: 'LANGUAGE',
      values: languages,
      summary: 'language of notices about its keys (default: `notices.language`)',
    },
  },
  examples: {
    'mdapi accounts create --email bot@example.com': 'prints the account with its id for `keys create`',
  },
  mayCreate: true,
  read: ({ options }) => ({ ...settingsFrom(options), email: options.email }),
  async work(job) {
    const account = await job.store.accounts.create(job.values);
    return { ...(await shown(account, job)), notes: [`Next: mdapi keys create --account ${account.id}`] };
  },
});

const list = storeCommand({
  name: 'accounts list',
  summary: 'list the accounts, oldest first',
  examples: {
    'mdapi accounts list': 'id, e-mail address and state of each',
  },
  async work({ store, paint }) {
    const accounts = (await store.accounts.list()).map((account) => accountView(account, account.keys));
    const columns = { ID: 'id', 'E-MAIL': 'email', STATE: 'state', CREATED: 'createdAt' } as const;
    return { json: { accounts }, text: listing(accounts, columns, paint, 'No accounts.') };
  },
});

const update = storeCommand({
  name: 'accounts update',
  summary: 'change an account’s e-mail address or language',
  positionals: { ID: { summary: 'the account’s id, acc_…' } },
  options: {
    email: { value: 'ADDRESS', summary: 'where notices about its keys go from now on' },
    language: { value: 'LANGUAGE', values: languages, summary: 'language of notices about its keys from now on' },
  },
  examples: {
    'mdapi accounts update acc_4fGh72Kq0ZsTn1Lw --email new@example.com': 'its keys stay',
  },
  read: ({ options }) => settingsFrom(options),
  work: async (job) => shown(await job.store.accounts.update(job.positionals.ID, job.values), job),
});

const deactivate = storeCommand({
  name: 'accounts deactivate',
  summary: 'make an account inactive: none of its keys can be used',
  details: ['The keys are kept: `accounts activate` reverses it.'],
  positionals: { ID: { summary: 'the account’s id, acc_…' } },
  options: {
    yes,
  },
  examples: {
    'mdapi accounts deactivate acc_4fGh72Kq0ZsTn1Lw': 'asks first at a terminal',
  },
  async work(job) {
    const { ID: id } = job.positionals;
    await job.confirm(`Deactivate ${await nameOf(id, job)}? All its keys stop working.`);
    return shown(await job.store.accounts.setActive(id, false), job);
  },
});

const activate = storeCommand({
  name: 'accounts activate',
  summary: 'make an inactive account active again',
  details: ['Its keys work again, except those that are disabled, revoked or expired.'],
  positionals: { ID: { summary: 'the account’s id, acc_…' } },
  examples: {
    'mdapi accounts activate acc_4fGh72Kq0ZsTn1Lw': 'no change if it is active already',
  },
  work: async (job) => shown(await job.store.accounts.setActive(job.positionals.ID, true), job),
});

const erase = storeCommand({
  name: 'accounts erase',
  summary: 'erase the personal data of an account for good',
  details: [
    'Its keys are revoked and lose their labels. Its e-mail address becomes a pseudonym, also in the audit log; waiting notices are not sent. Backups keep what they hold.',
  ],
  positionals: { ID: { summary: 'the account’s id, acc_…' } },
  options: {
    yes: neededYes,
  },
  examples: {
    'mdapi accounts erase acc_4fGh72Kq0ZsTn1Lw --yes': 'its holder asked for it',
  },
  async work(job) {
    const { ID: id } = job.positionals;
    await job.confirm(`Erase ${await nameOf(id, job)} and revoke its keys? This is final.`, true);
    return shown(await job.store.accounts.erase(id), job);
  },
});

export const commands = [create, list, update, deactivate, activate, erase];

/** Throws `email_invalid`. */
function settingsFrom({ email, language }: AccountSettings): AccountSettings {
  if (email !== undefined) assertEmail(email);
  return { email, language };
}

/** An account as a question names it. Throws `account_unknown`. */
async function nameOf(id: string, { store }: Pick<Job, 'store'>): Promise<string> {
  const found = await store.accounts.get(id);
  if (found === undefined) throw accountUnknown({ id });
  return `${id} (${harmless(found.email)})`;
}

async function shown(record: AccountRecord, { store, paint }: Pick<Job, 'store' | 'paint'>): Promise<Result> {
  const account = await countedAccount(store.accounts, record);
  const facts = {
    Account: 'id',
    'E-mail': 'email',
    Language: 'language',
    State: 'state',
    Created: 'createdAt',
  } as const;
  return { json: account, text: pairs(factsOf(account, facts, paint), paint) };
}
