import { accountView, countedAccount } from '../operator/account.ts';
import { type AccountRecord, assertEmail, unknownAccount } from '../store/accounts.ts';
import type { Command, CommandInput, Result } from './command.ts';
import { type Job, storeCommand, yesOption } from './store-command.ts';
import { factsOf, harmless, listing, pairs } from './style.ts';

const idPositional = { name: 'ID', summary: 'the account’s id, acc_…' };

const create = storeCommand({
  name: 'accounts create',
  summary: 'create an account, the holder of API keys',
  details: ['Creates the database if there is none yet. Notices about its keys go to the e-mail address.'],
  options: [
    { name: 'email', value: 'ADDRESS', required: true, summary: 'e-mail address of the holder, one account each' },
  ],
  examples: { 'mdapi accounts create --email bot@example.com': 'prints the account with its id for `keys create`' },
  mayCreate: true,
  read: emailFrom,
  async work(job) {
    const account = await job.store.accounts.create({ email: job.values });
    return { ...(await shown(account, job)), notes: [`Next: mdapi keys create --account ${account.id}`] };
  },
});

const list = storeCommand({
  name: 'accounts list',
  summary: 'list the accounts, oldest first',
  examples: { 'mdapi accounts list': 'id, e-mail address and state of each' },
  async work({ store, paint }) {
    const accounts = (await store.accounts.list()).map((account) => accountView(account, account.keys));
    const shown = { ID: 'id', 'E-MAIL': 'email', STATE: 'state', CREATED: 'createdAt' } as const;
    return { json: { accounts }, text: listing(accounts, shown, paint, 'No accounts.') };
  },
});

const deactivate = storeCommand({
  name: 'accounts deactivate',
  summary: 'make an account inactive: none of its keys can be used',
  details: ['The keys are kept: `accounts activate` reverses it.'],
  positionals: [idPositional],
  options: [yesOption],
  examples: { 'mdapi accounts deactivate acc_4fGh72Kq0ZsTn1Lw': 'asks first at a terminal' },
  async work(job) {
    const { id, name } = await namedAccount(job);
    await job.confirm(`Deactivate ${name}? All its keys stop working.`);
    return shown(await job.store.accounts.setActive(id, false), job);
  },
});

const activate = storeCommand({
  name: 'accounts activate',
  summary: 'make an inactive account active again',
  details: ['Its keys work again, except those that are disabled, revoked or expired.'],
  positionals: [idPositional],
  examples: { 'mdapi accounts activate acc_4fGh72Kq0ZsTn1Lw': 'no change if it is active already' },
  work: async (job) => shown(await job.store.accounts.setActive(job.input.argument('ID'), true), job),
});

const update = storeCommand({
  name: 'accounts update',
  summary: 'change the e-mail address of an account',
  positionals: [idPositional],
  options: [
    { name: 'email', value: 'ADDRESS', required: true, summary: 'where notices about its keys go from now on' },
  ],
  examples: { 'mdapi accounts update acc_4fGh72Kq0ZsTn1Lw --email new@example.com': 'its keys stay' },
  read: emailFrom,
  work: async (job) => shown(await job.store.accounts.setEmail(job.input.argument('ID'), job.values), job),
});

const erase = storeCommand({
  name: 'accounts erase',
  summary: 'erase the personal data of an account for good',
  details: [
    'Its keys are revoked and lose their labels. Its e-mail address becomes a pseudonym, also in the audit log; waiting notices are not sent. Backups keep what they hold.',
  ],
  positionals: [idPositional],
  options: [{ ...yesOption, summary: 'do not ask; required without a terminal' }],
  examples: { 'mdapi accounts erase acc_4fGh72Kq0ZsTn1Lw --yes': 'its holder asked for it' },
  async work(job) {
    const { id, name } = await namedAccount(job);
    await job.confirm(`Erase ${name} and revoke its keys? This is final.`, true);
    return shown(await job.store.accounts.erase(id), job);
  },
});

export const accountCommands: readonly Command[] = [create, list, update, deactivate, activate, erase];

/** Throws `email_invalid`. */
function emailFrom(input: CommandInput): string {
  const email = input.required('email');
  assertEmail(email);
  return email;
}

/** The account on the command line, as a question names it. Throws `account_unknown`. */
async function namedAccount({ input, store }: Pick<Job, 'input' | 'store'>) {
  const id = input.argument('ID');
  const found = await store.accounts.get(id);
  if (found === undefined) throw unknownAccount(id);
  return { id, name: `${id} (${harmless(found.email)})` };
}

async function shown(record: AccountRecord, { store, paint }: Pick<Job, 'store' | 'paint'>): Promise<Result> {
  const account = await countedAccount(store.accounts, record);
  const facts = { Account: 'id', 'E-mail': 'email', State: 'state', Created: 'createdAt' } as const;
  return { json: account, text: pairs(factsOf(account, facts, paint), paint) };
}
