import * as kind from '../kinds.ts';
import { duration, optional, section, setting, subsection, text } from '../kinds.ts';

export const store = setting(text(kind.storeUrl, { default: 'sqlite:./mdapi.sqlite', secret: true }), {
  description:
    'The database. An SQLite file is created when absent, a PostgreSQL database has to exist. `sslmode` is `disable`, `require`, `verify-ca` or `verify-full`; `sslrootcert`, `sslcert` and `sslkey` name PEM files.',
  security: 'It holds key digests and e-mail addresses: readable by the service’s user alone.',
  example: 'postgres://mdapi@db.example.com/mdapi?sslmode=verify-full',
});

export const dataDir = setting(text(kind.path, { default: '.' }), {
  description:
    'The folder in which relative paths of `store` and `history` lie, whoever runs a command and from wherever; itself relative to the configuration file. Options of a command, such as `--store`, begin where it is called.',
  example: '/var/lib/mdapi',
});

export const redis = optional(text(kind.redisUrl, { secret: true }), {
  description:
    'Redis 6 or newer, or Valkey, for several processes: they count limits there and elect the one that runs the feed. `rediss://` verifies the certificate against the system’s authorities and `NODE_EXTRA_CA_CERTS`, or against the PEM file of `?sslrootcert=` alone; `sslcert=` and `sslkey=` name the certificate and key to show, read anew for each connection.',
  whenAbsent: 'one process serves alone',
  security: 'Whoever can write there lifts limits and publishes prices: keep it on a network only you reach.',
  example: 'rediss://mdapi:password@redis.example.com:6380/0',
});

export const history = section('The record of every published price and every answer to a key.', {
  url: optional(text(kind.recordUrl, { secret: true }), {
    description:
      'The record of what was quoted and served. An SQLite file of its own is made when absent, with journals beside it; several processes on a machine can share it. A PostgreSQL database has to exist, is written as `store` is, and takes the record of several machines. `off` records nothing.',
    whenAbsent: '`history.sqlite` beside the SQLite file of `store`; with PostgreSQL it has to be named',
    security: 'It holds ids of keys and no address: readable by the service’s user alone.',
    example: 'postgres://mdapi@db.example.com/record?sslmode=verify-full',
  }),
  journal: setting(
    text(kind.path, { default: './history' }),
    'For a record in PostgreSQL: what the paths of the journals on this machine begin with. They hold what is not in the database yet, on a disk that outlives the process.',
  ),
  keepFor: setting(duration('30d', ['1h', '3650d']), {
    description: 'How long the record is kept; a hold keeps a span beyond it.',
    security: 'MiCA asks providers of crypto-asset services for records of 5 years: `1830d`.',
  }),
  sealTo: optional(text(kind.mailbox), {
    description: 'Who gets the last hash of each day by mail; needs `mail.smtp`.',
    whenAbsent: 'the log alone has it',
    security:
      'An address that whoever can change the record cannot read: the hash proves what was recorded until then.',
    example: 'Compliance <compliance@example.com>',
  }),
  timestamp: subsection({
    url: optional(text(kind.httpUrl), {
      description:
        'A time stamp authority (RFC 3161), which is asked to stamp the SHA-256 of the last hash of each day.',
      whenAbsent: 'nothing is stamped',
      example: 'https://tsa.example.com/tsr',
    }),
  }),
  clickhouse: subsection({
    url: optional(text(kind.clickHouseUrl, { secret: true }), {
      description:
        'Where `mdapi history ship` copies the record to: the HTTP interface of ClickHouse, with a database that exists and is for this record alone.',
      whenAbsent: 'nothing is copied',
      security: 'It gets ids of keys and no address. Use `https://` beyond this machine.',
      example: 'https://mdapi:password@clickhouse.example.com:8443/record',
    }),
    keepFor: setting(
      duration('1830d', ['1d', '3650d']),
      'How long ClickHouse keeps rows: the TTL of the tables, in whole months. `mdapi history ship --create` sets it.',
    ),
  }),
});
