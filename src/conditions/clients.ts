import { count, id } from '../operator/fields.ts';
import { condition, measured } from './condition.ts';

const minuteMs = 60_000;
const noticesLateMs = 120 * minuteMs;

/** Conditions of clients, their keys, and what their holders are told. */
export const clients = {
  KeysAreGuessed: measured({
    event: 'keys',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'Many requests fail to authenticate',
    rule: {
      expr: 'rate(mdapi_limited_requests_total{category="failedAuthentication"}[5m]) > 1',
      description:
        '{{ $labels.instance }} refuses {{ $value | humanize }} requests a second from addresses whose authentication keeps failing.',
    },
  }),

  LimitedRequestsUnusual: measured({
    event: 'keys',
    severity: 'warning',
    forMs: 10 * minuteMs,
    title: 'Far more requests than usual are over their limit',
    rule: {
      comment: 'Ten times the usual rate, and above one a second.',
      expr: `sum by (job, instance, category) (rate(mdapi_limited_requests_total[10m])) > 1
and
sum by (job, instance, category) (rate(mdapi_limited_requests_total[10m]))
  > 10 * sum by (job, instance, category) (rate(mdapi_limited_requests_total[1d] offset 10m))`,
      description:
        '{{ $labels.instance }} refuses {{ $value | humanize }} requests a second by the limit {{ $labels.category }}, over ten times the average of the last day.',
    },
  }),

  KeyBreachesLimit: condition({
    event: 'keys',
    severity: 'warning',
    forMs: 0,
    title: 'A key goes over its limit again and again',
    values: {
      keyId: id('key', 'The key.'),
      requests: count('Requests that the limit refused.', 90),
      minutes: count('Minutes in which it did.', 3),
    },
    *find({ configuration: { notices }, refusedKeys }) {
      for (const { keyId, minutes, refused } of refusedKeys?.() ?? [])
        if (minutes >= notices.breachedMinutes) yield { subject: keyId, values: { keyId, requests: refused, minutes } };
    },
    sentence: ({ keyId, requests, minutes }) =>
      `the limit refused ${requests} requests of key ${keyId} in ${minutes} minutes`,
  }),

  NoticesDelayed: condition({
    event: 'keys',
    severity: 'warning',
    forMs: noticesLateMs,
    title: 'E-mail notices to key holders are not sent',
    find: ({ notifier }) => notifier.figures().pending > 0,
    rule: {
      expr: 'mdapi_notices_pending > 0',
      description: '{{ $value }} notices have waited for over two hours.',
    },
  }),

  NoticesFailing: condition({
    event: 'keys',
    severity: 'warning',
    forMs: noticesLateMs,
    title: 'The last e-mail to a key holder could not be sent',
    values: { pending: count('E-mails that wait.', 3) },
    *find({ notifier }) {
      const { isFailing, pending } = notifier.figures();
      if (isFailing) yield { values: { pending } };
    },
    sentence: ({ pending }) => `the last e-mail to a key holder could not be sent; ${pending} wait`,
    note: { page: 'notices' },
  }),

  NoticesFailed: measured({
    event: 'keys',
    severity: 'warning',
    forMs: 0,
    title: 'An e-mail notice failed, or is unconfirmed',
    rule: {
      expr: 'sum by (job, instance, outcome) (increase(mdapi_notice_attempts_total{outcome=~"failed|unconfirmed"}[1h])) > 0',
      description:
        '{{ $value | humanize }} notices of {{ $labels.instance }} ended as {{ $labels.outcome }} in an hour.',
    },
  }),
};
