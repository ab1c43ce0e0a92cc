import Type from 'typebox';
import { breachMail } from '../notices/notice-mail.ts';
import { line, listOf, named, openEnum } from '../operator/fields.ts';
import { NoticeSchema, noticePlace, noticeStatuses, noticeView } from '../operator/notice.ts';
import { operation, pathId } from './operation.ts';

const NoticeListSchema = named('NoticeList', 'Notices to key holders.', {
  mailConfigured: Type.Boolean({ description: 'Whether notices are sent; otherwise they are recorded only.' }),
  notices: listOf(NoticeSchema, 'Latest first.', 200),
});

const NoticeMailSchema = named('NoticeMail', 'A notice as its reader gets it.', {
  subject: line('The subject.', 'API key "trading bot" ending in x7Qa exceeds its limit of 60 requests per minute'),
  text: Type.String({ description: 'The plain text.', examples: ['Hello, …'] }),
  html: Type.String({
    description: 'The HTML. Show it in a sandbox: labels in it come from others.',
    examples: ['<!doctype html>…'],
  }),
});

export const noticeOperations = {
  listNotices: operation({
    path: '/api/notices',
    summary: 'Notices to key holders, latest first',
    description: 'Who was notified by e-mail, when, and with what outcome.',
    query: Type.Object({
      status: Type.Optional(openEnum(noticeStatuses, 'Only those of this status.')),
      limit: Type.Optional(
        Type.Integer({ description: 'Notices wanted, 50 when left out.', minimum: 1, maximum: 200 }),
      ),
    }),
    answer: NoticeListSchema,
    async handle({ query: { status, limit = 50 }, store }, { configuration }) {
      const notices = await store.notices.list({ status, limit });
      return { mailConfigured: configuration.mail !== undefined, notices: notices.map(noticeView) };
    },
  }),

  previewNotice: operation({
    path: '/api/notices/:id/preview',
    summary: 'A notice as its reader gets it',
    description: 'The mail, built again from the figures of the notice.',
    params: pathId('ntc'),
    answer: NoticeMailSchema,
    async handle({ params, store }, { configuration, publicUrls }) {
      const { figures, language } = await store.notices.get(params.id);
      return breachMail(figures, noticePlace(configuration, publicUrls().baseUrl), language);
    },
  }),
};
