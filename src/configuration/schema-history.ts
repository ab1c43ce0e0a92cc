import { clickHouseUrl, duration, httpUrl, mailbox, optionalText, path, recordUrl, section, text } from './kinds.ts';

export const historySchema = section(
  {
    url: optionalText(recordUrl, {
      description:
        'The record of what was quoted and served. An SQLite file of its own is made when absent, with journals beside it; several processes on a machine can share it. A PostgreSQL database has to exist, is written as `store` is, and takes the record of several machines. `off` records nothing.',
      whenAbsent: '`history.sqlite` beside the SQLite file of `store`; with PostgreSQL it has to be named',
      example: 'postgres://mdapi@db.example.com/record?sslmode=verify-full',
      secret: true,
      security: 'It holds ids of keys and no address: readable by the service’s user alone.',
    }),
    journal: text(path, {
      default: './history',
      description:
        'For a record in PostgreSQL: what the paths of the journals on this machine begin with. They hold what is not in the database yet, on a disk that outlives the process.',
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
    timestamp: section(
      {
        url: optionalText(httpUrl, {
          description:
            'A time stamp authority (RFC 3161), which is asked to stamp the SHA-256 of the last hash of each day.',
          whenAbsent: 'nothing is stamped',
          example: 'https://tsa.example.com/tsr',
        }),
      },
      'A witness of when the record was so: it sees one hash a day.',
    ),
    clickhouse: section(
      {
        url: optionalText(clickHouseUrl, {
          description:
            'Where `mdapi history ship` copies the record to: the HTTP interface of ClickHouse, with a database that exists and is for this record alone.',
          whenAbsent: 'nothing is copied',
          example: 'https://mdapi:password@clickhouse.example.com:8443/record',
          secret: true,
          security: 'It gets ids of keys and no address. Use `https://` beyond this machine.',
        }),
        keepFor: duration(
          '1830d',
          ['1d', '3650d'],
          'How long ClickHouse keeps rows: the TTL of the tables, in whole months. `mdapi history ship --create` sets it.',
        ),
      },
      'A copy of the record for analysis and for years.',
    ),
  },
  'The record of every published price and every answer to a key.',
);
