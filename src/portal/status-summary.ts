import { createHash } from 'node:crypto';
import { states } from '../../web/portal/states.ts';
import type { CurrentStatus } from '../board/service-board.ts';
import { isoInstant } from '../contract/instant.ts';
import type { MaintenanceWindowBody, PublicServiceStatus } from '../contract/schemas.ts';
import { durationInWords } from './language.ts';
import { nameOf, type Site } from './site.ts';

/** Route of the machine readable twin of the status page. */
export const summaryRoute = '/status/summary.json';

const descriptions: Readonly<Record<PublicServiceStatus, string>> = {
  operational: 'All systems operational',
  degraded: 'The service works worse than usual',
  outage: 'Market data is not arriving',
  maintenance: 'Maintenance is running',
};

/**
 * `summary.json` in the shape that hosted status pages have made common, so that their readers work with it. Instants
 * are ISO 8601 in UTC. Unknown values are null.
 * @param windows announced or running, the nearest first
 */
export function statusSummary(site: Site, current: CurrentStatus, windows: readonly MaintenanceWindowBody[]): object {
  const { body } = current;
  const page = { id: 'market-data', name: nameOf(site), url: `${site.baseUrl}/status`, time_zone: zoneOf(site) };
  return {
    page: { ...page, updated_at: body.serverTime },
    status: { indicator: states[body.status].indicator, description: description(current) },
    components: components(current),
    incidents: incidents(current),
    scheduled_maintenances: windows.map((window) => scheduledMaintenance(window, body.serverTimeMs)),
  };
}

/** The zone by the name that readers of such summaries know. */
function zoneOf({ timeZone }: Site): string {
  return timeZone === 'UTC' ? 'Etc/UTC' : timeZone;
}

/** Describes the status; of trouble with the data it says how old that is. */
function description({ body, flow }: CurrentStatus): string {
  const { status, lastUpdatedAtMs, serverTimeMs } = body;
  if (status === 'operational' || status === 'maintenance') return descriptions[status];
  const [words, data] =
    flow.state === 'silent' ? [descriptions.outage, 'the last'] : [descriptions[status], 'its data'];
  if (lastUpdatedAtMs === null) return words;
  return `${words}: ${data} is ${durationInWords({ language: 'en' }, serverTimeMs - lastUpdatedAtMs)} old`;
}

function components({ body, flow }: CurrentStatus): object[] {
  const { api, lastUpdatedAt, serverTime } = body;
  const shared = { group: false, group_id: null, showcase: true, only_show_if_degraded: false };
  const part = (id: string, name: string, description: string, state: PublicServiceStatus) => {
    return { id, name, description, status: states[state].component };
  };
  const feed = 'The feed that prices come from. updated_at is when it last proved current.';
  return [
    { ...part('api', 'API', 'Every endpoint under /v1.', api), position: 1, updated_at: serverTime, ...shared },
    {
      ...part('market-data', 'Market data', feed, body.components.ticker),
      position: 2,
      updated_at: lastUpdatedAt,
      // Beyond the common shape: whether data flows, which the state alone does not say.
      data_flow: flow.state,
      silent_since: flow.state === 'silent' && flow.since !== undefined ? isoInstant(flow.since) : null,
      ...shared,
    },
  ];
}

/** Lists incidents: the service itself detects only that no market data arrives. */
function incidents({ body: { components, lastUpdatedAtMs }, flow }: CurrentStatus): object[] {
  if (flow.state !== 'silent') return [];
  return [
    {
      id: `market-data-${lastUpdatedAtMs ?? 'never'}`,
      name: descriptions.outage,
      status: 'investigating',
      impact: states[components.ticker].indicator,
      started_at: flow.since === undefined ? null : isoInstant(flow.since),
      resolved_at: null,
      incident_updates: [],
    },
  ];
}

function scheduledMaintenance({ from, fromMs, to, description }: MaintenanceWindowBody, nowMs: number): object {
  const runs = fromMs <= nowMs;
  return {
    id: `maintenance-${createHash('sha256').update(`${fromMs} ${description}`).digest('hex').slice(0, 12)}`,
    name: description,
    status: runs ? 'in_progress' : 'scheduled',
    impact: 'maintenance',
    scheduled_for: from,
    scheduled_until: to,
    started_at: runs ? from : null,
    resolved_at: null,
    incident_updates: [],
  };
}
