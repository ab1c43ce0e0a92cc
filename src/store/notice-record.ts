import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import type { NoticeKind, NoticeStatus, NoticeTable } from './schema.ts';

/** What a notice reports, as it was when it was decided. */
export interface NoticeFigures {
  readonly label: string;
  readonly lastFour: string;
  /** The limit of the latest minute, requests a minute. */
  readonly limitPerMinute: number;
  readonly breachedMinutes: number;
  readonly requestsRefused: number;
  readonly firstMinuteMs: number;
  readonly lastMinuteMs: number;
  /** The latest of the minutes, oldest first, `figuresMinutesMax` at most. */
  readonly minutes: readonly { readonly startMs: number; readonly refused: number }[];
}

/** Minutes that a notice lists one by one. */
export const figuresMinutesMax = 10;

/** A row of the outbox. */
export interface NoticeRecord {
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly kind: NoticeKind;
  readonly createdAt: EpochMs;
  readonly figures: NoticeFigures;
  readonly status: NoticeStatus;
  /** How often a server began to send it. */
  readonly attempts: number;
  /** When a pending notice is tried next. */
  readonly nextAttemptAt: EpochMs;
  readonly sentAt: EpochMs | undefined;
  /** The same in every attempt; `undefined` before the first. */
  readonly messageId: string | undefined;
  /** Why the latest attempt failed, in one line. Holds no secret. */
  readonly lastError: string | undefined;
}

export interface NoticeWithAccount extends NoticeRecord {
  /** The address of the account now; `undefined` when the account is gone. */
  readonly accountEmail: string | undefined;
}

export function noticeOf(row: Selectable<NoticeTable>): NoticeRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    accountId: row.account_id,
    kind: row.kind,
    createdAt: row.created_at_ms,
    figures: JSON.parse(row.figures) as NoticeFigures,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at_ms,
    sentAt: row.sent_at_ms ?? undefined,
    messageId: row.message_id ?? undefined,
    lastError: row.last_error ?? undefined,
  };
}
