import Type from 'typebox';
import { TokenSchema, tokenView } from '../../operator/token.ts';
import { operation } from './operation.ts';

const TokenListSchema = Type.Object(
  { tokens: Type.Array(TokenSchema, { description: 'Oldest first.' }) },
  { $id: 'TokenList', description: 'The operator tokens.' },
);

export const listTokens = operation({
  method: 'GET',
  path: '/api/tokens',
  operationId: 'listTokens',
  summary: 'Operator tokens',
  description:
    'Who may use this API. Tokens are made and revoked on the command line (`mdapi admin token`, `mdapi admin revoke`), by whoever may write to the database.',
  answer: TokenListSchema,
  async handle({ store, now }) {
    const tokens = await store.tokens.list();
    return { tokens: tokens.map((token) => tokenView(token, now)) };
  },
});
