import { isoInstant } from '../contract/instant.ts';
import { Type } from '../contract/schema-builder.ts';
import { type OverloadCause, overloadSignals, overloadText } from '../http/overload.ts';
import { runningWindow } from '../market/maintenance.ts';
import { count, instantMs, line, nullable, object, openEnum, whole } from '../operator/fields.ts';
import { condition, measured } from './condition.ts';
import type { Observed } from './observed.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A counter that grew is shown for this long, as its rule shows it. */
const grownShownMs = 5 * minuteMs;
const certificateEndsSoonMs = 14 * dayMs;

/** A bound, and what was measured beside it. */
const measure = { value: count('What was measured.', 97), bound: count('Its bound.', 90) };

const OverloadSchema = object('Why requests are refused now.', {
  signal: openEnum(
    overloadSignals,
    '`load`: percent of its time that the serving thread works. `heap`: percent of the heap. `unsent`: MiB of answers that wait.',
  ),
  step: Type.Unsafe<OverloadCause['step']>(
    whole(
      '1: requests without a key. 2: and those with one on new connections. 3: all but `/v1/time` and `/v1/status`.',
      [1, 3],
      1,
    ),
  ),
  ...measure,
  late: nullable(object('How late the event loop runs, in milliseconds.', measure), 'Null but for `load`.'),
});

/** Conditions of the process and of its listeners. */
export const service = {
  ServiceDown: measured({
    event: 'service',
    severity: 'critical',
    forMs: minuteMs,
    title: 'A process of the Market Data API does not answer',
    rule: {
      expr: 'up{job="mdapi"} == 0',
      description: '{{ $labels.instance }} has not answered a scrape for a minute.',
    },
  }),

  ServiceRestarting: measured({
    event: 'service',
    severity: 'critical',
    forMs: 0,
    title: 'The process keeps restarting',
    rule: {
      expr: 'changes(mdapi_process_start_time_seconds[15m]) >= 3',
      description: '{{ $labels.instance }} was started {{ $value }} times in 15 minutes.',
    },
  }),

  Starting: condition({
    event: 'service',
    severity: 'info',
    forMs: 0,
    title: 'API keys are still being loaded',
    find: ({ phase }) => phase() === 'starting',
    note: { page: null },
  }),

  Draining: condition({
    event: 'service',
    severity: 'info',
    forMs: 0,
    title: 'shutting down',
    find: ({ phase }) => phase() === 'draining',
    note: { page: null },
  }),

  LogNotWritten: condition({
    event: 'service',
    severity: 'warning',
    forMs: 0,
    title: 'The log cannot be written',
    values: {
      trouble: line('The code of the system, or `not read` where its reader stands still.', 'ENOSPC'),
      lost: count('Lines that were lost since the start.', 120),
    },
    *find({ logFigures }) {
      const { trouble, lost } = logFigures?.() ?? {};
      if (trouble !== undefined) yield { values: { trouble, lost: lost ?? 0 } };
    },
    sentence: ({ trouble, lost }) =>
      `the log cannot be written (${trouble}), and ${lost} lines of it are lost: answers go on`,
    note: { page: null },
    rule: {
      expr: 'increase(mdapi_log_lines_lost_total[10m]) > 0',
      description: '{{ $labels.instance }} lost lines of its log: a full disk, or a reader that stands still.',
    },
  }),

  InternalErrors: condition({
    event: 'service',
    severity: 'warning',
    forMs: 0,
    title: 'A request failed because of a defect',
    find: ({ listener }, hasGrown) => hasGrown(listener.counts.byCode.get('INTERNAL_ERROR') ?? 0, grownShownMs),
    rule: {
      expr: 'increase(mdapi_errors_total{code="INTERNAL_ERROR"}[5m]) > 0',
      description:
        '{{ $labels.instance }} answered about {{ $value | humanize }} requests with INTERNAL_ERROR in five minutes.',
    },
  }),

  ServerErrors: measured({
    event: 'service',
    severity: 'critical',
    forMs: 5 * minuteMs,
    title: 'More than one request in twenty fails',
    rule: {
      comment: '503 is the expected answer during an announced window.',
      expr: `(
  sum by (job, instance) (rate(mdapi_requests_total{status=~"5.."}[5m]))
    / (sum by (job, instance) (rate(mdapi_requests_total[5m])) > 0)
) > 0.05
unless on (job, instance) mdapi_service_status{state="maintenance"} == 1`,
      description: '{{ $value | humanizePercentage }} of the answers of {{ $labels.instance }} are 5xx.',
    },
  }),

  EventLoopLate: measured({
    event: 'service',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'The process answers late',
    rule: {
      expr: 'mdapi_event_loop_delay_seconds{percentile="99"} > 0.1',
      description:
        'One in a hundred turns of the event loop of {{ $labels.instance }} is over {{ $value | humanizeDuration }} late.',
    },
  }),

  RequestsShed: condition({
    event: 'service',
    severity: 'critical',
    forMs: 0,
    title: 'Requests are refused because of overload',
    values: { overload: nullable(OverloadSchema, 'Null where requests were refused a short while ago.') },
    *find({ listener }, hasGrown) {
      const { cause } = listener.overload;
      if (cause !== undefined) yield { values: { overload: { ...cause, late: cause.late ?? null } } };
      else if (hasGrown(listener.counts.shed, grownShownMs)) yield { values: { overload: null } };
    },
    sentence: ({ overload }) =>
      overload === null
        ? 'Requests are refused because of overload'
        : overloadText({ ...overload, late: overload.late ?? undefined }),
    note: { page: null },
    rule: {
      expr: 'increase(mdapi_requests_shed_total[5m]) > 0',
      description: '{{ $labels.instance }} refused about {{ $value | humanize }} requests in five minutes.',
    },
  }),

  ConnectionsDropped: condition({
    event: 'service',
    severity: 'critical',
    forMs: 0,
    title: 'Connections are refused',
    find: ({ listener }, hasGrown) => hasGrown(listener.connectionFigures().dropped, grownShownMs),
    rule: {
      expr: 'increase(mdapi_connections_dropped_total[5m]) > 0',
      description:
        '{{ $labels.instance }} refused about {{ $value | humanize }} connections in five minutes, because too many were open.',
    },
  }),

  FileDescriptorsShort: measured({
    event: 'service',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'Open files are close to their limit',
    rule: {
      expr: 'mdapi_process_open_fds > 0.8 * mdapi_process_max_fds',
      description: '{{ $labels.instance }} has {{ $value }} open.',
    },
  }),

  Maintenance: condition({
    event: 'maintenance',
    severity: 'info',
    forMs: 0,
    title: 'Maintenance runs',
    isExact: true,
    values: {
      fromMs: instantMs('When the window began.'),
      toMs: instantMs('When it ends.'),
      description: line('What was announced.', 'Database maintenance.', 500),
    },
    *find({ market: { service: board }, clock }) {
      const window = runningWindow(board.announced, clock.now());
      if (window === undefined) return;
      const { from, to, description } = window;
      yield { subject: isoInstant(from), values: { fromMs: from, toMs: to, description } };
    },
    sentence: ({ toMs, description }) => `maintenance until ${isoInstant(toMs)}: ${description}`,
    note: { page: 'maintenance', sentence: () => 'an announced maintenance window is running' },
  }),
};

/** Conditions of the certificate that clients see. */
export const certificate = {
  CertificateEndsSoon: condition({
    event: 'certificate',
    severity: 'warning',
    forMs: 0,
    title: 'The TLS certificate expires soon',
    values: { days: count('Whole days until then.', 13) },
    *find(observed) {
      const leftMs = certificateLeftMs(observed);
      if (leftMs > 0 && leftMs <= certificateEndsSoonMs)
        yield { subject: 'server.tls', values: { days: Math.floor(leftMs / dayMs) } };
    },
    sentence: ({ days }) => `the TLS certificate expires in ${days} days`,
    note: { page: null },
  }),

  CertificateExpired: condition({
    event: 'certificate',
    severity: 'critical',
    forMs: 0,
    title: 'the TLS certificate has expired',
    *find(observed) {
      if (certificateLeftMs(observed) <= 0) yield { subject: 'server.tls' };
    },
    note: { page: null },
  }),
};

function certificateLeftMs({ listener, clock }: Observed): number {
  return (listener.certificateExpiresAt() ?? Number.POSITIVE_INFINITY) - clock.now();
}
