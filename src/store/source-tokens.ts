import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import type { SourceTokenTable } from './schema.ts';
import { newId, StorePart } from './store-context.ts';
import { StoreError } from './store-error.ts';

/** A token with which an engine pushes the prices of one source. It holds neither the token's text nor its digest. */
export interface SourceTokenRecord {
  readonly id: string;
  /** As in `sources` of the configuration. */
  readonly source: string;
  readonly createdAt: EpochMs;
  readonly revokedAt: EpochMs | undefined;
}

export class SourceTokens extends StorePart {
  /** @param digest SHA-256 of the whole token text */
  insert(source: string, digest: Uint8Array): Promise<SourceTokenRecord> {
    const { db, clock, randomness, journal } = this.context;
    const id = newId('tok', randomness);
    return db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('source_tokens')
        .values({ id, source, digest: digest.toHex(), created_at_ms: clock.now(), revoked_at_ms: null })
        .returningAll()
        .executeTakeFirstOrThrow();
      const summary = `Made a token for the engine of the source "${source}".`;
      await journal(trx, {
        action: 'source_token.create',
        subject: { kind: 'token', id },
        summary,
        details: { source },
      });
      return recordOf(row);
    });
  }

  /** Final. Revoking once more changes nothing. Throws `token_unknown`. */
  revoke(id: string): Promise<SourceTokenRecord> {
    const { db, clock, journal } = this.context;
    return db.transaction().execute(async (trx) => {
      const found = await trx.selectFrom('source_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      if (found === undefined) {
        throw new StoreError('token_unknown', `There is no source token ${id}. See \`mdapi sources tokens\`.`);
      }
      if (found.revoked_at_ms !== null) return recordOf(found);
      const revokedAt = clock.now();
      await trx.updateTable('source_tokens').set({ revoked_at_ms: revokedAt }).where('id', '=', id).execute();
      const { source } = found;
      const summary = `Revoked a token for the engine of the source "${source}".`;
      await journal(trx, {
        action: 'source_token.revoke',
        subject: { kind: 'token', id },
        summary,
        details: { source },
      });
      return recordOf({ ...found, revoked_at_ms: revokedAt });
    });
  }

  /** Oldest first, revoked ones among them. */
  async list(): Promise<readonly SourceTokenRecord[]> {
    const rows = await this.#all().orderBy('created_at_ms').orderBy('id').execute();
    return rows.map(recordOf);
  }

  /** The token with this SHA-256 that is not revoked. */
  async find(digest: Uint8Array): Promise<SourceTokenRecord | undefined> {
    const row = await this.#all()
      .where('digest', '=', digest.toHex())
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    return row && recordOf(row);
  }

  #all() {
    return this.context.db.selectFrom('source_tokens').selectAll();
  }
}

function recordOf({ id, source, created_at_ms, revoked_at_ms }: Selectable<SourceTokenTable>): SourceTokenRecord {
  return { id, source, createdAt: created_at_ms, revokedAt: revoked_at_ms ?? undefined };
}
