import Type, { type Static } from 'typebox';
import type { NoticeWithAccount } from '../store/notices.ts';
import { count, id, instants, line, nullableLine, nullablePair, pair, words } from './fields.ts';

export const noticeStatuses = ['pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed'] as const;

export const NoticeSchema = Type.Object(
  {
    id: id('ntc', 'The notice’s id.'),
    kind: words(['repeated_breaches'], 'What it is about.'),
    status: words(
      noticeStatuses,
      '`pending`: to be sent. `sending`: being sent. `sent`: accepted by the mail server. `failed`: refused for good, or given up. `recorded`: no mail server was configured. `unconfirmed`: it may have been sent, and is not sent again.',
    ),
    keyId: id('key', 'The key it is about.'),
    label: line('The key’s label when the notice was made.', 'trading bot', 100),
    lastFour: line('The key’s last four characters.', 'x7Qa', 4),
    accountId: id('acc', 'The account that held the key.'),
    accountEmail: nullableLine('Where it goes; null when the account is gone.', 'bot@example.com', 254),
    limitPerMinute: count('The limit that was exceeded, in requests a minute.', 60),
    breachedMinutes: count('Minutes in which the key was refused.', 3),
    requestsRefused: count('Requests refused in these minutes.', 541),
    minutes: Type.Array(
      Type.Object(
        { ...pair('from', 'When the minute began.'), refused: count('Requests refused in it.', 112) },
        { description: 'A breached minute.' },
      ),
      { description: 'The latest of these minutes, oldest first.' },
    ),
    ...pair('createdAt', 'When it was made.'),
    attempts: count('Attempts to send it.', 1),
    ...nullablePair('nextAttemptAt', 'When it is tried next; null unless it is pending.'),
    ...nullablePair('sentAt', 'When the mail server accepted it.'),
    messageId: nullableLine('Its Message-ID, the same in every attempt.', '<ntc_4fGh72Kq0ZsTn1Lw@example.com>'),
    lastError: nullableLine('Why the latest attempt failed.', 'the mail server cannot be reached'),
  },
  { $id: 'Notice', description: 'An e-mail to the holder of a key that exceeded its limit repeatedly.' },
);

export type NoticeView = Static<typeof NoticeSchema>;

export function noticeView(notice: NoticeWithAccount): NoticeView {
  const { figures } = notice;
  return {
    id: notice.id,
    kind: notice.kind,
    status: notice.status,
    keyId: notice.keyId,
    label: figures.label,
    lastFour: figures.lastFour,
    accountId: notice.accountId,
    accountEmail: notice.accountEmail ?? null,
    limitPerMinute: figures.limitPerMinute,
    breachedMinutes: figures.breachedMinutes,
    requestsRefused: figures.requestsRefused,
    minutes: figures.minutes.map(({ startMs, refused }) => ({ ...instants('from', startMs), refused })),
    ...instants('createdAt', notice.createdAt),
    attempts: notice.attempts,
    ...instants('nextAttemptAt', notice.status === 'pending' ? notice.nextAttemptAt : undefined),
    ...instants('sentAt', notice.sentAt),
    messageId: notice.messageId ?? null,
    lastError: notice.lastError ?? null,
  };
}
