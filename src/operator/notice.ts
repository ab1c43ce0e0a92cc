import type { Static } from 'typebox';
import type { NoticeWithAccount } from '../store/notices.ts';
import {
  count,
  id,
  instantFields,
  instants,
  line,
  listOf,
  named,
  nullableInstantFields,
  nullableLine,
  object,
  openEnum,
  viewOf,
} from './fields.ts';

export const noticeStatuses = ['pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed'] as const;

export const NoticeSchema = named('Notice', 'An e-mail to the holder of a key that exceeded its limit repeatedly.', {
  id: id('ntc', 'The notice’s id.'),
  kind: openEnum(['repeated_breaches'], 'What it is about.'),
  status: openEnum(
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
  minutes: listOf(
    object('A breached minute.', {
      ...instantFields('from', 'When the minute began.'),
      refused: count('Requests refused in it.', 112),
    }),
    'The latest of these minutes, oldest first.',
  ),
  ...instantFields('createdAt', 'When it was made.'),
  attempts: count('Attempts to send it.', 1),
  ...nullableInstantFields('nextAttemptAt', 'When it is tried next; null unless it is pending.'),
  ...nullableInstantFields('sentAt', 'When the mail server accepted it.'),
  messageId: nullableLine('Its Message-ID, the same in every attempt.', '<ntc_4fGh72Kq0ZsTn1Lw@example.com>'),
  lastError: nullableLine('Why the latest attempt failed.', 'the mail server cannot be reached'),
});

export type NoticeView = Static<typeof NoticeSchema>;

export function noticeView(notice: NoticeWithAccount): NoticeView {
  const { figures, nextAttemptAt, ...rest } = notice;
  return viewOf(NoticeSchema.properties, {
    ...rest,
    ...figures,
    minutes: figures.minutes.map(({ startMs, refused }) => ({ ...instants('from', startMs), refused })),
    nextAttemptAt: notice.status === 'pending' ? nextAttemptAt : undefined,
  });
}
