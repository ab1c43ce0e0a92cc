import type { EpochMs } from '../../clock.ts';
import { type Configuration, publicUrls } from '../../configuration/configuration.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { NoticePlace } from '../../notices/notice-mail.ts';
import type { NoticeStatus, NoticeWithAccount } from '../../store/notices.ts';
import { instantPair } from '../instant.ts';
import type { Cell, Paint } from '../style.ts';

/** What the mail says of the service. Without `server.baseUrl` the port is the configured one. */
export function placeOf({ server, notices }: Configuration): NoticePlace {
  return { baseUrl: publicUrls(server, server.port).baseUrl, atMostEveryMs: notices.atMostEveryMs };
}

export function noticeJson(notice: NoticeWithAccount) {
  const { figures } = notice;
  return {
    id: notice.id,
    kind: notice.kind,
    status: notice.status,
    keyId: notice.keyId,
    accountId: notice.accountId,
    ...(notice.accountEmail === undefined ? {} : { accountEmail: notice.accountEmail }),
    label: figures.label,
    lastFour: figures.lastFour,
    breachedMinutes: figures.breachedMinutes,
    requestsRefused: figures.requestsRefused,
    limitPerMinute: figures.limitPerMinute,
    minutes: figures.minutes.map(({ startMs, refused }) => ({ from: isoInstant(startMs), fromMs: startMs, refused })),
    ...instantPair('createdAt', notice.createdAt),
    attempts: notice.attempts,
    ...(notice.status === 'pending' ? instantPair('nextAttemptAt', notice.nextAttemptAt) : {}),
    ...instantPair('sentAt', notice.sentAt),
    ...(notice.messageId === undefined ? {} : { messageId: notice.messageId }),
    ...(notice.lastError === undefined ? {} : { lastError: notice.lastError }),
  };
}

export function noticeStatusCell(status: NoticeStatus, paint: Paint): Cell {
  if (status === 'sent') return { text: status, paint: paint.good };
  if (status === 'failed' || status === 'unconfirmed') return { text: status, paint: paint.bad };
  return { text: status, paint: status === 'recorded' ? paint.faint : paint.attention };
}

/** In one cell: why it was not sent, or when it is tried next. */
export function noticeNote({ status, lastError, nextAttemptAt, attempts }: NoticeWithAccount, now: EpochMs): string {
  const why = lastError ?? '';
  if (status !== 'pending' || attempts === 0) return why;
  const next = nextAttemptAt <= now ? 'next attempt now' : `next attempt ${isoInstant(nextAttemptAt)}`;
  return why === '' ? next : `${why}; ${next}`;
}
