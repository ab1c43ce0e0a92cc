import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import { languages } from '../ground/languages.ts';
import type { AccountRecord, Accounts, KeyCounts } from '../store/accounts.ts';
import { count, id, instantFields, line, named, nullable, object, openEnum, viewOf } from './fields.ts';

export const accountFields = {
  id: id('acc', 'The account’s id.'),
  email: line('Where notices about its keys go.', 'bot@example.com', 254),
  language: nullable(openEnum(languages, 'A language.'), 'Of notices to its holder; null: that of `notices.language`.'),
  state: openEnum(['active', 'inactive'], 'All keys of an inactive account are refused.'),
  active: Type.Boolean({ description: 'Whether `state` is `active`.' }),
  ...instantFields('createdAt', 'When it was made.'),
  keys: object('Its keys by status.', {
    active: count('Active keys, expired ones among them.', 2),
    disabled: count('Disabled keys.', 0),
    revoked: count('Revoked keys.', 1),
  }),
};

export const AccountSchema = named('Account', 'The holder of API keys.', accountFields);

export type AccountView = Static<typeof AccountSchema>;

export function accountView(account: AccountRecord, keys: KeyCounts): AccountView {
  return viewOf(accountFields, { ...account, state: account.active ? 'active' : 'inactive', keys });
}

/** The same with its keys as they are counted now. */
export async function countedAccount(
  accounts: Pick<Accounts, 'countKeys'>,
  record: AccountRecord,
): Promise<AccountView> {
  return accountView(record, await accounts.countKeys(record.id));
}
