import { Type } from '../../contract/schema-builder.ts';
import { languages } from '../../ground/languages.ts';
import { alertEvents, destinationKinds } from '../../operator/alert-event.ts';
import * as kind from '../kinds.ts';
import {
  duration,
  item,
  list,
  listOr,
  oneOf,
  optional,
  section,
  setting,
  subsection,
  text,
  truth,
  wholeNumber,
} from '../kinds.ts';

export const mail = section('E-mail to key holders.', {
  smtp: optional(text(kind.smtpUrl, { secret: true }), {
    description:
      'Mail server for notices. `smtps://` is TLS from the start (port 465), `smtp://` uses STARTTLS when offered (port 587).',
    whenAbsent: 'notices are recorded, not sent',
    security: 'A password requires TLS with a valid certificate, unless the server is local.',
    example: 'smtps://mdapi:password@mail.example.com',
  }),
  caFile: optional(text(kind.path), {
    description:
      'PEM file that the mail server’s certificate is held against: its authority, or a self-signed certificate itself. Read for each connection.',
    whenAbsent: 'the system’s authorities and `NODE_EXTRA_CA_CERTS`',
    example: './tls/relay.pem',
  }),
  anyCertificate: setting(truth(), {
    description:
      'Takes whatever certificate a relay of this machine or of a private network shows, such as the self-signed one of a fresh installation. Refused for any other relay: name its certificate in `mail.caFile`.',
    security:
      'TLS then hides mails and password from whoever listens, and from nobody who can take the relay’s place in that network.',
  }),
  from: optional(text(kind.mailbox), {
    description: 'Sender of notices, who gets replies and bounces; set together with `mail.smtp`.',
    whenAbsent: 'notices are not sent',
    example: 'Market data <api@example.com>',
  }),
});

export const notices = section('When repeated breaches of a key’s limit lead to an e-mail.', {
  breachedMinutes: setting(wholeNumber(3, [1, 60]), 'Minutes with a refused request that lead to an e-mail.'),
  within: setting(
    duration('1h', ['1m', '7d']),
    'Span in which those minutes lie; at least as long as they are together.',
  ),
  atMostEvery: setting(duration('24h', ['1m', '90d']), 'Least time between two notices about the same key.'),
  language: setting(oneOf([...languages], 'en'), 'Language of notices to holders whose account has none.'),
});

const destination = item({
  name: text(kind.destinationName),
  kind: oneOf([...destinationKinds], 'webhook'),
  url: Type.Optional(text(kind.httpUrl, { secret: true })),
  allowHttp: truth(),
  secret: Type.Optional(text(kind.word, { secret: true })),
  chat: Type.Optional(text(kind.word)),
  to: Type.Optional(text(kind.mailbox)),
  events: listOr('all', oneOf([...alertEvents], 'source')),
});

export const alerts = section('See [alerts without Prometheus](operators/monitoring.md#alerts-without-prometheus).', {
  destinations: setting(list(destination, { default: [] }), {
    description:
      '`kind`: webhook (default; `url`, `secret`), slack (`url`), telegram (`url`, `chat`), pagerduty (`secret`: the routing key) or mail (`to`). `events`: `all`, or some of source, status, prices, record, certificate, keys, service, maintenance. `allowHttp: true` permits http://.',
    security: 'URLs and secrets are never shown. `MDAPI_ALERTS_DESTINATIONS_FILE` names a JSON file.',
    example: [
      {
        name: 'ops',
        url: 'https://ops.example.com/hooks/mdapi',
        secret: 'whsec_bWFrZSB5b3VyIG93biBvbmUgcGxlYXNl',
      },
    ],
  }),
  raiseAfter: setting(
    duration('15s', ['0s', '1h']),
    'Shortest time that a condition must hold before its alert is sent.',
  ),
  endAfter: setting(duration('2m', ['15s', '24h']), 'Time without the condition before the alert’s end is sent.'),
  repeatAfter: setting(
    duration('4h', ['0s', '7d']),
    'Time after which an alert that is on and that nobody has acknowledged is sent again; 0s: never. Those of severity info are never.',
  ),
  escalate: subsection({
    after: setting(
      duration('30m', ['1m', '7d']),
      'Time without acknowledgement after which `alerts.escalate.to` is told.',
    ),
    to: setting(list(text(kind.destinationName), { default: [] }), {
      description:
        'Names of destinations that are told of alerts that nobody acknowledged, how these go on, and nothing else.',
      example: ['duty'],
    }),
  }),
  consoleUrl: optional(text(kind.httpUrl), {
    description: 'Where operators reach the console: messages link to it, to acknowledge, and to its runbook.',
    whenAbsent: 'the address of the private listener',
    example: 'https://admin.example.com',
  }),
  heartbeat: subsection({
    url: optional(text(kind.httpUrl, { secret: true }), {
      description:
        'A dead man’s switch outside, asked while this process is ready: it tells you once nobody does. See [heartbeat](operators/monitoring.md#heartbeat).',
      whenAbsent: 'no heartbeat',
      security: 'It is never shown.',
      example: 'https://hc-ping.com/your-check-uuid',
    }),
    every: setting(duration('60s', ['10s', '1h']), 'Time between two heartbeats.'),
    method: setting(oneOf(['GET', 'POST'], 'GET'), 'How the URL is asked. Any status of 200 to 299 counts.'),
    unreadyFor: setting(
      duration('2m', ['0s', '1h']),
      'Time for which the process may be unready before its heartbeat stops.',
    ),
    allowHttp: setting(truth(), 'Permits http://, for a switch in your own network.'),
  }),
});
