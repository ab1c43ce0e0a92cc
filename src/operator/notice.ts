import type { Static } from 'typebox';
import type { Language } from '../ground/languages.ts';
import type { NoticePlace } from '../notices/notice-mail.ts';
import type { NoticeWithAccount } from '../store/notices.ts';
import * as fields from './fields.ts';

export const noticeStatuses = ['pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed'] as const;

export const NoticeSchema = fields.named(
  'Notice',
  'An e-mail to the holder of a key that exceeded its limit repeatedly.',
  {
    id: fields.id('ntc', 'The notice’s id.'),
    kind: fields.openEnum(['repeated_breaches'], 'What it is about.'),
    status: fields.openEnum(
      noticeStatuses,
      '`pending`: to be sent. `sending`: being sent. `sent`: accepted by the mail server. `failed`: refused for good, or given up. `recorded`: no mail server was configured. `unconfirmed`: it may have been sent, and is not sent again.',
    ),
    keyId: fields.id('key', 'The key it is about.'),
    label: fields.line('The key’s label when the notice was made.', 'trading bot', 100),
    lastFour: fields.line('The key’s last four characters.', 'x7Qa', 4),
    accountId: fields.id('acc', 'The account that held the key.'),
    accountEmail: fields.nullableLine('Where it goes; null when the account is gone.', 'bot@example.com', 254),
    limitPerMinute: fields.count('The limit that was exceeded, in requests a minute.', 60),
    breachedMinutes: fields.count('Minutes in which the key was refused.', 3),
    requestsRefused: fields.count('Requests refused in these minutes.', 541),
    minutes: fields.listOf(
      fields.object('A breached minute.', {
        ...fields.instantFields('from', 'When the minute began.'),
        refused: fields.count('Requests refused in it.', 112),
      }),
      'The latest of these minutes, oldest first.',
    ),
    ...fields.instantFields('createdAt', 'When it was made.'),
    attempts: fields.count('Attempts to send it.', 1),
    ...fields.nullableInstantFields('nextAttemptAt', 'When it is tried next; null unless it is pending.'),
    ...fields.nullableInstantFields('sentAt', 'When the mail server accepted it.'),
    messageId: fields.nullableLine('Its Message-ID, the same in every attempt.', '<ntc_4fGh72Kq0ZsTn1Lw@example.com>'),
    lastError: fields.nullableLine('Why the latest attempt failed.', 'the mail server cannot be reached'),
  },
);

interface NoticeSettings {
  readonly notices: { readonly atMostEveryMs: number; readonly language: Language };
  readonly portal: { readonly name?: string | undefined };
  readonly timeZone: string | undefined;
}

/** The words of notices about the service. @param baseUrl where clients reach it, without a trailing slash */
export function noticePlace({ notices, portal, timeZone }: NoticeSettings, baseUrl: string): NoticePlace {
  const { atMostEveryMs, language } = notices;
  return { name: portal.name, baseUrl, atMostEveryMs, language, timeZone };
}

export type NoticeView = Static<typeof NoticeSchema>;

export function noticeView(notice: NoticeWithAccount): NoticeView {
  const { figures, nextAttemptAt, ...rest } = notice;
  return fields.viewOf(NoticeSchema.properties, {
    ...rest,
    ...figures,
    minutes: figures.minutes.map(({ startMs, refused }) => ({ ...fields.instants('from', startMs), refused })),
    nextAttemptAt: notice.status === 'pending' ? nextAttemptAt : undefined,
  });
}
