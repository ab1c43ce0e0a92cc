import Type, { type Static } from 'typebox';
import { breachMail } from '../../notices/notice-mail.ts';
import type { NoticeWithAccount } from '../../store/notices.ts';
import { operation } from './operation.ts';
import {
  component,
  count,
  id,
  instants,
  line,
  nullableInstants,
  nullableLine,
  nullablePair,
  pair,
  pathId,
  words,
} from './parts.ts';

const statuses = ['pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed'] as const;

export const NoticeSchema = Type.Object(
  {
    id: id('ntc', 'The notice’s id.'),
    keyId: id('key', 'The key it is about.'),
    keyLabel: line('The key’s label when it was decided.', 'trading bot', 100),
    lastFour: line('The key’s last four characters.', 'x7Qa', 4),
    accountEmail: nullableLine('Where it goes; null when the account is gone.', 'bot@example.com', 254),
    status: words(
      statuses,
      '`pending`: to be sent. `sending`: under way. `sent`: the mail server has it. `failed`: refused for good, or given up. `recorded`: no mail server was configured. `unconfirmed`: nobody can tell; not sent again.',
    ),
    ...pair('createdAt', 'When it was decided.'),
    ...nullablePair('sentAt', 'When the mail server took it.'),
    attempts: count('How often somebody set out to send it.', 1),
    lastError: nullableLine('Why the latest attempt failed.', 'the mail server cannot be reached'),
    figures: Type.Object(
      {
        limitPerMinute: count('The limit that was exceeded, in requests a minute.', 60),
        breachedMinutes: count('Minutes in which the key was refused.', 3),
        requestsRefused: count('Requests refused in them.', 541),
        ...pair('firstMinute', 'The first of them.'),
        ...pair('lastMinute', 'The last of them.'),
      },
      { description: 'What it tells.' },
    ),
  },
  { description: 'An e-mail to the holder of a key that breached its limit repeatedly.' },
);

export const NoticeListSchema = Type.Object(
  {
    mailConfigured: Type.Boolean({ description: 'Whether notices are sent; otherwise they are recorded only.' }),
    notices: Type.Array(component<typeof NoticeSchema>('Notice'), { description: 'Latest first.', maxItems: 200 }),
  },
  { description: 'Notices to key holders.' },
);

export const NoticeMailSchema = Type.Object(
  {
    subject: line('The subject.', 'API key "trading bot" ending in x7Qa exceeds its limit of 60 requests per minute'),
    text: Type.String({ description: 'The plain text.', examples: ['Hello, …'] }),
    html: Type.String({
      description: 'The HTML. Show it in a sandbox: labels in it come from others.',
      examples: ['<!doctype html>…'],
    }),
  },
  { description: 'A notice as its reader gets it.' },
);

export function noticeBody(notice: NoticeWithAccount): Static<typeof NoticeSchema> {
  const { figures } = notice;
  return {
    id: notice.id,
    keyId: notice.keyId,
    keyLabel: figures.label,
    lastFour: figures.lastFour,
    accountEmail: notice.accountEmail ?? null,
    status: notice.status,
    ...instants('createdAt', notice.createdAt),
    ...nullableInstants('sentAt', notice.sentAt),
    attempts: notice.attempts,
    lastError: notice.lastError ?? null,
    figures: {
      limitPerMinute: figures.limitPerMinute,
      breachedMinutes: figures.breachedMinutes,
      requestsRefused: figures.requestsRefused,
      ...instants('firstMinute', figures.firstMinuteMs),
      ...instants('lastMinute', figures.lastMinuteMs),
    },
  };
}

export const listNotices = operation({
  method: 'GET',
  path: '/api/notices',
  operationId: 'listNotices',
  tag: 'Notices',
  summary: 'Notices to key holders, latest first',
  description: 'Who was told by e-mail, when, and what became of it.',
  query: Type.Object({
    status: Type.Optional(words(statuses, 'Only those of this status.')),
    limit: Type.Optional(Type.Integer({ description: 'Notices wanted, 50 when left out.', minimum: 1, maximum: 200 })),
  }),
  answer: { status: 200, description: 'The notices.', schema: component<typeof NoticeListSchema>('NoticeList') },
  async handle({ query: { status, limit = 50 }, store }, { configuration }) {
    const notices = await store.notices.list({ status, limit });
    return { mailConfigured: configuration.mail !== undefined, notices: notices.map(noticeBody) };
  },
});

export const previewNotice = operation({
  method: 'GET',
  path: '/api/notices/:id/preview',
  operationId: 'previewNotice',
  tag: 'Notices',
  summary: 'A notice as its reader gets it',
  description: 'The mail, made anew from the figures of the notice.',
  params: pathId('ntc'),
  answer: { status: 200, description: 'The mail.', schema: component<typeof NoticeMailSchema>('NoticeMail') },
  problems: ['NOT_FOUND'],
  async handle({ params, store }, { configuration, publicUrls }) {
    const { figures } = await store.notices.get(params.id);
    const place = { baseUrl: publicUrls().baseUrl, atMostEveryMs: configuration.notices.atMostEveryMs };
    const { subject, text, html } = breachMail(figures, place);
    return { subject, text, html };
  },
});
