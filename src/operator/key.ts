import Type, { type Static } from 'typebox';
import type { EpochMs } from '../clock.ts';
import { unknownKey } from '../store/key-record.ts';
import type { Keys, KeyWithAccount } from '../store/keys.ts';
import {
  id,
  instantFields,
  line,
  named,
  nullableCount,
  nullableId,
  nullableInstantFields,
  openEnum,
  viewOf,
} from './fields.ts';

export const keyStatuses = ['active', 'disabled', 'revoked'] as const;

export const KeySchema = named(
  'Key',
  'An API key. No answer but the one that makes it holds its text, and none its digest.',
  {
    id: id('key', 'The key’s id.'),
    accountId: id('acc', 'The account that holds it.'),
    accountEmail: line('The address of that account.', 'bot@example.com', 254),
    accountActive: Type.Boolean({ description: 'Whether that account is active.' }),
    label: line('What it is for; can be empty.', 'trading bot', 100),
    lastFour: line('Its last four characters, by which people tell keys apart.', 'x7Qa', 4),
    status: openEnum(keyStatuses, 'What an operator set. `revoked` is final.'),
    state: openEnum(
      [...keyStatuses, 'expired', 'account_inactive'],
      'What it can do now: its status, or why an active key is refused. `expired` comes before `account_inactive`.',
    ),
    usable: Type.Boolean({ description: 'Whether a request with it is accepted now: `state` is `active`.' }),
    ...instantFields('createdAt', 'When it was made.'),
    ...nullableInstantFields('expiresAt', 'The first instant at which it is no longer valid; null for never.'),
    limitPerMinute: nullableCount('Its own limit in requests a minute; null where the configured one applies.', 120),
    replacedBy: nullableId('key', 'The key that replaced it in a rotation.'),
  },
);

export type KeyView = Static<typeof KeySchema>;

function keyState({ status, expiresAt, accountActive }: KeyWithAccount, now: EpochMs): KeyView['state'] {
  if (status !== 'active') return status;
  if (expiresAt !== undefined && expiresAt <= now) return 'expired';
  return accountActive ? 'active' : 'account_inactive';
}

export function keyView(key: KeyWithAccount, now: EpochMs): KeyView {
  const state = keyState(key, now);
  return viewOf(KeySchema.properties, { ...key, state, usable: state === 'active' });
}

/** The key as it is stored now. Throws `key_unknown`. */
export async function readKey(keys: Pick<Keys, 'get'>, id: string, now: EpochMs): Promise<KeyView> {
  const key = await keys.get(id);
  if (key === undefined) throw unknownKey(id);
  return keyView(key, now);
}
