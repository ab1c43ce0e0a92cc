import type { Generated, Kysely } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import type { Language } from '../ground/languages.ts';
import type {
  AlertTable,
  DeliveryTable,
  NoticeTable,
  StatusNewsTable,
  SubscriptionMessageTable,
  SubscriptionTable,
  SubscriptionTokenTable,
} from './message-tables.ts';

/**
 * The tables as both engines hold them: instants are whole epoch milliseconds, flags are 0 or 1, decimals are text.
 * `seq` columns only ever grow. Other programs may write here too: every rule that must hold is a constraint or a
 * trigger of the schema, not only a check in this folder.
 */
export interface Schema {
  accounts: AccountTable;
  api_keys: ApiKeyTable;
  markets: MarketTable;
  rate_controls: RateControlTable;
  maintenance_windows: MaintenanceWindowTable;
  snapshots: SnapshotTable;
  access_changes: AccessChangeTable;
  change_versions: ChangeVersionTable;
  breaches: BreachTable;
  notices: NoticeTable;
  audit_log: AuditTable;
  operator_tokens: OperatorTokenTable;
  status_days: StatusDayTable;
  status_incidents: IncidentTable;
  process_lives: ProcessLifeTable;
  status_judged: StatusJudgedTable;
  incidents: WrittenIncidentTable;
  incident_updates: IncidentUpdateTable;
  terms: TermTable;
  approvals: ApprovalTable;
  source_tokens: SourceTokenTable;
  request_minutes: RequestMinuteTable;
  deliveries: DeliveryTable;
  alerts: AlertTable;
  subscriptions: SubscriptionTable;
  subscription_tokens: SubscriptionTokenTable;
  subscription_messages: SubscriptionMessageTable;
  status_news: StatusNewsTable;
}

export type Database = Kysely<Schema>;

/** `revoked` is final. */
export type KeyStatus = 'active' | 'disabled' | 'revoked';

/** The holder of API keys. Keys of an account that is not active cannot be used. */
export interface AccountTable {
  id: string;
  /** Unique without regard to the case of ASCII letters. */
  email: string;
  active: Generated<number>;
  created_at_ms: EpochMs;
  /** The language of notices to it; null: the configured one. */
  language: Language | null;
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
  created_at_ms: EpochMs;
  /** The first instant at which the key is no longer valid; null for never. */
  expires_at_ms: EpochMs | null;
  /** Null: the configured limit holds. */
  limit_per_minute: number | null;
  /** The key that replaced it in a rotation. */
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
  /** Since when an operator holds what makes its prices. */
  held_at_ms: Generated<EpochMs | null>;
  /** When an operator last accepted what was doubted of it, and of which source; null: of whichever was doubted. */
  accepted_at_ms: Generated<EpochMs | null>;
  accepted_source: Generated<string | null>;
  /** Final. */
  delisted_at_ms: EpochMs | null;
  /** The first and the latest of the catalogue loads in a row that lack the market; null while it is listed. */
  missing_since_ms: EpochMs | null;
  missing_until_ms: EpochMs | null;
  updated_at_ms: EpochMs;
}

/** An operator's decisions about the rate of a quote currency. */
export interface RateControlTable {
  quote: string;
  /** Since when the one in force is kept, whatever comes. */
  held_at_ms: EpochMs | null;
  /** When an operator last accepted a rate, and which. */
  accepted_at_ms: EpochMs | null;
  accepted_mid: string | null;
}

/** A maintenance window runs while `from ≤ now < to`, unless it was cancelled. */
export interface MaintenanceWindowTable {
  id: string;
  from_ms: EpochMs;
  /** Moved by `extend` and `end`. */
  to_ms: EpochMs;
  /** English, 1 to 500 characters: clients read it (contract, MaintenanceWindow). */
  description: string;
  created_at_ms: EpochMs;
  cancelled_at_ms: EpochMs | null;
  /** When the operator ended it before its time. */
  ended_at_ms: EpochMs | null;
}

/**
 * Sets values for a scope from an instant on, unless it was cancelled before. Each value is a decimal, a whole number
 * or a word, as text; `inherit` takes it from the next wider scope; null leaves it alone.
 */
export interface TermTable {
  id: string;
  from_ms: EpochMs;
  scope: 'service' | 'quote' | 'market';
  /** The quote currency or the market's symbol; empty for the service. */
  subject: string;
  fee_percent: string | null;
  margin_percent: string | null;
  price_precision: string | null;
  rounding: string | null;
  created_at_ms: EpochMs;
  cancelled_at_ms: Generated<EpochMs | null>;
}

/** The kinds of actions that can need a second person. */
export type ApprovalAction =
  | 'term.set'
  | 'term.cancel'
  | 'market.delist'
  | 'catalogue.delist'
  | 'rate.accept'
  | 'rate.release';

/** A change that one person proposed, until another one decided on it and for a while after. */
export interface ApprovalTable {
  id: string;
  action: ApprovalAction;
  /** Its subject: a market, a quote currency, a term, a source, or the service. */
  subject: string;
  /** JSON, exactly what is applied. Unique among those that wait. */
  change: string;
  /** JSON, a list of `ApprovalValue`. */
  basis: string;
  state: Generated<'waiting' | 'confirmed' | 'rejected' | 'withdrawn' | 'expired'>;
  proposed_at_ms: EpochMs;
  /** The actor, as the audit log names it. */
  proposed_by: string;
  /** The first instant at which it can no longer be confirmed. */
  expires_at_ms: EpochMs;
  decided_at_ms: Generated<EpochMs | null>;
  decided_by: Generated<string | null>;
}

export interface SnapshotTable {
  name: string;
  payload: string;
  saved_at_ms: EpochMs;
}

/** A row for every digest whose right of access may have changed. Filled by triggers only. */
interface AccessChangeTable {
  seq: Generated<number>;
  digest: Uint8Array;
}

/** A counter for each topic that triggers raise, so that a watcher sees in one small read what changed. */
interface ChangeVersionTable {
  /**
   * `access`: on PostgreSQL alone, the number of the latest change of access. `losses_accepted`: when an operator last
   * accepted what had vanished, in epoch milliseconds.
   */
  topic: 'market_controls' | 'maintenance_windows' | 'terms' | 'incidents' | 'access' | 'losses_accepted';
  version: number;
}

/** A minute in which a key was refused (contract, Limits). Several servers add to the same row. */
export interface BreachTable {
  key_id: string;
  /** A full minute. */
  minute_start_ms: EpochMs;
  /** Requests refused in it, 1 or more. */
  refused: number;
  /** The limit that refused them, requests a minute. */
  limit_per_minute: number;
}

/** Kinds of things that an entry of the audit log can be about. */
export const auditSubjectKinds = [
  'account',
  'key',
  'market',
  'rate',
  'window',
  'incident',
  'term',
  'token',
  'session',
  'store',
  'history',
  'source',
  'alert',
  'approval',
] as const;
export type AuditSubjectKind = (typeof auditSubjectKinds)[number];

/** Everything that the audit log records. */
export const auditActions = [
  'account.create',
  'account.activate',
  'account.deactivate',
  'account.update',
  'account.erase',
  'key.create',
  'key.enable',
  'key.disable',
  'key.revoke',
  'key.update',
  'key.rotate',
  'market.pause',
  'market.resume',
  'market.hold',
  'market.release',
  'market.accept',
  'market.delist',
  'market.hold_back',
  'market.forget',
  'rate.hold',
  'rate.release',
  'rate.accept',
  'catalogue.accept',
  'catalogue.reject',
  'catalogue.hold_back',
  'window.announce',
  'window.extend',
  'window.end',
  'window.cancel',
  'incident.open',
  'incident.update',
  'incident.close',
  'term.set',
  'term.cancel',
  'token.create',
  'token.revoke',
  'source_token.create',
  'source_token.revoke',
  'session.create',
  'session.end',
  'session.refuse',
  'sources.reload',
  'subscription.remove',
  'alert.acknowledge',
  'approval.propose',
  'approval.confirm',
  'approval.reject',
  'approval.withdraw',
  'store.accept',
  'history.hold',
  'history.release',
  'history.accept',
  'history.deleted',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** A change an operator made, or an attempt to sign in. Written in the transaction of the change. */
export interface AuditTable {
  id: string;
  at_ms: EpochMs;
  /** The actor: the name of a token, `oidc:` and a person, or what `commandActor` makes. */
  actor: string;
  action: AuditAction;
  subject_kind: AuditSubjectKind;
  subject_id: string;
  /** One sentence for people. */
  summary: string;
  /** JSON. */
  details: string;
}

/** The rights of a token's holder; see `roleTable`. */
export type OperatorRole = 'prices' | 'read-only' | 'support' | 'operator' | 'admin';

export interface OperatorTokenTable {
  id: string;
  /** Unique among the tokens that are not revoked: what the audit log calls its user. */
  name: string;
  /** SHA-256 of the whole token text in hexadecimal. The token itself is stored nowhere. */
  digest: string;
  role: OperatorRole;
  created_at_ms: EpochMs;
  /** The first instant at which it is no longer valid; null for never. */
  expires_at_ms: EpochMs | null;
  revoked_at_ms: EpochMs | null;
  /** To about a minute. */
  last_used_at_ms: EpochMs | null;
}

/** How long a component of the service was in each state in one day in UTC. */
export interface StatusDayTable {
  day_ms: EpochMs;
  component: string;
  operational_ms: number;
  degraded_ms: number;
  maintenance_ms: number;
  outage_ms: number;
}

export interface IncidentTable {
  id: string;
  component: string;
  state: 'degraded' | 'outage';
  from_ms: EpochMs;
  /** Null while it lasts. */
  to_ms: EpochMs | null;
}

/** The states of an incident that people write, in their usual order; the last is final. */
export type IncidentState = 'investigating' | 'identified' | 'monitoring' | 'resolved';

/** An incident as people tell it. What was measured stands apart from it, in {@link IncidentTable}. */
export interface WrittenIncidentTable {
  /** That of the found outage that it tells of, where it is `found`. */
  id: string;
  found: number;
  /** English. What has no Czech is shown in English. */
  title: string;
  title_cs: string | null;
  /** The parts of the service that it concerns, with a space between. */
  parts: string;
  state: IncidentState;
  from_ms: EpochMs;
  /** Null until it is resolved. */
  to_ms: EpochMs | null;
  /** A text on what was learnt of it afterwards. */
  review: string | null;
  review_cs: string | null;
  reviewed_at_ms: EpochMs | null;
  created_at_ms: EpochMs;
  /** When it last changed, however little. */
  updated_at_ms: EpochMs;
}

/** A piece of news of an incident, and when it was told. Never changed. */
export interface IncidentUpdateTable {
  incident_id: string;
  /** 1 for the first. */
  number: number;
  state: IncidentState;
  at_ms: EpochMs;
  text: string;
  text_cs: string | null;
}

/** The unbroken time that one process ran. */
export interface ProcessLifeTable {
  id: string;
  /** Its part: `api` answered clients, `feed` kept the market data, `all` did both. */
  role: 'all' | 'api' | 'feed';
  since_ms: EpochMs;
  /** Its last sign. */
  seen_ms: EpochMs;
}

export interface StatusJudgedTable {
  component: string;
  until_ms: EpochMs;
}

/** A token with which an engine pushes the prices of one source. */
export interface SourceTokenTable {
  id: string;
  /** The id in `sources` of the configuration. */
  source: string;
  /** SHA-256 of the whole token text in hexadecimal. */
  digest: string;
  created_at_ms: EpochMs;
  revoked_at_ms: EpochMs | null;
}

/** Answers of one process in one minute, see `RequestMinute`. */
export interface RequestMinuteTable {
  process: string;
  at_ms: EpochMs;
  /** JSON. */
  answers: string;
  /** JSON. */
  errors: string;
  held: number;
}
