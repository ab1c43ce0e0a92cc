import { Type } from 'typebox';
import { duration, optionalText, wholeNumber } from './schema-kinds.ts';

export const mailSchema = Type.Object(
  {
    smtp: optionalText('smtp-url', {
      description:
        'Mail server that takes the notices to key holders, set together with `mail.from`. `smtps://` is TLS from the start (port 465), `smtp://` uses STARTTLS when the server offers it (port 587). User and password are percent-encoded.',
      whenAbsent: 'notices are recorded and shown by `mdapi notices list`, not sent',
      security:
        'Holds a password: give it as `MDAPI_MAIL_SMTP_FILE`. With a password the connection has to be TLS, unless the server is on this machine; its certificate has to be valid.',
      secret: true,
      examples: ['smtps://mdapi:password@mail.example.com'],
    }),
    from: optionalText('mailbox', {
      description: 'Sender of the notices. Answers and bounces come here.',
      whenAbsent: 'no notices are sent',
      examples: ['Market data <api@example.com>'],
    }),
  },
  { description: 'E-mail to the holders of API keys.' },
);

export const noticesSchema = Type.Object(
  {
    breachedMinutes: wholeNumber({
      default: 3,
      minimum: 1,
      maximum: 60,
      unit: 'minutes',
      description: 'So many minutes in which a key was refused by its limit make one e-mail to its holder.',
    }),
    within: duration({
      default: '1h',
      atLeast: '1m',
      atMost: '7d',
      description: 'Span in which those minutes have to lie; not shorter than they are together.',
    }),
    atMostEvery: duration({
      default: '24h',
      atLeast: '1m',
      atMost: '90d',
      description: 'After a notice about a key no other is made for this long.',
    }),
  },
  { description: 'When repeated breaches of a key\u2019s limit lead to an e-mail.' },
);
