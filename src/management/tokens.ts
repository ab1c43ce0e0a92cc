import Type from 'typebox';
import { generateToken, tokenDigest } from '../access/operator-token.ts';
import type { EpochMs } from '../ground/clock.ts';
import { listOf, named, referenceTo, text } from '../operator/fields.ts';
import { roles } from '../operator/role.ts';
import { TokenSchema, tokenView } from '../operator/token.ts';
import { expiresAtMs, noBody, operation, pathId, strictObject } from './operation.ts';

const TokenListSchema = named('TokenList', 'The operator tokens.', { tokens: listOf(TokenSchema, 'Oldest first.') });

const NewTokenSchema = named('NewToken', 'A new operator token with its text, which only this answer holds.', {
  token: referenceTo(TokenSchema, 'The token.'),
  text: text('What its holder sends. It cannot be read again.', 'mdo_0123456789abcdefghijABCDEFGHIJ01xxxxxx', 42, 42),
});

export const tokenOperations = {
  listTokens: operation({
    path: '/api/tokens',
    summary: 'Operator tokens',
    description: 'Who may use this API, without the token of the configuration.',
    answer: TokenListSchema,
    async handle({ store, now }) {
      const tokens = await store.tokens.list();
      return { tokens: tokens.map((token) => tokenView(token, now)) };
    },
  }),

  createToken: operation({
    path: '/api/tokens',
    summary: 'Make an operator token',
    description: 'Only this answer ever holds its text.',
    access: 'admin',
    body: strictObject('The new token.', {
      name: text('Whom or what it is for; the audit log names its holder by it.', 'alice', 60),
      role: Type.Enum([...roles], { description: 'What its holder may do.', examples: ['support'] }),
      expiresAtMs: Type.Optional(expiresAtMs),
    }),
    status: 201,
    answer: NewTokenSchema,
    problems: ['CONFLICT'],
    async handle({ body, store, now }, { randomness }) {
      const text = generateToken('operator', randomness);
      const expiresAt = body.expiresAtMs as EpochMs | undefined;
      const token = await store.tokens.insert({ ...body, digest: tokenDigest(text), expiresAt });
      return { token: tokenView(token, now), text };
    },
  }),

  revokeToken: operation({
    path: '/api/tokens/:id/revoke',
    summary: 'Revoke an operator token',
    description: 'It is refused at once, for good, and its sessions end. Repeating it changes nothing.',
    access: 'admin',
    params: pathId('tok'),
    body: noBody,
    answer: TokenSchema,
    async handle({ params, store, now }) {
      return tokenView(await store.tokens.revoke(params.id), now);
    },
  }),
};
