import Type from 'typebox';
import { MaintenanceWindowSchema, publicServiceStatuses } from '../contract/schemas.ts';
import type { EpochMs } from '../ground/clock.ts';
import { ConditionSchema } from '../operator/alert.ts';
import * as fields from '../operator/fields.ts';
import { NoteSchema } from './note.ts';
import { operation, reading } from './operation.ts';
import type { Management } from './parts.ts';
import { MinuteSchema, minutesMax } from './request-history.ts';
import { marketsByStatus } from './views.ts';

const ServiceStateSchema = {
  ...fields.openEnum(publicServiceStatuses, 'State of the service or of a part of it.'),
  $id: 'ServiceState',
};
const PublicWindowSchema = { ...MaintenanceWindowSchema, $id: 'PublicWindow' };
const serviceState = (description: string) => fields.described(ServiceStateSchema, description);

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
  status: fields.described(ServiceStatusSchema, 'The status that clients see.'),
  dataAgeMs: fields.nullableCount('Age of the market data in milliseconds; null when there has been none.', 420),
  storeReachable: Type.Boolean({ description: 'Whether the database can be read and written now.' }),
  markets: fields.object('Markets by their state.', fields.tabled('Overview.markets')),
  requests: fields.object('Requests on the public listener.', fields.tabled('Overview.requests')),
  connections: fields.object('Connections of the public listener.', fields.tabled('Overview.connections')),
  keys: fields.object('API keys.', { held: fields.count('Keys held in memory: all but revoked ones.', 900) }),
  ...fields.tabled('Overview.process'),
  notices: fields.object('E-mail to key holders.', fields.tabled('Overview.notices')),
});

const MinutesSchema = fields.named('Minutes', 'The last 24 hours.', {
  minutes: fields.listOf(MinuteSchema, 'Oldest first. Missing are those in which no process ran.', minutesMax),
});

export const overviewOperations = {
  readOverview: reading(OverviewSchema, ({ now }, management) => {
    const { clock, market, listener, access, changes, notifier, delay, configuration } = management;
    const phase = management.phase();
    const { open, dropped, droppedOfAddress, evicted, cut } = listener.connectionFigures();
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
      connections: { open, dropped, droppedOfAddress, evicted, cut },
      keys: { held: access.directory.size },
      eventLoopDelayP99Ms: Math.round(delay.p99Ms() * 10) / 10,
      residentBytes: process.memoryUsage.rss(),
      uptimeSeconds: Math.max(0, Math.floor((now - management.startedAt) / 1_000)),
      notices: { pending: notifier.figures().pending, mailConfigured: configuration.mail !== undefined },
    };
  }),

  readMinutes: operation({
    query: Type.Object({ since: Type.Optional(fields.instantMs('Only what is after this instant.')) }),
    answer: MinutesSchema,
    handle: ({ query }, { requests }) => ({ minutes: requests.minutesSince(query.since ?? -1) }),
  }),
};

function marketFigures(management: Management, now: EpochMs) {
  const { trading, paused, delisted } = marketsByStatus(management);
  const unpriced = Object.fromEntries(management.market.board.unpriced(now));
  const without = Object.values(unpriced).reduce((sum, number) => sum + number, 0);
  const offered = trading + paused;
  return { listed: offered + delisted, trading, paused, delisted, priced: offered - without, unpriced };
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
