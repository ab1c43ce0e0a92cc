import type { Language } from '../ground/languages.ts';
import { accountView, countedAccount } from '../operator/account.ts';
import { type AccountRecord, type AccountSettings, accountUnknown, assertEmail } from '../store/accounts.ts';
import type { Command, CommandInput, Result } from './command.ts';
import { type Job, storeCommand } from './store-command.ts';
import { factsOf, harmless, listing, pairs } from './style.ts';

const create = storeCommand('accounts create', {
  mayCreate: true,
  read: (input) => ({ ...settingsFrom(input), email: input.required('email') }),
  async work(job) {
    const account = await job.store.accounts.create(job.values);
    return { ...(await shown(account, job)), notes: [`Next: mdapi keys create --account ${account.id}`] };
  },
});

const list = storeCommand('accounts list', async ({ store, paint }) => {
  const accounts = (await store.accounts.list()).map((account) => accountView(account, account.keys));
  const shown = { ID: 'id', 'E-MAIL': 'email', STATE: 'state', CREATED: 'createdAt' } as const;
  return { json: { accounts }, text: listing(accounts, shown, paint, 'No accounts.') };
});

const deactivate = storeCommand('accounts deactivate', async (job) => {
  const { id, name } = await namedAccount(job);
  await job.confirm(`Deactivate ${name}? All its keys stop working.`);
  return shown(await job.store.accounts.setActive(id, false), job);
});

const activate = storeCommand('accounts activate', async (job) =>
  shown(await job.store.accounts.setActive(job.input.argument('ID'), true), job),
);

const update = storeCommand('accounts update', {
  read: settingsFrom,
  work: async (job) => shown(await job.store.accounts.update(job.input.argument('ID'), job.values), job),
});

const erase = storeCommand('accounts erase', async (job) => {
  const { id, name } = await namedAccount(job);
  await job.confirm(`Erase ${name} and revoke its keys? This is final.`, true);
  return shown(await job.store.accounts.erase(id), job);
});

export const accountCommands: readonly Command[] = [create, list, update, deactivate, activate, erase];

/** Throws `email_invalid`. */
function settingsFrom(input: CommandInput): AccountSettings {
  const email = input.option('email');
  if (email !== undefined) assertEmail(email);
  return { email, language: input.option('language') as Language | undefined };
}

/** The account on the command line, as a question names it. Throws `account_unknown`. */
async function namedAccount({ input, store }: Pick<Job, 'input' | 'store'>) {
  const id = input.argument('ID');
  const found = await store.accounts.get(id);
  if (found === undefined) throw accountUnknown({ id });
  return { id, name: `${id} (${harmless(found.email)})` };
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
