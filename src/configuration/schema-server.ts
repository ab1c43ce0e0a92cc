import { Type } from 'typebox';
import { configuredLimitMax, contractLimits } from '../contract/limits.ts';
import { personalRoles } from '../operator/role.ts';
import {
  duration,
  host,
  httpUrl,
  ipRange,
  issuer,
  list,
  mailbox,
  map,
  oneOf,
  operatorToken,
  optionalText,
  path,
  redisUrl,
  scope,
  section,
  smtpUrl,
  storeUrl,
  text,
  wholeNumber,
  word,
} from './kinds.ts';

export const serverSchema = section(
  {
    host: text(host, {
      default: '127.0.0.1',
      description: 'Address of the public listener; `0.0.0.0` or `::` is every interface.',
      security: 'API keys travel in a header: bind a reachable address only behind a TLS proxy or with `server.tls`.',
    }),
    port: wholeNumber(8080, [0, 65_535], 'Port of the public listener; 0 takes any free one.'),
    baseUrl: optionalText(httpUrl, {
      description: 'URL under which clients reach the service, for links and the OpenAPI document.',
      whenAbsent: 'from host and port',
      security: 'Set it in production: it never comes from a request’s `Host`.',
      example: 'https://api.example.com',
    }),
    errorsUrl: optionalText(httpUrl, {
      description: 'URL of the error pages; the `type` of an error is below it.',
      whenAbsent: '`server.baseUrl` and `/errors`',
      example: 'https://api.example.com/errors',
    }),
    trustedProxies: list(text(ipRange), {
      default: [],
      description: 'Your reverse proxies. `X-Forwarded-For` is accepted from these alone.',
      security: 'Whoever has one chooses the address that limits count by.',
      example: ['10.0.0.0/8'],
    }),
    tls: section({
      certFile: optionalText(path, {
        description: 'PEM file with the certificate and its chain; a renewed one is served within a minute.',
        whenAbsent: 'plain HTTP',
        example: './tls/fullchain.pem',
      }),
      keyFile: optionalText(path, {
        description: 'PEM file with the private key; set together with the certificate.',
        whenAbsent: 'plain HTTP',
        security: 'Readable by the service’s user alone.',
        example: './tls/privkey.pem',
      }),
    }),
    reusePort: Type.Boolean({
      allowed: 'true or false',
      default: false,
      description: 'Lets several processes of one host listen on the port. Needs `redis` and Linux.',
    }),
    maxConnections: wholeNumber(
      5_000,
      [1, 1_000_000],
      'Open connections; for further ones those without a key make room, and if none is left they are closed and counted.',
      { security: 'Bounds the memory an attacker can hold. Keep it under the open-file limit.' },
    ),
    maxConnectionsPerAddress: wholeNumber(
      200,
      [1, 1_000_000],
      'Open connections from one address (an IPv6 /64 counts as one); `server.trustedProxies` are exempt.',
    ),
    maxHeaderBytes: wholeNumber(
      8_192,
      [1_024, 65_536],
      'Size of request line and headers above which the answer is 431.',
    ),
    headersTimeout: duration('10s', ['1s', '5m'], 'Time for a client to send its headers; then 408.', {
      security: 'Ends connections that send a header line now and then to stay open.',
    }),
    requestTimeout: duration(
      '15s',
      ['1s', '5m'],
      'Time for a client to send its whole request; at least `server.headersTimeout`.',
    ),
    connectionsCheckInterval: duration('1s', ['100ms', '30s'], 'How often the two timeouts above are checked.'),
    keepAliveTimeout: duration(
      '75s',
      ['1s', '10m'],
      'How long an idle connection stays open: longer than clients’ polling interval and than a proxy keeps it.',
    ),
    writeTimeout: duration(
      '30s',
      ['1s', '10m'],
      'Time for a client to read an answer before its connection is closed.',
      { security: 'Ends clients that read a byte a second to hold memory.' },
    ),
    overloadDelay: duration(
      '200ms',
      ['20ms', '10s'],
      'Event-loop delay (99th percentile) above which a process that is busy for nine tenths of the time sheds requests with 503.',
    ),
    overloadHeapPercent: wholeNumber(
      90,
      [10, 99],
      'Share of the heap limit in use, in percent, above which requests are shed likewise.',
    ),
    drainDelay: duration(
      '0s',
      ['0s', '5m'],
      'Time between the stop signal, when `/readyz` turns to 503, and the end of new connections. Set it a little above your balancer’s check interval.',
    ),
    shutdownDeadline: duration('10s', ['100ms', '5m'], 'Time for requests in flight to finish on stop.'),
  },
  'The public listener.',
);

export const adminSchema = section(
  {
    host: text(host, {
      default: '127.0.0.1',
      description: 'Address of the private listener.',
      security:
        'Health, metrics and price derivations need no sign-in: keep it on loopback or a network only you reach.',
    }),
    port: wholeNumber(
      9_090,
      [0, 65_535],
      'Port for health, metrics, management API and console; 0 takes any free one.',
    ),
    hosts: list(text(host), {
      default: [],
      description:
        'Further names of the private listener, besides loopback, `admin.host` and the address a request arrived on; any other `Host` is refused, but on `/livez` and `/readyz`.',
      security: 'Keeps out web pages that point a name at it (DNS rebinding).',
      example: ['admin.example.com'],
    }),
    token: optionalText(operatorToken, {
      description: 'A token for management API and console; the audit log calls it `configuration`.',
      whenAbsent: 'only tokens of `mdapi admin token` are valid',
      security: 'It makes keys and announces maintenance: use a long random text.',
      secret: true,
      example: 'a-long-random-text-of-your-own',
    }),
    sessionFor: duration(
      '12h',
      ['1m', '30d'],
      'How long a sign-in to the console lasts, at most until the process ends.',
    ),
    oidc: section({
      issuer: optionalText(issuer, {
        description:
          'Issuer URL of the OpenID Connect provider for the console. Register `/console/sign-in/callback` of the console’s address there as the redirect URI.',
        whenAbsent: 'sign-in by operator token only',
        example: 'https://login.example.com',
      }),
      clientId: optionalText(word, {
        description: 'Client id at the provider; set together with the secret.',
        whenAbsent: 'no provider',
        example: 'mdapi',
      }),
      clientSecret: optionalText(word, {
        description: 'Secret of the client, sent as HTTP Basic credentials.',
        whenAbsent: 'no provider',
        secret: true,
        example: 'the-secret-of-the-client',
      }),
      scope: text(scope, {
        default: 'openid email profile',
        description: 'Scopes to ask for, with any that the roles claim needs.',
      }),
      rolesClaim: text(word, {
        default: 'roles',
        description: 'Claim of the ID token or UserInfo with one or several values, such as `groups`.',
      }),
      roles: map(text(word), oneOf([...personalRoles], { default: 'read-only', description: '' }), {
        default: {},
        description: 'Values of that claim and their roles; of several the highest counts.',
        security: 'A role holds until the session ends (`admin.sessionFor`). Whoever has none is refused.',
        example: { 'market-data-admins': 'admin' },
      }),
    }),
    auditFor: duration('400d', ['1d', '3650d'], 'How long the audit log keeps an entry.'),
  },
  'The private listener.',
);

export const storeSchema = text(storeUrl, {
  default: 'sqlite:./mdapi.sqlite',
  description:
    'The database. An SQLite file is created when absent, a PostgreSQL database has to exist. `sslmode` is `disable`, `require`, `verify-ca` or `verify-full`; `sslrootcert`, `sslcert` and `sslkey` name PEM files.',
  security: 'It holds key digests and e-mail addresses: readable by the service’s user alone.',
  secret: true,
  example: 'postgres://mdapi@db.example.com/mdapi?sslmode=verify-full',
});

export const redisSchema = optionalText(redisUrl, {
  description:
    'Redis 6 or newer, or Valkey, for several processes: they count limits there and elect the one that runs the feed. `rediss://` verifies the certificate against the system’s authorities and `NODE_EXTRA_CA_CERTS`.',
  whenAbsent: 'one process serves alone',
  security: 'Whoever can write there lifts limits and publishes prices: keep it on a network only you reach.',
  secret: true,
  example: 'rediss://mdapi:password@redis.example.com:6380/0',
});

const limitRange: [number, number] = [1, configuredLimitMax];

export const limitsSchema = section(
  {
    key: wholeNumber(contractLimits.key, limitRange, 'Per valid API key over all endpoints; a key can have its own.'),
    address: wholeNumber(
      contractLimits.address,
      limitRange,
      'Per client address, for the root path and the OpenAPI document.',
    ),
    failedAuthentication: wholeNumber(
      contractLimits.failedAuthentication,
      limitRange,
      'Per client address, for requests whose authentication failed.',
      { security: 'Slows the guessing of keys.' },
    ),
  },
  'Requests per wall-clock minute. The defaults are the contract’s.',
);

export const mailSchema = section(
  {
    smtp: optionalText(smtpUrl, {
      description:
        'Mail server for notices. `smtps://` is TLS from the start (port 465), `smtp://` uses STARTTLS when offered (port 587).',
      whenAbsent: 'notices are recorded, not sent',
      security: 'A password requires TLS with a valid certificate, unless the server is local.',
      secret: true,
      example: 'smtps://mdapi:password@mail.example.com',
    }),
    from: optionalText(mailbox, {
      description: 'Sender of notices, who gets replies and bounces; set together with `mail.smtp`.',
      whenAbsent: 'notices are not sent',
      example: 'Market data <api@example.com>',
    }),
  },
  'E-mail to key holders.',
);

export const noticesSchema = section(
  {
    breachedMinutes: wholeNumber(3, [1, 60], 'Minutes with a refused request that lead to an e-mail.'),
    within: duration('1h', ['1m', '7d'], 'Span in which those minutes lie; at least as long as they are together.'),
    atMostEvery: duration('24h', ['1m', '90d'], 'Least time between two notices about the same key.'),
  },
  'When repeated breaches of a key’s limit lead to an e-mail.',
);

export const logsSchema = section(
  {
    access: oneOf(['off', 'refused', 'all'], {
      default: 'off',
      description:
        'Requests to log at level `info`, with request id, key id, route, status, code, time and bytes; `refused`: status 400 and above.',
      security: 'A flood of requests fills the log.',
    }),
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      default: 'info',
      description: 'Least important entries to write.',
      security: 'No level logs keys or addresses of clients.',
    }),
  },
  'The log on stderr, one JSON object a line.',
);

export const telemetrySchema = section(
  {
    otlp: optionalText(httpUrl, {
      description:
        'OpenTelemetry collector (OTLP over HTTP) that gets the metrics of `/metrics` and traces of requests; `/v1/metrics` and `/v1/traces` are added.',
      whenAbsent: 'nothing is sent',
      example: 'http://127.0.0.1:4318',
    }),
    authorization: optionalText(word, {
      description: 'Value of the `Authorization` header sent to the collector.',
      whenAbsent: 'none is sent',
      secret: true,
      example: 'Bearer …',
    }),
    every: duration('15s', ['1s', '5m'], 'Time between two deliveries.'),
    tracesPercent: wholeNumber(
      1,
      [0, 100],
      'Share of requests that are traced where their `traceparent` does not decide it. The request id is the id of the trace.',
    ),
  },
  'OpenTelemetry; off unless `telemetry.otlp` is set.',
);
