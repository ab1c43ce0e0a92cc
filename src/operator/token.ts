import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { SourceTokenRecord, TokenRecord } from '../store/tokens.ts';
import { id, instantFields, instants, line, named, nullableInstantFields, openEnum, viewOf } from './fields.ts';
import { roles } from './role.ts';

export const TokenSchema = named('Token', 'An operator token. Its text is shown once, when it is made.', {
  id: id('tok', 'The token’s id.'),
  name: line('Whom or what it is for; the audit log names its holder by it.', 'alice', 60),
  role: openEnum(roles, 'What its holder may do; each role may also do what those before it may.'),
  state: openEnum(['active', 'expired', 'revoked'], 'Whether it still works.'),
  usable: Type.Boolean({ description: 'Whether a request with it is accepted now: `state` is `active`.' }),
  ...instantFields('createdAt', 'When it was made.'),
  ...nullableInstantFields('expiresAt', 'The first instant at which it is no longer valid; null for never.'),
  ...nullableInstantFields('revokedAt', 'When it was revoked.'),
  ...nullableInstantFields('lastUsedAt', 'When it was last used, to about a minute.'),
});

export type TokenView = Static<typeof TokenSchema>;

export function tokenState({ expiresAt, revokedAt }: TokenRecord, now: EpochMs): TokenView['state'] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

export function tokenView(token: TokenRecord, now: EpochMs): TokenView {
  const state = tokenState(token, now);
  return viewOf(TokenSchema.properties, { ...token, state, usable: state === 'active' });
}

/** The token of an engine; only the command line shows it. */
export function sourceTokenView({ id, source, createdAt, revokedAt }: SourceTokenRecord) {
  return {
    id,
    source,
    state: revokedAt === undefined ? ('active' as const) : ('revoked' as const),
    ...instants('createdAt', createdAt),
    ...instants('revokedAt', revokedAt),
  };
}
