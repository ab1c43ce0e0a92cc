import { configuredLimitMax as limitMax } from '../contract/limits.ts';
import { issueKey, type KeyView, keyView, readKey, rotateKey } from '../operator/key.ts';
import { accountUnknown } from '../store/accounts.ts';
import { keyUnknown } from '../store/key-record.ts';
import type { KeyStatus } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Result } from './command.ts';
import { UsageError } from './failure.ts';
import { type Job, storeCommand, yes } from './store-command.ts';
import { type Cell, factsOf, harmless, instantCell, listing, type Paint, pairs, type Shown } from './style.ts';
import { parseCount, parseId, parseOptionalInstant, parseSpan } from './values.ts';

const overlapMaxMs = 365 * 86_400_000;
const defaultOverlap = '24h';
export const shownOnce =
  'The key is shown only once and stored nowhere. Save it now, out of browsers and repositories.';

const create = storeCommand({
  name: 'keys create',
  summary: 'create an API key for an account',
  details: ['Clients send it in the header X-EXCHANGE-APIKEY.'],
  options: {
    account: { value: 'ID', required: true, summary: 'the account that holds the key, acc_…' },
    label: { value: 'TEXT', summary: 'what the key is for, up to 100 characters' },
    expires: { value: 'INSTANT', summary: 'when it stops working (default: never)' },
    limit: { value: 'REQUESTS', summary: 'requests a minute, 1 to 1000000 (default: limits.key of the configuration)' },
  },
  examples: {
    'mdapi keys create --account acc_4fGh72Kq0ZsTn1Lw --label "trading bot"': 'never expires',
    'mdapi keys create --account acc_4fGh72Kq0ZsTn1Lw --expires +90d --json': 'the text is in `key`',
  },
  read: ({ options }, now) => ({
    expiresAt: parseOptionalInstant(options.expires, now, '--expires'),
    limitPerMinute: limitFrom(options.limit),
  }),
  async work({ options, values, store, context, paint }) {
    const chosen = { accountId: options.account, label: options.label, ...values };
    const { text, key } = await issueKey(store.keys, chosen, context);
    const inactive = `The account ${key.accountId} is inactive: activate it before the key can be used.`;
    return {
      json: { ...key, key: text },
      text: keyText(text, key, paint),
      notes: key.accountActive ? [shownOnce] : [shownOnce, inactive],
    };
  },
});

/** A new key for people. */
export function keyText(text: string, key: KeyView, paint: Paint): string {
  return pairs([['Key', text], ...factsAbout(key, paint)], paint);
}

function limitFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseCount(text, limitMax, '--limit');
}

const list = storeCommand({
  name: 'keys list',
  summary: 'list the API keys, oldest first',
  details: ['Keys are told apart by their last four characters.'],
  options: {
    account: { value: 'ACCOUNT', summary: 'only the keys of this account: its id or its e-mail address' },
    ending: { value: 'TEXT', summary: 'only keys that end in these four characters, capitals as they are' },
  },
  examples: {
    'mdapi keys list --account bot@example.com': 'the keys of one account',
    'mdapi keys list --ending x7Qa': 'the key that somebody names by its ending',
  },
  async work({ options, store, context, paint }) {
    const accountId = options.account === undefined ? undefined : await accountIdOf(options.account, store);
    const ending = options.ending?.replace('…', '').slice(-4);
    const now = context.clock.now();
    const all = (await store.keys.list({ accountId })).map((key) => keyView(key, now));
    const keys = all.filter(({ lastFour }) => ending === undefined || lastFour === ending);
    const columns: Shown<KeyView> = {
      ID: 'id',
      KEY: ({ lastFour }) => `…${lastFour}`,
      STATE: 'state',
      EXPIRES: 'expiresAt',
      LIMIT: 'limitPerMinute',
      ACCOUNT: 'accountEmail',
      LABEL: 'label',
    };
    return { json: { keys }, text: listing(keys, columns, paint, 'No keys.') };
  },
});

/** The id of an account given by its id or its e-mail address. Throws `account_unknown`. */
async function accountIdOf(text: string, { accounts }: Store): Promise<string> {
  const found = text.includes('@')
    ? (await accounts.list()).find(({ email }) => email.toLowerCase() === text.toLowerCase())
    : await accounts.get(text);
  if (found === undefined) throw accountUnknown({ id: text });
  return found.id;
}

const update = storeCommand({
  name: 'keys update',
  summary: 'change the label, the limit or the expiry of an API key',
  positionals: { ID: { summary: 'the key’s id, key_…' } },
  options: {
    label: { value: 'TEXT', summary: 'what the key is for, up to 100 characters; empty for none' },
    limit: { value: 'REQUESTS', summary: 'requests a minute, 1 to 1000000, or `default`' },
    expires: { value: 'INSTANT', summary: 'when it stops working, or `never`' },
  },
  examples: {
    'mdapi keys update key_Vb8xT0pLq3WnR5Ys --limit 600': 'label and expiry stay',
    'mdapi keys update key_Vb8xT0pLq3WnR5Ys --limit default --expires never': 'back to the defaults',
  },
  read({ positionals, options: { label, limit, expires } }, now) {
    if (label === undefined && limit === undefined && expires === undefined) {
      throw new UsageError('Give what is to change: --label, --limit or --expires.');
    }
    const limitPerMinute = limit === 'default' ? null : limitFrom(limit);
    const expiresAt = expires === 'never' ? null : parseOptionalInstant(expires, now, '--expires');
    return { id: parseId(positionals.ID), change: { label, limitPerMinute, expiresAt } };
  },
  async work({ values: { id, change }, store, context, paint }) {
    await store.keys.update(id, change);
    const key = await readKey(store.keys, id, context.clock.now());
    return { json: key, text: pairs(factsAbout(key, paint), paint) };
  },
});

const revoke = storeCommand({
  name: 'keys revoke',
  summary: 'revoke an API key for good',
  positionals: { ID: { summary: 'the key’s id, key_…' } },
  options: {
    yes,
  },
  examples: {
    'mdapi keys revoke key_Vb8xT0pLq3WnR5Ys': 'asks first at a terminal',
  },
  read: ({ positionals }) => parseId(positionals.ID),
  async work(job) {
    const { values: id, store } = job;
    const found = await store.keys.get(id);
    if (found === undefined) throw keyUnknown({ id });
    const label = found.label === '' ? '' : ` "${found.label}"`;
    const key = harmless(`${id}${label} (ends in ${found.lastFour}, ${found.accountEmail})`);
    if (found.status !== 'revoked') await job.confirm(`Revoke ${key}? This is final.`);
    return changed(job, 'revoked');
  },
});

const disable = storeCommand({
  name: 'keys disable',
  summary: 'disable an API key until it is enabled again',
  positionals: { ID: { summary: 'the key’s id, key_…' } },
  examples: {
    'mdapi keys disable key_Vb8xT0pLq3WnR5Ys': 'no change if it is disabled already',
  },
  read: ({ positionals }) => parseId(positionals.ID),
  work: (job) => changed(job, 'disabled'),
});

const enable = storeCommand({
  name: 'keys enable',
  summary: 'enable a disabled API key',
  details: ['A revoked key stays revoked, an expired one expired.'],
  positionals: { ID: { summary: 'the key’s id, key_…' } },
  examples: {
    'mdapi keys enable key_Vb8xT0pLq3WnR5Ys': 'no change if it is enabled already',
  },
  read: ({ positionals }) => parseId(positionals.ID),
  work: (job) => changed(job, 'active'),
});

type KeyJob = Pick<Job<string>, 'values' | 'store' | 'context' | 'paint'>;

/** Sets the status of the key that a job names. Throws `key_unknown`. */
async function changed({ values: id, store, context, paint }: KeyJob, status: KeyStatus): Promise<Result> {
  await store.keys.setStatus(id, status);
  const key = await readKey(store.keys, id, context.clock.now());
  return { json: key, text: pairs(factsAbout(key, paint), paint) };
}

const rotate = storeCommand({
  name: 'keys rotate',
  summary: 'replace an API key by a new one; both work for a while',
  details: [
    'The new key has the account, label, limit and expiry of the old one.',
    'With --json the object is the new key; the old one is in `replaces`.',
  ],
  positionals: { ID: { summary: 'the key’s id, key_…' } },
  options: {
    overlap: { value: 'SPAN', summary: 'how long both work, such as 30m or 7d (default: 24h)' },
  },
  examples: {
    'mdapi keys rotate key_Vb8xT0pLq3WnR5Ys': 'the old key works for another day',
    'mdapi keys rotate key_Vb8xT0pLq3WnR5Ys --overlap 0s': 'the old key leaked: it stops at once',
  },
  read: ({ positionals, options }) => ({
    id: parseId(positionals.ID),
    overlapMs: parseSpan(options.overlap ?? defaultOverlap, overlapMaxMs, '--overlap'),
  }),
  async work({ values: { id, overlapMs }, store, context, paint }) {
    const { text, key, replaced } = await rotateKey(store.keys, id, overlapMs, context);
    const until = replaced.usable ? `works until ${instantCell(replaced.expiresAt)}` : 'no longer works';
    return {
      json: { ...key, key: text, replaces: replaced },
      text: pairs([['Key', text], ...factsAbout(key, paint), ['Replaces', `${id}, which ${until}`]], paint),
      notes: [shownOnce],
    };
  },
});

export const commands = [create, list, update, revoke, disable, enable, rotate];

/** Facts of a key for people. */
function factsAbout(key: KeyView, paint: Paint): (readonly [string, Cell])[] {
  const facts: Shown<KeyView> = {
    Id: 'id',
    'Ends in': 'lastFour',
    Account: 'accountId',
    ...(key.label === '' ? {} : { Label: 'label' }),
    State: 'state',
    Expires: 'expiresAt',
    Limit: ({ limitPerMinute: limit }) => (limit === null ? 'the configured one' : `${limit} requests a minute`),
    ...(key.replacedBy === null ? {} : { 'Replaced by': 'replacedBy' }),
  };
  return factsOf(key, facts, paint);
}
