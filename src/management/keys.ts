import Type from 'typebox';
import { configuredLimitMax } from '../contract/limits.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { id, line, listOf, named, nullableCount, openEnum, referenceTo, whole } from '../operator/fields.ts';
import { issueKey, KeySchema, keyStatuses, keyView, readKey, rotateKey } from '../operator/key.ts';
import type { KeyStatus } from '../store/schema.ts';
import * as api from './operation.ts';

const KeyListSchema = named('KeyList', 'A page of keys.', {
  keys: listOf(KeySchema, 'Latest first.', 200),
  next: api.nextSchema,
});

const newKeyFields = {
  key: referenceTo(KeySchema, 'The new key.'),
  text: part.text(
    'The key itself, for the header `X-EXCHANGE-APIKEY`. Shown this once and never stored.',
    'mdk_0123456789abcdefghijABCDEFGHIJ01xxxxxx',
    { minLength: 42, maxLength: 42, pattern: '^mdk_[0-9A-Za-z]{38}$' },
  ),
};

const NewKeySchema = named('NewKey', 'A new key with its text.', newKeyFields);

const RotatedKeySchema = named('RotatedKey', 'A new key in place of an old one.', {
  ...newKeyFields,
  replaced: referenceTo(KeySchema, 'The old key, which expires with the overlap.'),
});

/** A change of one key. */
const changing = { access: 'support', params: api.pathId('key'), answer: KeySchema, problems: ['CONFLICT'] } as const;

function switching(described: api.Described, status: KeyStatus) {
  return api.operation({
    ...described,
    ...changing,
    body: api.noBody,
    async handle({ params, store, now }) {
      await store.keys.setStatus(params.id, status);
      return readKey(store.keys, params.id, now);
    },
  });
}

const dayMs = 86_400_000;

export const keyOperations = {
  listKeys: api.operation({
    path: '/api/keys',
    summary: 'Keys, latest first',
    description:
      'In pages. With `query` those whose label or account’s e-mail address holds the text in any case, whose last four characters it is, or the one with this id. A search among very many keys can return early: continue with `next`.',
    query: Type.Object({
      account: Type.Optional(id('acc', 'Only keys of this account.')),
      status: Type.Optional(openEnum(keyStatuses, 'Only keys of this status.')),
      query: Type.Optional(line('What to look for.', 'x7Qa', 254)),
      ...api.pageQuery,
    }),
    answer: KeyListSchema,
    async handle({ query: { account, status, query, after, limit = api.defaultLimit }, store, now }) {
      const place = api.readCursor(after, Type.Tuple([Type.Integer()]));
      const page = await store.keys.page({ accountId: account, status, query, limit, after: place?.[0] });
      return {
        keys: page.items.map((key) => keyView(key, now)),
        next: page.next === undefined ? null : api.writeCursor(page.next),
      };
    },
  }),

  createKey: api.operation({
    path: '/api/keys',
    summary: 'Make a key',
    description: 'Only this answer ever holds the key’s text. The key can be used as soon as the answer arrives.',
    access: 'support',
    body: api.strictObject('The new key.', {
      accountId: id('acc', 'The account that is to hold it.'),
      label: Type.Optional(line('What it is for.', 'trading bot', 100)),
      expiresAtMs: Type.Optional(api.expiresAtMs),
      limitPerMinute: Type.Optional(
        whole('Its own limit in requests a minute; the configured one when left out.', [1, configuredLimitMax], 120),
      ),
    }),
    status: 201,
    answer: NewKeySchema,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handle({ body: { expiresAtMs: expiresAt, ...chosen }, store }, management) {
      return issueKey(store.keys, { ...chosen, expiresAt: expiresAt as EpochMs | undefined }, management);
    },
  }),

  updateKey: api.operation({
    path: '/api/keys/:id/update',
    summary: 'Change the label, limit or expiry of a key',
    description: 'What is left out stays. It holds as soon as the answer arrives.',
    ...changing,
    body: api.strictObject('What is to change.', {
      label: Type.Optional(line('What it is for.', 'trading bot', 100)),
      expiresAtMs: Type.Optional(
        Type.Union([api.expiresAtMs, Type.Null()], { description: 'When it stops working; null for never.' }),
      ),
      limitPerMinute: Type.Optional(
        nullableCount('Its own limit in requests a minute, 1 to 1,000,000; null for the configured one.', 600),
      ),
    }),
    async handle({ params, body: { expiresAtMs: expiresAt, ...change }, store, now }) {
      await store.keys.update(params.id, { ...change, expiresAt: expiresAt as EpochMs | null | undefined });
      return readKey(store.keys, params.id, now);
    },
  }),
  enableKey: switching(
    {
      path: '/api/keys/:id/enable',
      summary: 'Enable a key',
      description: 'A disabled key can be used again at once. Repeating it changes nothing.',
    },
    'active',
  ),
  disableKey: switching(
    {
      path: '/api/keys/:id/disable',
      summary: 'Disable a key',
      description: 'It is refused at once, until it is enabled. Repeating it changes nothing.',
    },
    'disabled',
  ),
  revokeKey: switching(
    {
      path: '/api/keys/:id/revoke',
      summary: 'Revoke a key',
      description: 'It is refused at once, for good. Repeating it changes nothing.',
    },
    'revoked',
  ),
  rotateKey: api.operation({
    path: '/api/keys/:id/rotate',
    summary: 'Replace a key by a new one',
    description:
      'The new key has the account, label, limit and expiry of the old one. Both work during the overlap; with an overlap of 0, for a key that leaked, the old one ends at once.',
    ...changing,
    body: api.strictObject('How to rotate.', {
      overlapMs: Type.Optional(
        whole('How long both work, in milliseconds; a day when left out.', [0, 365 * dayMs], dayMs),
      ),
    }),
    status: 201,
    answer: RotatedKeySchema,
    handle({ params, body: { overlapMs = dayMs }, store }, management) {
      return rotateKey(store.keys, params.id, overlapMs, management);
    },
  }),
};
