import Type, { type Static } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import type { KeyWithAccount } from '../../store/keys.ts';
import { id, instants, line, nullableCount, nullableId, nullableInstants, nullablePair, pair, words } from './parts.ts';

export const keyStatuses = ['active', 'disabled', 'revoked'] as const;

export const KeySchema = Type.Object(
  {
    id: id('key', 'The key’s id.'),
    accountId: id('acc', 'The account that holds it.'),
    accountEmail: line('The address of that account.', 'bot@example.com', 254),
    label: line('What it is for; empty when nobody said.', 'trading bot', 100),
    lastFour: line('Its last four characters, by which people tell keys apart.', 'x7Qa', 4),
    status: words(keyStatuses, 'What was decided about it. `revoked` is final.'),
    usable: Type.Boolean({
      description: 'Whether a request with it is accepted now: active, not expired, of an active account.',
    }),
    ...pair('createdAt', 'When it was made.'),
    ...nullablePair('expiresAt', 'The first instant at which it is no longer valid; null for never.'),
    limitPerMinute: nullableCount('Its own limit in requests a minute; null where the configured one holds.', 120),
    replacedBy: nullableId('key', 'The key that took over in a rotation.'),
  },
  { description: 'An API key. Neither its text nor its digest is ever part of an answer.' },
);

export function keyBody(key: KeyWithAccount, now: EpochMs): Static<typeof KeySchema> {
  const expired = key.expiresAt !== undefined && key.expiresAt <= now;
  return {
    id: key.id,
    accountId: key.accountId,
    accountEmail: key.accountEmail,
    label: key.label,
    lastFour: key.lastFour,
    status: key.status,
    usable: key.status === 'active' && key.accountActive && !expired,
    ...instants('createdAt', key.createdAt),
    ...nullableInstants('expiresAt', key.expiresAt),
    limitPerMinute: key.limitPerMinute ?? null,
    replacedBy: key.replacedBy ?? null,
  };
}
