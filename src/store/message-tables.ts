import type { Generated } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import type { Language } from '../ground/languages.ts';

export type NoticeKind = 'repeated_breaches';

/**
 * `pending`: to be sent. `sending`: the mail server has the message except for its end, or all of it. `sent`: accepted
 * by the mail server. `failed`: refused for good, or given up. `recorded`: no mail server was configured.
 * `unconfirmed`: the end of the message was on its way when the connection or the process ended, so it is not known
 * whether it was accepted; it is not sent again.
 */
export type NoticeStatus = 'pending' | 'sending' | 'sent' | 'failed' | 'recorded' | 'unconfirmed';

/** A thing that is to be sent, see `Outbox`. */
export interface OutboxTable {
  id: string;
  created_at_ms: EpochMs;
  status: NoticeStatus;
  /** Raised by every claim, so that a claim can tell whether it still holds. */
  attempts: Generated<number>;
  /** When a pending one is tried next. */
  next_attempt_at_ms: EpochMs;
  claimed_until_ms: EpochMs | null;
  sent_at_ms: EpochMs | null;
  /** The same in every attempt; null before the first. */
  message_id: string | null;
  /** Why the latest attempt failed, in one line. Holds no secret. */
  last_error: string | null;
}

export interface NoticeTable extends OutboxTable {
  key_id: string;
  account_id: string;
  kind: NoticeKind;
  /** 1 for the first notice about the key, and so on. */
  number: number;
  /** The latest breached minute it reports. */
  last_minute_ms: EpochMs;
  /** JSON, see `NoticeFigures`. */
  figures: string;
}

/** A message to an operator, or to a subscriber. */
export interface DeliveryTable extends OutboxTable {
  /** The name of the receiver, or the id of a subscription. Holds no secret. */
  destination: string;
  /** JSON. */
  content: string;
}

/** Which couriers take a message to a subscriber. */
export type SubscriptionLane = 'confirm' | 'news' | 'failing';

/** A message to a subscriber of the status page. */
export interface SubscriptionMessageTable extends DeliveryTable {
  /**
   * Which couriers take it: `confirm` asks somebody who may never answer, `news` goes to who took the message before,
   * and `failing` to who did not.
   */
  lane: Generated<SubscriptionLane>;
}

/** An alert that is on. */
export interface AlertTable {
  id: string;
  name: string;
  subject: string;
  /** JSON, see `AlertFact`. */
  content: string;
  raised_at_ms: EpochMs;
  /** Any process saw it then. */
  last_seen_ms: EpochMs;
  /** When it was told for the last time; null only where an older version wrote it. */
  told_at_ms: EpochMs | null;
  /** How often it was told again. */
  repeats: Generated<number>;
  /** When those were told who are told once nobody has acknowledged it. */
  escalated_at_ms: Generated<EpochMs | null>;
  acknowledged_at_ms: Generated<EpochMs | null>;
  /** The actor, as the audit log names it. */
  acknowledged_by: Generated<string | null>;
}

/** Somebody outside who is told of incidents and maintenance. One that ended is deleted. */
export interface SubscriptionTable {
  id: string;
  kind: 'mail' | 'webhook';
  target: string;
  /** Unique: equal for targets that reach the same receiver. */
  receiver: string;
  language: Language;
  /** Signs what a webhook gets, and makes the tokens of links. Null only where an older version wrote it. */
  secret: string | null;
  /** How often it was asked to confirm, and when for the last time. */
  asked: number;
  asked_at_ms: EpochMs;
  confirmed_at_ms: EpochMs | null;
  /** The first message in a row that it did not take; null once it takes one. */
  failing_since_ms: Generated<EpochMs | null>;
  /** When that had lasted too long: nothing is sent to it until it asks and confirms anew. */
  disabled_at_ms: Generated<EpochMs | null>;
}

/**
 * A link that was sent to a subscriber: the SHA-256 of its token in hexadecimal. The token itself is stored nowhere.
 */
export interface SubscriptionTokenTable {
  digest: string;
  subscription_id: string;
  purpose: 'confirm' | 'end';
  created_at_ms: EpochMs;
}

/** An event of an incident or a window that subscribers were told of. */
export interface StatusNewsTable {
  subject: string;
  event: string;
  told_at_ms: EpochMs;
}
