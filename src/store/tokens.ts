import type { EpochMs } from '../ground/clock.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { Database, OperatorTokenTable, SourceTokenTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** A token of an operator, as people manage it. It holds neither the token's text nor its digest. */
export type TokenRecord = Omit<RecordOf<OperatorTokenTable>, 'digest'>;

/** A token with which an engine pushes the prices of one source, in the same way. */
export type SourceTokenRecord = Omit<RecordOf<SourceTokenTable>, 'digest'>;

interface NewToken extends Pick<TokenRecord, 'role'>, Partial<Pick<TokenRecord, 'expiresAt'>> {
  /** SHA-256 of the whole token text: 32 bytes. */
  readonly digest: Uint8Array;
  /** 1 to 60 characters; the token's id when left out. */
  readonly name?: string | undefined;
}

const nameShape = /^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,59}$/;
/** Names that the audit log has for others. */
const reservedNames: ReadonlySet<string> = new Set(['configuration', 'cli', 'system', 'unknown']);
const touchEveryMs = 60_000;

export class OperatorTokens extends StorePart {
  /** Throws `token_name_invalid`, `token_name_taken`, `expiry_not_in_future`. */
  async insert(token: NewToken): Promise<TokenRecord> {
    const { db, clock, randomness, audit } = this.context;
    const id = newId('tok', randomness);
    const { digest, role, name = id, expiresAt } = token;
    const now = clock.now();
    assertNewToken(name, expiresAt, now);
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('operator_tokens')
        .values({ id, name, digest: digest.toHex(), role, created_at_ms: now, expires_at_ms: expiresAt ?? null })
        .onConflict((conflict) => conflict.column('name').where('revoked_at_ms', 'is', null).doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw await takenName(trx, name);
      await audit(trx, {
        action: 'token.create',
        subject: { kind: 'token', id },
        summary: `Made the operator token "${name}" with the role ${role}.`,
        details: { name, role, expiresAtMs: expiresAt ?? null },
      });
      return tokenOf(row);
    });
  }

  /** Final. Revoking once more changes nothing. Throws `token_unknown`. */
  revoke(id: string): Promise<TokenRecord> {
    const { db, clock, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const token = await this.#all(trx).where('id', '=', id).forUpdate().executeTakeFirst();
      if (token === undefined) throw operatorTokenUnknown({ id });
      if (token.revoked_at_ms !== null) return tokenOf(token);
      const revoked = { revoked_at_ms: clock.now() };
      await trx.updateTable('operator_tokens').set(revoked).where('id', '=', id).execute();
      const { name } = token;
      const summary = `Revoked the operator token "${name}".`;
      await audit(trx, { action: 'token.revoke', subject: { kind: 'token', id }, summary, details: { name } });
      return tokenOf({ ...token, ...revoked });
    });
  }

  /** Oldest first, revoked ones among them. */
  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#all().orderBy('created_at_ms').orderBy('id').execute()).map(tokenOf);
  }

  async get(id: string): Promise<TokenRecord | undefined> {
    const row = await this.#all().where('id', '=', id).executeTakeFirst();
    return row && tokenOf(row);
  }

  /** The token with this SHA-256, whatever its state. */
  async find(digest: Uint8Array): Promise<TokenRecord | undefined> {
    const row = await this.#all().where('digest', '=', digest.toHex()).executeTakeFirst();
    return row && tokenOf(row);
  }

  /** Records that it was used just now, at most once a minute whatever the number of requests and processes. */
  async touch({ id, lastUsedAt }: Pick<TokenRecord, 'id' | 'lastUsedAt'>): Promise<void> {
    const { db, clock } = this.context;
    const now = clock.now();
    if (lastUsedAt !== undefined && Math.abs(now - lastUsedAt) < touchEveryMs) return;
    await db
      .updateTable('operator_tokens')
      .set({ last_used_at_ms: now })
      .where('id', '=', id)
      .where('last_used_at_ms', lastUsedAt === undefined ? 'is' : '=', lastUsedAt ?? null)
      .execute();
  }

  #all(db: Database = this.context.db) {
    return db.selectFrom('operator_tokens').selectAll();
  }
}

function assertNewToken(name: string, expiresAt: EpochMs | undefined, now: EpochMs): void {
  if (!nameShape.test(name) || reservedNames.has(name.toLowerCase())) throw tokenNameInvalid();
  if (expiresAt !== undefined && expiresAt <= now) throw tokenExpiryInPast();
}

async function takenName(trx: Database, name: string): Promise<StoreError> {
  const named = trx.selectFrom('operator_tokens').select('id').where('name', '=', name);
  const { id } = await named.where('revoked_at_ms', 'is', null).executeTakeFirstOrThrow();
  return tokenNameTaken({ id, name });
}

export class SourceTokens extends StorePart {
  /** @param digest SHA-256 of the whole token text */
  insert(source: string, digest: Uint8Array): Promise<SourceTokenRecord> {
    const { db, clock, randomness, audit } = this.context;
    const id = newId('tok', randomness);
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('source_tokens')
        .values({ id, source, digest: digest.toHex(), created_at_ms: clock.now(), revoked_at_ms: null })
        .returningAll()
        .executeTakeFirstOrThrow();
      const summary = `Made a token for the engine of the source "${source}".`;
      const subject = { kind: 'token', id } as const;
      await audit(trx, { action: 'source_token.create', subject, summary, details: { source } });
      return tokenOf(row);
    });
  }

  /** Final. Revoking once more changes nothing. Throws `token_unknown`. */
  revoke(id: string): Promise<SourceTokenRecord> {
    const { db, clock, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const found = await this.#all(trx).where('id', '=', id).forUpdate().executeTakeFirst();
      if (found === undefined) throw sourceTokenUnknown({ id });
      if (found.revoked_at_ms !== null) return tokenOf(found);
      const revoked = { revoked_at_ms: clock.now() };
      await trx.updateTable('source_tokens').set(revoked).where('id', '=', id).execute();
      const { source } = found;
      const summary = `Revoked a token for the engine of the source "${source}".`;
      const subject = { kind: 'token', id } as const;
      await audit(trx, { action: 'source_token.revoke', subject, summary, details: { source } });
      return tokenOf({ ...found, ...revoked });
    });
  }

  /** Oldest first, revoked ones among them. */
  async list(): Promise<readonly SourceTokenRecord[]> {
    return (await this.#all().orderBy('created_at_ms').orderBy('id').execute()).map(tokenOf);
  }

  /** The token with this SHA-256 that is not revoked. */
  async find(digest: Uint8Array): Promise<SourceTokenRecord | undefined> {
    const row = await this.#all().where('digest', '=', digest.toHex()).executeTakeFirst();
    return row?.revoked_at_ms === null ? tokenOf(row) : undefined;
  }

  #all(db: Database = this.context.db) {
    return db.selectFrom('source_tokens').selectAll();
  }
}

function tokenOf<Row extends { readonly digest: string }>({ digest, ...row }: Row): RecordOf<Omit<Row, 'digest'>> {
  return recordOf(row);
}

export function operatorTokenUnknown(values: StoreErrorValues['token_unknown.operator']) {
  const message = `There is no operator token ${values.id}. See \`mdapi admin tokens\`.`;
  return new StoreError('token_unknown.operator', values, message);
}

export function sourceTokenUnknown(values: StoreErrorValues['token_unknown.source']) {
  const message = `There is no source token ${values.id}. See \`mdapi sources tokens\`.`;
  return new StoreError('token_unknown.source', values, message);
}

export function tokenNameInvalid() {
  const message =
    'The name of a token has 1 to 60 letters, digits, spaces and the signs . _ @ -, begins with a letter or digit, ' +
    'and is not one of configuration, cli, system, unknown.';
  return new StoreError('token_name_invalid', {}, message);
}

export function tokenNameTaken(values: StoreErrorValues['token_name_taken']) {
  const { id, name } = values;
  const message = `The token ${id} has the name "${name}" already. Revoke it first, or choose another name.`;
  return new StoreError('token_name_taken', values, message);
}

export function tokenExpiryInPast() {
  return new StoreError('expiry_not_in_future.token', {}, 'The expiry of a new token must lie in the future.');
}
