import type { Generated, Kysely } from 'kysely';

/**
 * The tables as both engines hold them: instants are whole epoch milliseconds, flags are 0 or 1,
 * decimals are text. `seq` columns only ever grow. Other programs may write here too: every rule
 * that must hold is a constraint or a trigger of the schema, not only a check in this folder.
 */
export interface Schema {
  accounts: AccountTable;
  api_keys: ApiKeyTable;
  markets: MarketTable;
  maintenance_windows: MaintenanceWindowTable;
  snapshots: SnapshotTable;
  access_changes: AccessChangeTable;
  change_versions: ChangeVersionTable;
  breaches: BreachTable;
  notices: NoticeTable;
  audit_log: AuditTable;
  operator_tokens: OperatorTokenTable;
}

export type Database = Kysely<Schema>;

/** `revoked` is final. */
export type KeyStatus = 'active' | 'disabled' | 'revoked';

export interface AccountTable {
  id: string;
  /** Unique without regard to the case of ASCII letters. */
  email: string;
  active: Generated<number>;
  created_at_ms: number;
}

export interface ApiKeyTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  label: Generated<string>;
  /** SHA-256 of the whole key text, 32 bytes. The key itself is stored nowhere. */
  digest: Uint8Array;
  last_four: string;
  status: Generated<KeyStatus>;
  created_at_ms: number;
  expires_at_ms: number | null;
  limit_per_minute: number | null;
  /** The key that took over in a rotation. */
  replaced_by: string | null;
}

export interface MarketTable {
  symbol: string;
  base: string;
  quote: string;
  /** The symbol of the market this one is converted from; null for a market the upstream lists itself. */
  via: string | null;
  upstream_status: 'trading' | 'paused';
  price_precision: number;
  amount_precision: number;
  tick_size: string;
  min_order_size: string;
  min_order_value: string | null;
  operator_paused: Generated<number>;
  delisted_at_ms: number | null;
  missed_loads: Generated<number>;
  updated_at_ms: number;
}

export interface MaintenanceWindowTable {
  id: string;
  from_ms: number;
  to_ms: number;
  description: string;
  created_at_ms: number;
  cancelled_at_ms: number | null;
  ended_at_ms: number | null;
}

export interface SnapshotTable {
  name: string;
  payload: string;
  saved_at_ms: number;
}

/** A row for every digest whose right of access may have changed. Filled by triggers only. */
export interface AccessChangeTable {
  seq: Generated<number>;
  digest: Uint8Array;
}

/** A counter per topic that triggers raise, so that a watcher sees in one small read what changed. */
export interface ChangeVersionTable {
  /** `access`: on PostgreSQL alone, the number of the latest change of access. */
  topic: 'market_controls' | 'maintenance_windows' | 'access';
  version: number;
}

/** A minute in which a key was refused. Several servers add to the same row. */
export interface BreachTable {
  key_id: string;
  minute_start_ms: number;
  /** Requests refused in it. */
  refused: number;
  /** The limit that refused them. */
  limit_per_minute: number;
}

export type NoticeKind = 'repeated_breaches';

/**
 * `pending`: to be sent. `sending`: the mail server has the message but for its end, or more. `sent`: accepted by the
 * mail server. `failed`: refused for good, or given up. `recorded`: no mail server was configured. `unconfirmed`: the end
 * of the message was on its way when the connection or the process ended, so that nobody can tell whether it was accepted;
 * it is not sent again.
 */
export type NoticeStatus = 'pending' | 'sending' | 'sent' | 'failed' | 'recorded' | 'unconfirmed';

export interface NoticeTable {
  id: string;
  key_id: string;
  account_id: string;
  kind: NoticeKind;
  /** 1 for the first notice about the key, and so on. */
  number: number;
  created_at_ms: number;
  /** The latest breached minute it tells of. */
  last_minute_ms: number;
  /** JSON, see `NoticeFigures`. */
  figures: string;
  status: NoticeStatus;
  /** Raised by every claim, and so the mark by which a claim is known to hold still. */
  attempts: Generated<number>;
  next_attempt_at_ms: number;
  claimed_until_ms: number | null;
  sent_at_ms: number | null;
  message_id: string | null;
  last_error: string | null;
}

/** A change an operator made, or an attempt to sign in. Written in the transaction of the change. */
export interface AuditTable {
  id: string;
  at_ms: number;
  actor: string;
  action: string;
  subject_kind: 'account' | 'key' | 'market' | 'window' | 'token' | 'session';
  subject_id: string;
  /** One sentence for people. */
  summary: string;
  /** JSON. */
  details: string;
}

export interface OperatorTokenTable {
  id: string;
  /** What the audit log calls whoever uses it. */
  name: string;
  /** SHA-256 of the whole token text in hexadecimal. The token itself is stored nowhere. */
  digest: string;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  last_used_at_ms: number | null;
}
