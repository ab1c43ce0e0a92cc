import Type from 'typebox';
import { operation } from './operation.ts';
import { component, id, instants, line, nullableInstants, nullablePair, pair } from './parts.ts';

export const TokenSchema = Type.Object(
  {
    id: id('tok', 'The token’s id.'),
    name: line('Whom or what it is for; what the audit log calls its holder.', 'alice', 60),
    ...pair('createdAt', 'When it was made.'),
    ...nullablePair('expiresAt', 'The first instant at which it is no longer valid; null for never.'),
    ...nullablePair('revokedAt', 'When it was revoked.'),
    ...nullablePair('lastUsedAt', 'When it was used last, to about a minute.'),
  },
  { description: 'An operator token. Its text is shown when it is made, and never again.' },
);

export const TokenListSchema = Type.Object(
  { tokens: Type.Array(component<typeof TokenSchema>('Token'), { description: 'Oldest first.' }) },
  { description: 'The operator tokens.' },
);

export const listTokens = operation({
  method: 'GET',
  path: '/api/tokens',
  operationId: 'listTokens',
  tag: 'Audit',
  summary: 'Operator tokens',
  description:
    'Who may use this API. Tokens are made and revoked on the command line (`mdapi admin token`, `mdapi admin revoke`), by whoever may write to the database.',
  answer: { status: 200, description: 'The tokens.', schema: component<typeof TokenListSchema>('TokenList') },
  async handle({ store }) {
    const tokens = await store.tokens.list();
    return {
      tokens: tokens.map(({ id, name, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
        id,
        name,
        ...instants('createdAt', createdAt),
        ...nullableInstants('expiresAt', expiresAt),
        ...nullableInstants('revokedAt', revokedAt),
        ...nullableInstants('lastUsedAt', lastUsedAt),
      })),
    };
  },
});
