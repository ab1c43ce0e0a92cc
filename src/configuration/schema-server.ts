import { Type } from 'typebox';
import { duration, list, oneOf, optionalText, text, wholeNumber, yesOrNo } from './schema-kinds.ts';

export const serverSchema = Type.Object(
  {
    host: text('host', {
      default: '127.0.0.1',
      description: 'Address the public listener binds. `0.0.0.0` or `::` for every interface.',
      security:
        'Bind a reachable address only behind a reverse proxy or with `server.tls`: API keys travel in a header.',
    }),
    port: wholeNumber({
      default: 8080,
      minimum: 0,
      maximum: 65_535,
      description: 'Port of the public listener. 0 takes any free one.',
    }),
    baseUrl: optionalText('http-url', {
      description:
        'Address clients reach the service under, as it stands in the OpenAPI document and in links. A trailing slash is dropped.',
      whenAbsent: '`http://` (or `https://` with `server.tls`), the host and the port',
      security: 'Set it in production: it is never taken from a request, so a forged `Host` header reaches no body.',
      examples: ['https://api.example.com'],
    }),
    errorsUrl: optionalText('http-url', {
      description:
        'Address of the error pages; an error’s `type` is this, a slash and the error’s name. A trailing slash is dropped.',
      whenAbsent: '`server.baseUrl` and `/errors`',
      examples: ['https://api.example.com/errors'],
    }),
    trustedProxies: list(text('ip-range', { description: 'One address or range.' }), {
      default: [],
      description:
        'Addresses and ranges of your own reverse proxies. From those, and only those, `X-Forwarded-For` is believed.',
      security:
        'An address too many lets its owner choose the address the limits count by. All addresses (`/0`) are refused.',
      examples: [['10.0.0.0/8']],
    }),
    tls: Type.Object(
      {
        certFile: optionalText('path', {
          description:
            'PEM file with the certificate and its chain. Set together with `server.tls.keyFile`. A renewed one is served within a minute.',
          whenAbsent: 'plain HTTP',
          examples: ['./tls/fullchain.pem'],
        }),
        keyFile: optionalText('path', {
          description: 'PEM file with the private key.',
          whenAbsent: 'plain HTTP',
          security: 'Readable by the service’s user alone.',
          examples: ['./tls/privkey.pem'],
        }),
      },
      { description: 'HTTPS by the service itself, without a proxy in front.' },
    ),
    reusePort: yesOrNo({
      default: false,
      description:
        'Several processes of one host listen on the same port and the kernel spreads connections over them. Needs `redis` and Linux.',
    }),
    maxConnections: wholeNumber({
      default: 5_000,
      minimum: 1,
      maximum: 1_000_000,
      unit: 'connections',
      description: 'Open connections of the public listener; more are closed at once and counted.',
      security: 'Bounds the memory an attacker can tie up. Keep it under the open-file limit of the process.',
    }),
    maxHeaderBytes: wholeNumber({
      default: 8_192,
      minimum: 1_024,
      maximum: 65_536,
      unit: 'bytes',
      description: 'Largest request line and headers together; above it the answer is 431.',
    }),
    headersTimeout: duration({
      default: '10s',
      atLeast: '1s',
      atMost: '5m',
      description: 'Time a client has to send its headers; then 408.',
      security: 'What ends connections that drip a header line now and then.',
    }),
    requestTimeout: duration({
      default: '15s',
      atLeast: '1s',
      atMost: '5m',
      description: 'Time a client has to send its whole request; not under `server.headersTimeout`.',
    }),
    connectionsCheckInterval: duration({
      default: '1s',
      atLeast: '100ms',
      atMost: '30s',
      description: 'How often the two timeouts above are looked at.',
    }),
    keepAliveTimeout: duration({
      default: '75s',
      atLeast: '1s',
      atMost: '10m',
      description:
        'How long an idle connection is kept. Longer than the clients’ polling interval, and longer than a proxy keeps it.',
    }),
    writeTimeout: duration({
      default: '30s',
      atLeast: '1s',
      atMost: '10m',
      description: 'How long a client may take to read an answer before it is cut off.',
      security: 'What ends clients that read a byte a second to hold memory.',
    }),
    overloadDelay: duration({
      default: '200ms',
      atLeast: '20ms',
      atMost: '10s',
      description: 'Event-loop delay (99th percentile) above which requests are shed with 503, all but `/v1/status`.',
    }),
    overloadHeapPercent: wholeNumber({
      default: 90,
      minimum: 10,
      maximum: 99,
      description:
        'Part of the heap in use, in percent of what the runtime may take, above which requests are shed in the same way.',
    }),
    drainDelay: duration({
      default: '0s',
      atLeast: '0s',
      atMost: '5m',
      description:
        'Time between the signal to stop, when `/readyz` turns to 503, and the end of new connections. For balancers that look at `/readyz`: a little longer than between two looks.',
    }),
    shutdownDeadline: duration({
      default: '10s',
      atLeast: '100ms',
      atMost: '5m',
      description: 'Time answers under way have to finish once the service was told to stop.',
    }),
  },
  { description: 'The public listener.' },
);

export const adminSchema = Type.Object(
  {
    host: text('host', {
      default: '127.0.0.1',
      description: 'Address the private listener binds.',
      security:
        'Health, metrics and prices’ derivations need no sign-in there: keep it on loopback or on a network only you reach. The management API and the console ask for a token.',
    }),
    port: wholeNumber({
      default: 9_090,
      minimum: 0,
      maximum: 65_535,
      description: 'Port of the private listener: health, metrics, management API, console. 0 takes any free one.',
    }),
    hosts: list(text('host', { description: 'One name or address.' }), {
      default: [],
      description:
        'Names under which browsers and programs reach the management API, besides `localhost`, loopback addresses and `admin.host`. Requests for any other name are refused.',
      security:
        'What keeps other people’s web pages from reaching the API through a name they control (DNS rebinding).',
      examples: [['admin.example.com']],
    }),
    token: optionalText('operator-token', {
      description: 'A token for the management API and the console; `configuration` in the audit log.',
      whenAbsent: 'only tokens made by `mdapi admin token` open it',
      security:
        'Whoever has it can make keys and announce maintenance. Give it as `MDAPI_ADMIN_TOKEN_FILE`, long and random.',
      secret: true,
      examples: ['a-long-random-text-of-your-own'],
    }),
    sessionFor: duration({
      default: '12h',
      atLeast: '1m',
      atMost: '30d',
      description: 'How long a sign-in to the console lasts. Sessions end with the process too.',
    }),
    auditFor: duration({
      default: '400d',
      atLeast: '1d',
      atMost: '3650d',
      description: 'How long the audit log keeps an entry.',
    }),
  },
  { description: 'The private listener.' },
);

export const storeSchema = text('store-url', {
  default: 'sqlite:./mdapi.sqlite',
  description:
    'The database: accounts, keys, markets, maintenance windows, the last snapshot. An SQLite file is created when absent; a relative path is relative to the configuration file, or to the working directory when it comes from elsewhere. A PostgreSQL database has to exist; its tables are created. `sslmode` is `disable`, `require`, `verify-ca` or `verify-full`, the latter unless the host is this machine; `sslrootcert`, `sslcert` and `sslkey` name PEM files.',
  security:
    'Holds digests of keys and e-mail addresses: readable by the service’s user alone. With a password in it give it as `MDAPI_STORE_FILE`, or leave the password to `PGPASSFILE`.',
  secret: true,
  examples: ['postgres://mdapi@db.example.com/mdapi?sslmode=verify-full'],
});

export const redisSchema = optionalText('redis-url', {
  description:
    'A Redis (6 or newer) or Valkey server, for several processes that serve the same clients: they count the limits there together, and one of them runs the feed for all. `rediss://` is TLS, the certificate held against the system’s authorities and those in the file that `NODE_EXTRA_CA_CERTS` names. User and password are percent-encoded.',
  whenAbsent: 'this process serves alone',
  security:
    'With a password in it give it as `MDAPI_REDIS_FILE`. Whoever can write to the server can lift the limits and publish prices: keep it on a network only you reach.',
  secret: true,
  examples: ['rediss://mdapi:password@redis.example.com:6380/0'],
});

const perMinute = { minimum: 1, maximum: 1_000_000, unit: 'requests a minute' } as const;

export const limitsSchema = Type.Object(
  {
    key: wholeNumber({
      ...perMinute,
      default: 60,
      description: 'Per valid API key, shared by all endpoints; a key can have its own.',
    }),
    address: wholeNumber({
      ...perMinute,
      default: 30,
      description: 'Per client address, for the root path and the OpenAPI document.',
    }),
    failedAuthentication: wholeNumber({
      ...perMinute,
      default: 10,
      description: 'Per client address, only for requests whose authentication failed.',
      security: 'What slows the guessing of keys.',
    }),
  },
  { description: 'Requests per wall-clock minute. The defaults are the contract’s figures.' },
);

export const logsSchema = Type.Object(
  {
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      default: 'info',
      description: 'The least important entries still written.',
      security: 'Keys are never logged, at any level. `debug` and `trace` log client addresses.',
    }),
  },
  { description: 'The log, one JSON object a line.' },
);
