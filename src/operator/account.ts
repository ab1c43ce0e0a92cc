import Type, { type Static } from 'typebox';
import type { AccountRecord, KeyCounts } from '../store/accounts.ts';
import { count, id, instants, line, pair } from './fields.ts';

export const accountFields = {
  id: id('acc', 'The account’s id.'),
  email: line('Where notices about its keys go.', 'bot@example.com', 254),
  active: Type.Boolean({ description: 'Keys of an account that is not active are refused.' }),
  ...pair('createdAt', 'When it was made.'),
  keys: Type.Object(
    {
      active: count('Active keys, expired ones among them.', 2),
      disabled: count('Disabled keys.', 0),
      revoked: count('Revoked keys.', 1),
    },
    { description: 'Its keys by status.' },
  ),
};

export const AccountSchema = Type.Object(accountFields, { $id: 'Account', description: 'The holder of API keys.' });

export type AccountView = Static<typeof AccountSchema>;

export function accountView({ id, email, active, createdAt }: AccountRecord, keys: KeyCounts): AccountView {
  return { id, email, active, ...instants('createdAt', createdAt), keys };
}
