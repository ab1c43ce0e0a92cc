import type { Static } from 'typebox';
import type { Language } from '../ground/languages.ts';
import type { NoticePlace } from '../notices/notice-mail.ts';
import type { NoticeWithAccount } from '../store/notices.ts';
import * as fields from './fields.ts';

export const noticeStatuses = ['pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed'] as const;

export const NoticeSchema = fields.named('Notice', fields.texts.Notice.schema, {
  id: fields.id('ntc', 'The notice’s id.'),
  kind: fields.openEnum(['repeated_breaches'], 'What it is about.'),
  status: fields.openEnum(noticeStatuses, fields.texts.Notice.status),
  keyId: fields.id('key', 'The key it is about.'),
  label: fields.line('The key’s label when the notice was made.', 'trading bot', 100),
  lastFour: fields.line('The key’s last four characters.', 'x7Qa', 4),
  ...fields.tabled('Notice.account'),
  minutes: fields.listOf(
    fields.object('A breached minute.', fields.tabled('Notice.minutes')),
    fields.texts.Notice.minutes,
  ),
  ...fields.tabled('Notice.attempts'),
});

interface NoticeSettings {
  readonly notices: { readonly atMostEveryMs: number; readonly language: Language };
  readonly portal: { readonly name?: string | undefined };
}

/** The words of notices about the service. @param baseUrl where clients reach it, without a trailing slash */
export function noticePlace({ notices, portal }: NoticeSettings, baseUrl: string): NoticePlace {
  return { name: portal.name, baseUrl, atMostEveryMs: notices.atMostEveryMs, language: notices.language };
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
