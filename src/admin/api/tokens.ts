import Type from 'typebox';
import { component } from '../../operator/fields.ts';
import { type TokenSchema, tokenView } from '../../operator/token.ts';
import { operation } from './operation.ts';

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
  async handle({ store, now }) {
    const tokens = await store.tokens.list();
    return { tokens: tokens.map((token) => tokenView(token, now)) };
  },
});
