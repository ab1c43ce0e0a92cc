import type { Selectable } from 'kysely';
import type { Clock, EpochMs, Randomness } from '../clock.ts';
import type { Journal } from './audit.ts';
import { newId } from './ids.ts';
import type { Database, OperatorTokenTable } from './schema.ts';
import { StoreError } from './store-error.ts';

/** A token of an operator, as people manage it. Neither its text nor its digest is here. */
export interface TokenRecord {
  readonly id: string;
  /** Unique among the tokens that are not revoked: what the audit log calls whoever uses it. */
  readonly name: string;
  readonly createdAt: EpochMs;
  /** The first instant at which it is no longer valid; `undefined` for never. */
  readonly expiresAt: EpochMs | undefined;
  readonly revokedAt: EpochMs | undefined;
  /** To about a minute. */
  readonly lastUsedAt: EpochMs | undefined;
}

export interface NewToken {
  /** SHA-256 of the whole token text: 32 bytes. */
  readonly digest: Uint8Array;
  /** 1 to 60 characters; the token's id when left out. */
  readonly name?: string | undefined;
  readonly expiresAt?: EpochMs | undefined;
}

export interface OperatorTokens {
  /** Throws `token_name_invalid`, `token_name_taken`, `expiry_not_in_future`, `digest_taken`. */
  insert(token: NewToken): Promise<TokenRecord>;
  /** Oldest first, revoked ones among them. */
  list(): Promise<readonly TokenRecord[]>;
  get(id: string): Promise<TokenRecord | undefined>;
  /** The token with this SHA-256, whatever its state. */
  find(digest: Uint8Array): Promise<TokenRecord | undefined>;
  /** Final. Revoking once more changes nothing. Throws `token_unknown`. */
  revoke(id: string): Promise<TokenRecord>;
  /** Notes that it was used just now. */
  touch(id: string): Promise<void>;
}

const nameShape = /^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,59}$/;
/** Names that the audit log has for others. */
const reservedNames: ReadonlySet<string> = new Set(['configuration', 'cli', 'system', 'unknown']);

export function tokensIn(db: Database, clock: Clock, randomness: Randomness, journal: Journal): OperatorTokens {
  return {
    insert: (token) => insertToken(db, clock.now(), newId('tok', randomness), token, journal),
    async list() {
      const rows = await db.selectFrom('operator_tokens').selectAll().orderBy('created_at_ms').orderBy('id').execute();
      return rows.map(recordOf);
    },
    async get(id) {
      const row = await db.selectFrom('operator_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      return row && recordOf(row);
    },
    async find(digest) {
      const row = await db
        .selectFrom('operator_tokens')
        .selectAll()
        .where('digest', '=', hexOf(digest))
        .executeTakeFirst();
      return row && recordOf(row);
    },
    revoke: (id) => revokeToken(db, clock.now(), id, journal),
    async touch(id) {
      await db.updateTable('operator_tokens').set({ last_used_at_ms: clock.now() }).where('id', '=', id).execute();
    },
  };
}

async function insertToken(
  db: Database,
  now: EpochMs,
  id: string,
  { digest, name = id, expiresAt }: NewToken,
  journal: Journal,
): Promise<TokenRecord> {
  if (!nameShape.test(name) || reservedNames.has(name.toLowerCase())) {
    throw new StoreError(
      'token_name_invalid',
      'The name of a token has 1 to 60 letters, digits, spaces and the signs . _ @ -, begins with a letter or digit, and is not one of configuration, cli, system, unknown.',
    );
  }
  if (digest.length !== 32) {
    throw new StoreError('digest_invalid', 'A digest has 32 bytes: the SHA-256 of the whole token.');
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new StoreError('expiry_not_in_future', 'The expiry of a new token must lie in the future.');
  }
  return db.transaction().execute(async (trx) => {
    await assertNameFree(trx, name);
    const row = await trx
      .insertInto('operator_tokens')
      .values({ id, name, digest: hexOf(digest), created_at_ms: now, expires_at_ms: expiresAt ?? null })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) {
      // Another process may have made one of the same name since.
      await assertNameFree(trx, name);
      throw new StoreError('digest_taken', 'This token is stored already. Generate another one.');
    }
    await journal(trx, {
      action: 'token.create',
      subject: { kind: 'token', id },
      summary: `Made the operator token "${name}".`,
      details: { name, expiresAtMs: expiresAt ?? null },
    });
    return recordOf(row);
  });
}

async function assertNameFree(trx: Database, name: string): Promise<void> {
  const taken = await trx
    .selectFrom('operator_tokens')
    .select('id')
    .where('name', '=', name)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst();
  if (taken === undefined) return;
  throw new StoreError(
    'token_name_taken',
    `The token ${taken.id} has the name "${name}" already. Revoke it first, or choose another name.`,
  );
}

function revokeToken(db: Database, now: EpochMs, id: string, journal: Journal): Promise<TokenRecord> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('operator_tokens')
      .set({ revoked_at_ms: now })
      .where('id', '=', id)
      .where('revoked_at_ms', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) {
      const summary = `Revoked the operator token "${row.name}".`;
      await journal(trx, {
        action: 'token.revoke',
        subject: { kind: 'token', id },
        summary,
        details: { name: row.name },
      });
      return recordOf(row);
    }
    const known = await trx.selectFrom('operator_tokens').selectAll().where('id', '=', id).executeTakeFirst();
    if (known !== undefined) return recordOf(known);
    throw new StoreError('token_unknown', `There is no operator token ${id}. See \`mdapi admin tokens\`.`);
  });
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

function recordOf(row: Selectable<OperatorTokenTable>): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at_ms as EpochMs,
    expiresAt: (row.expires_at_ms ?? undefined) as EpochMs | undefined,
    revokedAt: (row.revoked_at_ms ?? undefined) as EpochMs | undefined,
    lastUsedAt: (row.last_used_at_ms ?? undefined) as EpochMs | undefined,
  };
}
