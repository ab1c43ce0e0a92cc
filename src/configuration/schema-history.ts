import { duration, mailbox, optionalText, recordUrl, section } from './kinds.ts';

export const historySchema = section(
  {
    url: optionalText(recordUrl, {
      description:
        'The record of what was quoted and served: an SQLite file of its own, made when absent, with journals beside it. Several processes on a machine can share it. `off` records nothing.',
      whenAbsent: '`history.sqlite` beside the SQLite file of `store`; with PostgreSQL nothing is recorded',
      example: 'sqlite:./history.sqlite',
      security: 'It holds ids of keys and no address: readable by the service’s user alone.',
    }),
    keepFor: duration('30d', ['1h', '3650d'], 'How long the record is kept; a hold keeps a span beyond it.', {
      security: 'MiCA asks providers of crypto-asset services for records of 5 years: `1830d`.',
    }),
    sealTo: optionalText(mailbox, {
      description: 'Who gets the last hash of each day by mail; needs `mail.smtp`.',
      whenAbsent: 'the log alone has it',
      security:
        'An address that whoever can change the record cannot read: the hash proves what was recorded until then.',
      example: 'Compliance <compliance@example.com>',
    }),
  },
  'The record of every published price and every answer to a key.',
);
