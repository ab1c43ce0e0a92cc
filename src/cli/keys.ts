import { configuredLimitMax as limitMax } from '../contract/limits.ts';
import { issueKey, type KeyView, keyView, readKey, rotateKey } from '../operator/key.ts';
import { accountUnknown } from '../store/accounts.ts';
import { keyUnknown } from '../store/key-record.ts';
import type { KeyStatus } from '../store/schema.ts';
import type { Command } from './command.ts';
import { failure } from './failure.ts';
import { storeCommand } from './store-command.ts';
import { type Cell, factsOf, harmless, instantCell, listing, type Paint, pairs, type Shown } from './style.ts';
import { idFrom, parseCount, parseOptionalInstant, parseSpan } from './values.ts';

const overlapMaxMs = 365 * 86_400_000;
const defaultOverlap = '24h';
export const shownOnce =
  'The key is shown only once and stored nowhere. Save it now, out of browsers and repositories.';

const create = storeCommand('keys create', {
  read: (input, now) => ({
    expiresAt: parseOptionalInstant(input.option('expires'), now, '--expires'),
    limitPerMinute: limitFrom(input.option('limit')),
  }),
  async work({ input, values, store, context, paint }) {
    const chosen = { accountId: input.required('account'), label: input.option('label'), ...values };
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
  return pairs([['Key', text], ...keyLines(key, paint)], paint);
}

function limitFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseCount(text, limitMax, '--limit');
}

const list = storeCommand('keys list', async ({ input, store, context, paint }) => {
  const [account, ending] = [input.option('account'), input.option('ending')?.replace('…', '').slice(-4)];
  const accountId = account?.includes('@')
    ? (await store.accounts.list()).find(({ email }) => email.toLowerCase() === account.toLowerCase())?.id
    : account && (await store.accounts.get(account))?.id;
  if (account !== undefined && accountId === undefined) throw accountUnknown({ id: account });
  const now = context.clock.now();
  const all = (await store.keys.list({ accountId })).map((key) => keyView(key, now));
  const keys = all.filter(({ lastFour }) => ending === undefined || lastFour === ending);
  const shown: Shown<KeyView> = {
    ID: 'id',
    KEY: ({ lastFour }) => `…${lastFour}`,
    STATE: 'state',
    EXPIRES: 'expiresAt',
    LIMIT: 'limitPerMinute',
    ACCOUNT: 'accountEmail',
    LABEL: 'label',
  };
  return { json: { keys }, text: listing(keys, shown, paint, 'No keys.') };
});

const update = storeCommand('keys update', {
  read(input, now) {
    const [label, limit, expires] = ['label', 'limit', 'expires'].map((name) => input.option(name));
    if (label === undefined && limit === undefined && expires === undefined) throw failure('nothing_to_change');
    const limitPerMinute = limit === 'default' ? null : limitFrom(limit);
    const expiresAt = expires === 'never' ? null : parseOptionalInstant(expires, now, '--expires');
    return { id: idFrom(input), change: { label, limitPerMinute, expiresAt } };
  },
  async work({ values: { id, change }, store, context, paint }) {
    await store.keys.update(id, change);
    const key = await readKey(store.keys, id, context.clock.now());
    return { json: key, text: pairs(keyLines(key, paint), paint) };
  },
});

const rotate = storeCommand('keys rotate', {
  read: (input) => ({
    id: idFrom(input),
    overlapMs: parseSpan(input.option('overlap') ?? defaultOverlap, overlapMaxMs, '--overlap'),
  }),
  async work({ values: { id, overlapMs }, store, context, paint }) {
    const { text, key, replaced } = await rotateKey(store.keys, id, overlapMs, context);
    const until = replaced.usable ? `works until ${instantCell(replaced.expiresAt)}` : 'no longer works';
    return {
      json: { ...key, key: text, replaces: replaced },
      text: pairs([['Key', text], ...keyLines(key, paint), ['Replaces', `${id}, which ${until}`]], paint),
      notes: [shownOnce],
    };
  },
});

/** @param question asked before the status changes */
function statusCommand(
  name: 'keys revoke' | 'keys disable' | 'keys enable',
  status: KeyStatus,
  question?: (key: string) => string,
): Command {
  return storeCommand(name, {
    read: idFrom,
    async work({ values: id, store, context, paint, confirm }) {
      const found = await store.keys.get(id);
      if (found === undefined) throw keyUnknown({ id });
      const label = found.label === '' ? '' : ` "${found.label}"`;
      const key = harmless(`${id}${label} (ends in ${found.lastFour}, ${found.accountEmail})`);
      if (question !== undefined && found.status !== status) await confirm(question(key));
      await store.keys.setStatus(id, status);
      const view = await readKey(store.keys, id, context.clock.now());
      return { json: view, text: pairs(keyLines(view, paint), paint) };
    },
  });
}

const revoke = statusCommand('keys revoke', 'revoked', (key) => `Revoke ${key}? This is final.`);
const disable = statusCommand('keys disable', 'disabled');
const enable = statusCommand('keys enable', 'active');

export const keyCommands: readonly Command[] = [create, list, update, revoke, disable, enable, rotate];

/** The lines that describe a key to people. */
function keyLines(key: KeyView, paint: Paint): (readonly [string, Cell])[] {
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
