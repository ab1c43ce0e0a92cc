import * as kind from '../kinds.ts';
import { duration, oneOf, optional, section, setting, text, wholeNumber } from '../kinds.ts';

export const logs = section('The log on stderr, one JSON object a line.', {
  access: setting(oneOf(['off', 'refused', 'all'], 'off'), {
    description:
      'Requests to log at level `info`, with request id, key id, route, status, code, time and bytes; `refused`: status 400 and above.',
    security: 'A flood of requests fills the log.',
  }),
  level: setting(oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'), {
    description: 'Least important entries to write.',
    security: 'No level logs keys or addresses of clients.',
  }),
});

export const telemetry = section('OpenTelemetry; off unless `telemetry.otlp` is set.', {
  otlp: optional(text(kind.httpUrl), {
    description:
      'OpenTelemetry collector (OTLP over HTTP) that gets the metrics of `/metrics` and traces of requests; `/v1/metrics` and `/v1/traces` are added.',
    whenAbsent: 'nothing is sent',
    example: 'http://127.0.0.1:4318',
  }),
  authorization: optional(text(kind.word, { secret: true }), {
    description: 'Value of the `Authorization` header sent to the collector.',
    whenAbsent: 'none is sent',
    example: 'Bearer …',
  }),
  every: setting(duration('15s', ['1s', '5m']), 'Time between two deliveries.'),
  tracesPercent: setting(
    wholeNumber(1, [0, 100]),
    'Share of requests that are traced where their `traceparent` does not decide it. The request id is the id of the trace.',
  ),
});

export const timeZone = optional(text(kind.timeZone), {
  description:
    'Yours: of instants on the command line, in evidence, in mails to clients, and on the status page and in its feed, where scripts show the time of the visitor’s zone instead.',
  whenAbsent: 'instants on the command line need an offset; pages and mails are in UTC',
  example: 'Europe/Prague',
});
