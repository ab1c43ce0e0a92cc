import Type from 'typebox';
import { ConditionSchema } from '../conditions/alert.ts';
import { NoteSchema } from '../conditions/notes.ts';
import { MaintenanceWindowSchema, publicServiceStatuses } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import * as fields from '../operator/fields.ts';
import { marketsByStatus } from '../operator/market.ts';
import { operation } from './operation.ts';
import type { Management } from './parts.ts';
import { MinuteSchema, minutesMax } from './request-history.ts';

const ServiceStateSchema = {
  ...fields.openEnum(publicServiceStatuses, 'State of the service or of a part of it.'),
  $id: 'ServiceState',
};
const PublicWindowSchema = { ...MaintenanceWindowSchema, $id: 'PublicWindow' };
const serviceState = (description: string) => fields.referenceTo(ServiceStateSchema, description);

/** The body of `/v1/status` (contract, ServiceStatus), with the components of this document. */
export const ServiceStatusSchema = fields.named('ServiceStatus', 'Exactly the body clients get from `/v1/status`.', {
  status: serviceState('Overall status.'),
  api: serviceState('Status of the API itself.'),
  components: fields.object('Its parts.', { ticker: serviceState('Status of the market data.') }),
  maintenance: fields.nullable(PublicWindowSchema, 'The running window, else the nearest announced one, else null.'),
  ...fields.nullableInstantFields('lastUpdatedAt', 'When the feed was last updated.'),
  ...fields.instantFields('serverTime', 'The time of the server.'),
});

const OverviewSchema = fields.named('Overview', 'The state of the service.', {
  version: fields.line('Version of the software.', '1.0.0', 50),
  baseUrl: fields.line('Where clients reach the service.', 'https://api.example.com', 2_048),
  phase: fields.openEnum(['serving', 'starting', 'draining'], 'Where the process is in its life.'),
  ready: Type.Boolean({ description: 'Whether traffic may be sent here.' }),
  notes: fields.listOf(NoteSchema, 'What needs attention, the most urgent first, and what else is unusual.'),
  alerts: fields.listOf(ConditionSchema, 'What holds in this process, the most urgent first.'),
  ...fields.instantFields('startedAt', 'When the process started.'),
  ...fields.instantFields('serverTime', 'The time of the server.'),
  status: fields.referenceTo(ServiceStatusSchema, 'The status that clients see.'),
  dataAgeMs: fields.nullableCount('Age of the market data in milliseconds; null when there has been none.', 420),
  storeReachable: Type.Boolean({ description: 'Whether the database can be read and written now.' }),
  markets: fields.object('Markets by their state.', {
    listed: fields.count('Markets that clients see.', 8),
    trading: fields.count('Of these, traded.', 6),
    paused: fields.count('Of these, paused.', 1),
    delisted: fields.count('Of these, delisted less than 30 days ago.', 1),
    priced: fields.count('Markets that have a price now.', 7),
    unpriced: fields.counts('Markets that should have a price and have none, by reason.', { no_rate: 2 }),
  }),
  requests: fields.object('Requests on the public listener.', {
    total: fields.count('Requests answered since the start.', 120_000),
    byStatusClass: fields.counts('The same by the first digit of the status.', { '2xx': 119_000, '4xx': 1000 }),
    problems: fields.counts('Error answers by code.', { UNKNOWN_SYMBOL: 12 }),
    limited: fields.counts('Requests refused by a limit, by limit.', { key: 4, address: 0, failedAuthentication: 0 }),
    perSecond: fields.figure('Over the last ten seconds.', 41.7),
  }),
  connections: fields.object('Connections of the public listener.', {
    open: fields.count('Open now.', 210),
    dropped: fields.count('Refused because too many were open.', 0),
    droppedOfAddress: fields.count('Refused because too many were open from the same address.', 0),
    evicted: fields.count('Idle and without a valid key, closed for others.', 0),
    cut: fields.count('Cut because the client did not read its answer.', 0),
  }),
  keys: fields.object('API keys.', { held: fields.count('Keys held in memory: all but revoked ones.', 900) }),
  eventLoopDelayP99Ms: fields.figure(
    'How late the event loop runs (99th percentile of the last seconds), in milliseconds.',
    1.2,
  ),
  residentBytes: fields.count('Memory of the process.', 180_000_000),
  uptimeSeconds: fields.count('Since the start.', 86_400),
  notices: fields.object('E-mail to key holders.', {
    pending: fields.count('Notices to key holders that are still to be sent.', 0),
    mailConfigured: Type.Boolean({ description: 'Whether notices are sent at all.' }),
  }),
});

const MinutesSchema = fields.named('Minutes', 'The last 24 hours.', {
  minutes: fields.listOf(MinuteSchema, 'Oldest first. Missing are those in which no process ran.', minutesMax),
});

export const overviewOperations = {
  readOverview: operation({
    path: '/api/overview',
    summary: 'The state of the service',
    description:
      'All figures at one instant: status, markets, traffic, keys, the process. Cheap enough to poll every second.',
    answer: OverviewSchema,
    handle({ now }, management) {
      const { clock, market, access, changes, notifier, delay, configuration } = management;
      const phase = management.phase();
      return {
        version: management.version,
        baseUrl: management.publicUrls().baseUrl,
        phase,
        ready: phase === 'serving',
        notes: management.notes(),
        alerts: management.alerts(),
        ...fields.instants('startedAt', management.startedAt),
        ...fields.instants('serverTime', now),
        status: market.service.status(now),
        dataAgeMs: market.feedStatus.ageMs(now, clock.monotonicMs()) ?? null,
        storeReachable: changes.reachable(),
        markets: marketFigures(management, now),
        requests: requestFigures(management),
        connections: connectionFigures(management),
        keys: { held: access.directory.size },
        eventLoopDelayP99Ms: Math.round(delay.p99Ms() * 10) / 10,
        residentBytes: process.memoryUsage.rss(),
        uptimeSeconds: Math.max(0, Math.floor((now - management.startedAt) / 1_000)),
        notices: { pending: notifier.figures().pending, mailConfigured: configuration.mail !== undefined },
      };
    },
  }),

  readMinutes: operation({
    path: '/api/overview/minutes',
    summary: 'The last 24 hours, minute by minute',
    description:
      'Requests, errors, latency and held prices of all processes on the database. The last ten minutes may still grow.',
    query: Type.Object({ since: Type.Optional(fields.instantMs('Only what is after this instant.')) }),
    answer: MinutesSchema,
    handle: ({ query }, { requests }) => ({ minutes: requests.minutesSince(query.since ?? -1) }),
  }),
};

function marketFigures(management: Management, now: EpochMs) {
  const { trading, paused, delisted } = marketsByStatus(management.market.markets, now);
  const unpriced = Object.fromEntries(management.market.board.unpriced(now));
  const without = Object.values(unpriced).reduce((sum, number) => sum + number, 0);
  const offered = trading + paused;
  return { listed: offered + delisted, trading, paused, delisted, priced: offered - without, unpriced };
}

function connectionFigures({ listener }: Management) {
  const { open, dropped, droppedOfAddress, evicted, cut } = listener.connectionFigures();
  return { open, dropped, droppedOfAddress, evicted, cut };
}

function requestFigures({ listener: { counts }, requests }: Management) {
  const byStatusClass: Record<string, number> = {};
  for (const statuses of counts.byRouteAndStatus.values()) {
    for (const [status, number] of statuses) {
      const name = `${Math.floor(status / 100)}xx`;
      byStatusClass[name] = (byStatusClass[name] ?? 0) + number;
    }
  }
  const { key = 0, address = 0, failedAuthentication = 0 } = Object.fromEntries(counts.limitedByCategory);
  return {
    total: requests.total(),
    byStatusClass,
    problems: Object.fromEntries(counts.byCode),
    limited: { key, address, failedAuthentication },
    perSecond: requests.perSecond(),
  };
}
