import { type RawBuilder, sql } from 'kysely';
import type { EpochMs } from '../clock.ts';
import { type Engine, engineOf } from './engine.ts';
import { otherWork } from './other-work.ts';
import type { Database } from './schema.ts';

/** What a serving process must know of a key. */
export interface AccessEntry {
  /** SHA-256 of the key text, 32 bytes. */
  readonly digest: Uint8Array;
  readonly keyId: string;
  /** The key is active and so is its account. Expiry is apart: it comes by itself as time goes on. */
  readonly usable: boolean;
  readonly expiresAt: EpochMs | undefined;
  readonly limitPerMinute: number | undefined;
}

/** The columns behind an `AccessEntry`. */
export interface AccessRow {
  readonly digest: Uint8Array;
  readonly id: string;
  readonly usable: number;
  readonly expires_at_ms: number | null;
  readonly limit_per_minute: number | null;
}

/** The digest as text: bytes come in an ArrayBuffer each, and a million of those cost more time and memory than the rest. */
const digestHex: Readonly<Record<Engine, RawBuilder<string>>> = {
  sqlite: sql<string>`hex(api_keys.digest)`,
  postgres: sql<string>`encode(api_keys.digest, 'hex')`,
};

/** 1 when a key and its account are both active. For queries that join the two. */
export const usable = sql<number>`case when api_keys.status = 'active' and accounts.active = 1 then 1 else 0 end`;

export function accessEntryOf(row: AccessRow): AccessEntry {
  return {
    digest: row.digest,
    keyId: row.id,
    usable: row.usable === 1,
    expiresAt: (row.expires_at_ms ?? undefined) as EpochMs | undefined,
    limitPerMinute: row.limit_per_minute ?? undefined,
  };
}

/**
 * Small, because a page's rows are garbage a moment later: larger pages make V8 hold more memory for good. From a server each
 * page costs a way there and back, and comes in pieces that hold nobody up.
 */
const defaultPageSize = { sqlite: 1_000, postgres: 5_000 } as const;

/** See `Keys.accessPages`. A page of the default size from SQLite holds the thread for some 3 ms. */
export async function* accessPages(
  db: Database,
  pageSize: number = defaultPageSize[engineOf(db)],
): AsyncGenerator<readonly AccessEntry[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select(['api_keys.seq', 'api_keys.id', 'expires_at_ms', 'limit_per_minute'])
      .select([usable.as('usable'), digestHex[engineOf(db)].as('digest')])
      .where('api_keys.seq', '>', after)
      .where('status', '<>', 'revoked')
      .orderBy('api_keys.seq')
      .limit(pageSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
    yield rows.map((row) => new PagedEntry({ ...row, digest: bytesOf(row.digest) }));
    await otherWork();
  }
}

/**
 * An `AccessEntry` that a constructor makes, not a literal. V8 notes of each literal how many of its objects outlive a
 * collection, and after one at a bad moment it took those of a page for long-lived: a million keys
 * then went straight to the old generation, and the process stayed 110 MB larger for good.
 */
class PagedEntry implements AccessEntry {
  readonly digest: Uint8Array;
  readonly keyId: string;
  readonly usable: boolean;
  readonly expiresAt: EpochMs | undefined;
  readonly limitPerMinute: number | undefined;

  constructor(row: AccessRow) {
    this.digest = row.digest;
    this.keyId = row.id;
    this.usable = row.usable === 1;
    this.expiresAt = (row.expires_at_ms ?? undefined) as EpochMs | undefined;
    this.limitPerMinute = row.limit_per_minute ?? undefined;
  }
}

/** Such a small array is kept on the JavaScript heap as long as nobody asks for its buffer. */
function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  bytes.setFromHex(hex);
  return bytes;
}
