import * as kind from '../kinds.ts';
import { duration, list, optional, section, setting, subsection, text, truth, wholeNumber } from '../kinds.ts';

export const server = section('The public listener.', {
  host: setting(text(kind.host, { default: '127.0.0.1' }), {
    description: 'Address of the public listener; `0.0.0.0` or `::` is every interface.',
    security: 'API keys travel in a header: bind a reachable address only behind a TLS proxy or with `server.tls`.',
  }),
  port: setting(wholeNumber(8_080, [0, 65_535]), 'Port of the public listener; 0 takes any free one.'),
  baseUrl: optional(text(kind.httpUrl), {
    description: 'URL under which clients reach the service, for links and the OpenAPI document.',
    whenAbsent: 'from host and port',
    security: 'Set it in production: it never comes from a request’s `Host`.',
    example: 'https://api.example.com',
  }),
  errorsUrl: optional(text(kind.httpUrl), {
    description: 'URL of the error pages; the `type` of an error is below it.',
    whenAbsent: '`server.baseUrl` and `/errors`',
    example: 'https://api.example.com/errors',
  }),
  trustedProxies: setting(list(text(kind.ipRange), { default: [] }), {
    description: 'Your reverse proxies. `X-Forwarded-For` is accepted from these alone.',
    security: 'Whoever has one chooses the address that limits count by.',
    example: ['10.0.0.0/8'],
  }),
  tls: subsection({
    certFile: optional(text(kind.path), {
      description: 'PEM file with the certificate and its chain; a renewed one is served within a minute.',
      whenAbsent: 'plain HTTP',
      example: './tls/fullchain.pem',
    }),
    keyFile: optional(text(kind.path), {
      description: 'PEM file with the private key; set together with the certificate.',
      whenAbsent: 'plain HTTP',
      security: 'Readable by the service’s user alone.',
      example: './tls/privkey.pem',
    }),
  }),
  reusePort: setting(truth(), 'Lets several processes of one host listen on the port. Needs `redis` and Linux.'),
  maxConnections: setting(wholeNumber(5_000, [1, 1_000_000]), {
    description:
      'Open connections; for further ones those without a key make room, and if none is left they are closed and counted.',
    security: 'Bounds the memory an attacker can hold. Keep it under the open-file limit.',
  }),
  maxConnectionsPerAddress: setting(
    wholeNumber(200, [1, 1_000_000]),
    'Open connections from one address (an IPv6 /64 counts as one) that have shown no valid key; further ones get 503 with their first request unless it has one. `server.trustedProxies` are exempt.',
  ),
  maxHeaderBytes: setting(
    wholeNumber(8_192, [1_024, 65_536]),
    'Size of request line and headers above which the answer is 431.',
  ),
  headersTimeout: setting(duration('10s', ['1s', '5m']), {
    description: 'Time for a client to send its headers; then 408.',
    security: 'Ends connections that send a header line now and then to stay open.',
  }),
  requestTimeout: setting(
    duration('15s', ['1s', '5m']),
    'Time for a client to send its whole request; at least `server.headersTimeout`.',
  ),
  connectionsCheckInterval: setting(duration('1s', ['100ms', '30s']), 'How often the two timeouts above are checked.'),
  keepAliveTimeout: setting(
    duration('75s', ['1s', '10m']),
    'How long an idle connection stays open: longer than clients’ polling interval and than a proxy keeps it.',
  ),
  writeTimeout: setting(duration('30s', ['1s', '10m']), {
    description: 'Time for a client to read an answer before its connection is closed.',
    security: 'Ends clients that read a byte a second to hold memory.',
  }),
  overloadDelay: setting(
    duration('200ms', ['20ms', '10s']),
    'Event-loop delay (99th percentile) above which a process that is busy for nine tenths of the time sheds requests with 503.',
  ),
  overloadHeapPercent: setting(
    wholeNumber(90, [10, 99]),
    'Share of the heap limit in use, in percent, above which requests are shed likewise.',
  ),
  drainDelay: setting(
    duration('0s', ['0s', '5m']),
    'Time between the stop signal, when `/readyz` turns to 503, and the end of new connections.',
  ),
  shutdownDeadline: setting(duration('10s', ['100ms', '5m']), 'Time for requests in flight to finish on stop.'),
});
