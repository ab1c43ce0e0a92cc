import { createHash } from 'node:crypto';
import { states } from '../../web/portal/states.ts';
import type { MaintenanceWindowBody, PublicServiceStatus, ServiceStatusBody } from '../contract/schemas.ts';
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

/** Polls are more frequent unless they are configured otherwise. */
const silentAfterMs = 5_000;

/** Whether trouble is that no data arrives, which is so from its first seconds, before the status calls it an outage. */
export function isSilent({ components: { ticker }, lastUpdatedAtMs, serverTimeMs }: ServiceStatusBody): boolean {
  return ticker === 'outage' || (ticker === 'degraded' && serverTimeMs - (lastUpdatedAtMs ?? 0) >= silentAfterMs);
}

/**
 * `summary.json` in the shape that hosted status pages have made common, so that their readers work with it. Instants are
 * ISO 8601 in UTC. Unknown values are null.
 * @param windows announced or running, the nearest first
 */
export function statusSummary(site: Site, body: ServiceStatusBody, windows: readonly MaintenanceWindowBody[]): object {
  const page = { id: 'market-data', name: nameOf(site), url: `${site.baseUrl}/status`, time_zone: 'Etc/UTC' };
  return {
    page: { ...page, updated_at: body.serverTime },
    status: { indicator: states[body.status].indicator, description: description(body) },
    components: components(body),
    incidents: incidents(body),
    scheduled_maintenances: windows.map((window) => scheduledMaintenance(window, body.serverTimeMs)),
  };
}

/** Describes the status; of trouble with the data it says how old that is. */
function description(body: ServiceStatusBody): string {
  const { status, lastUpdatedAtMs, serverTimeMs } = body;
  if (status === 'operational' || status === 'maintenance') return descriptions[status];
  const [words, data] = isSilent(body) ? [descriptions.outage, 'the last'] : [descriptions[status], 'its data'];
  if (lastUpdatedAtMs === null) return words;
  return `${words}: ${data} is ${durationInWords({ language: 'en' }, serverTimeMs - lastUpdatedAtMs)} old`;
}

function components({ api, components: { ticker }, lastUpdatedAt, serverTime }: ServiceStatusBody): object[] {
  const shared = { group: false, group_id: null, showcase: true, only_show_if_degraded: false };
  const part = (id: string, name: string, description: string, state: PublicServiceStatus) => {
    return { id, name, description, status: states[state].component };
  };
  const feed = 'The feed that prices come from. updated_at is when it last proved current.';
  return [
    { ...part('api', 'API', 'Every endpoint under /v1.', api), position: 1, updated_at: serverTime, ...shared },
    { ...part('market-data', 'Market data', feed, ticker), position: 2, updated_at: lastUpdatedAt, ...shared },
  ];
}

/** Lists incidents: the service itself detects only that no market data arrives. It began with the last data. */
function incidents(body: ServiceStatusBody): object[] {
  if (!isSilent(body)) return [];
  const { components, lastUpdatedAt, lastUpdatedAtMs } = body;
  return [
    {
      id: `market-data-${lastUpdatedAtMs ?? 'never'}`,
      name: descriptions.outage,
      status: 'investigating',
      impact: states[components.ticker].indicator,
      started_at: lastUpdatedAt,
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
