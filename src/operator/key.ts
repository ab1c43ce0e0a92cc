import type { Static } from 'typebox';
import { digestOf, generateApiKey, lastFourOf } from '../access/api-key.ts';
import { Type } from '../contract/schema-builder.ts';
import type { Clock, EpochMs, Randomness } from '../ground/clock.ts';
import { type KeyWithAccount, keyUnknown, type NewKey } from '../store/key-record.ts';
import type { Keys } from '../store/keys.ts';
import * as fields from './fields.ts';

export const keyStatuses = ['active', 'disabled', 'revoked'] as const;

export const KeySchema = fields.named(
  'Key',
  'An API key. No answer but the one that makes it holds its text, and none its digest.',
  {
    id: fields.id('key', 'The key’s id.'),
    accountId: fields.id('acc', 'The account that holds it.'),
    accountEmail: fields.line('The address of that account.', 'bot@example.com', 254),
    accountActive: Type.Boolean({ description: 'Whether that account is active.' }),
    label: fields.line('What it is for; can be empty.', 'trading bot', 100),
    lastFour: fields.line('Its last four characters, by which people tell keys apart.', 'x7Qa', 4),
    status: fields.openEnum(keyStatuses, 'What an operator set. `revoked` is final.'),
    state: fields.openEnum(
      [...keyStatuses, 'expired', 'account_inactive'],
      'What it can do now: its status, or why an active key is refused. `expired` comes before `account_inactive`.',
    ),
    usable: Type.Boolean({ description: 'Whether a request with it is accepted now: `state` is `active`.' }),
    ...fields.instantFields('createdAt', 'When it was made.'),
    ...fields.nullableInstantFields('expiresAt', 'The first instant at which it is no longer valid; null for never.'),
    limitPerMinute: fields.nullableCount(
      'Its own limit in requests a minute; null where the configured one applies.',
      120,
    ),
    replacedBy: fields.nullableId('key', 'The key that replaced it in a rotation.'),
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
  return fields.viewOf(KeySchema.properties, { ...key, state, usable: state === 'active' });
}

/** The key as it is stored now. Throws `key_unknown`. */
export async function readKey(keys: Pick<Keys, 'get'>, id: string, now: EpochMs): Promise<KeyView> {
  const key = await keys.get(id);
  if (key === undefined) throw keyUnknown({ id });
  return keyView(key, now);
}

/** The text of a new key, which is stored nowhere, and what is stored of it. */
function newKey(randomness: Randomness) {
  const text = generateApiKey(randomness);
  return { text, stored: { digest: digestOf(text), lastFour: lastFourOf(text) } };
}

interface Making {
  readonly clock: Pick<Clock, 'now'>;
  readonly randomness: Randomness;
}

/** Makes a key; its text is in the answer alone. Throws as `Keys.insert` does. */
export async function issueKey(keys: Keys, chosen: Omit<NewKey, 'digest' | 'lastFour'>, { clock, randomness }: Making) {
  const { text, stored } = newKey(randomness);
  const { id } = await keys.insert({ ...chosen, ...stored });
  return { text, key: await readKey(keys, id, clock.now()) };
}

/** Makes a key in place of another, which works for `overlapMs` beside it. Throws as `Keys.rotate` does. */
export async function rotateKey(keys: Keys, id: string, overlapMs: number, { clock, randomness }: Making) {
  const { text, stored } = newKey(randomness);
  const { replacement } = await keys.rotate(id, { ...stored, overlapMs });
  const now = clock.now();
  return { text, key: await readKey(keys, replacement.id, now), replaced: await readKey(keys, id, now) };
}
