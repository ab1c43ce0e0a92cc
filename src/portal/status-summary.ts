import { createHash } from 'node:crypto';
import { states } from '../../web/portal/states.ts';
import type { CurrentStatus, ServiceBoard } from '../board/service-board.ts';
import { type HistoryComponent, type Incident, reportedState } from '../board/status-history.ts';
import { type IncidentUpdate, openIncidents, type WrittenIncident } from '../board/written-incidents.ts';
import { isoInstant } from '../contract/instant.ts';
import type { MaintenanceWindowBody, PublicServiceStatus } from '../contract/schemas.ts';
import { componentNames } from './events.ts';
import { durationInWords } from './language.ts';
import { nameOf, routeIn, type Site } from './site.ts';

/** Route of the machine readable twin of the status page. */
export const summaryRoute = '/status/summary.json';

const descriptions: Readonly<Record<PublicServiceStatus, string>> = {
  operational: 'All systems operational',
  degraded: 'The service works worse than usual',
  outage: 'Market data is not arriving',
  maintenance: 'Maintenance is running',
};

interface Summarized extends Pick<ServiceBoard, 'history' | 'written'> {
  readonly current: CurrentStatus;
  /** Announced or running, the nearest first. */
  readonly windows: readonly MaintenanceWindowBody[];
}

/**
 * `summary.json` in the shape that hosted status pages have made common, so that their readers work with it. Instants
 * are ISO 8601 in UTC, texts are English. Unknown values are null.
 */
export function statusSummary(site: Site, { current, windows, history, written }: Summarized): object {
  const { body } = current;
  const page = { id: 'market-data', name: nameOf(site), url: `${site.baseUrl}/status`, time_zone: zoneOf(site) };
  return {
    page: { ...page, updated_at: body.serverTime },
    status: { indicator: states[body.status].indicator, description: description(current) },
    components: components(current),
    incidents: [
      ...openIncidents(written).map((each) => writtenIncident(site, each, current, history.incidents)),
      ...measuredIncidents(current, written, history.incidents),
    ],
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

/** An incident that people wrote. Its impact is what the service measures, of its outage or of its parts now. */
function writtenIncident(
  site: Site,
  { id, state, title, parts, from, updates, updatedAt }: WrittenIncident,
  { body }: CurrentStatus,
  found: readonly Incident[],
): object {
  const measured = found.find((each) => each.id === id);
  const now = { api: body.api, 'market-data': body.components.ticker } as const;
  const worst = measured ? reportedState(measured, body.serverTimeMs) : worstOf(parts.map((part) => now[part]));
  const monitored = updates.findLast((update) => update.state === 'monitoring');
  return {
    id,
    name: title,
    status: state,
    impact: states[worst].indicator,
    created_at: isoInstant(updates.at(-1)!.at),
    started_at: isoInstant(from),
    updated_at: isoInstant(updatedAt),
    monitoring_at: monitored === undefined ? null : isoInstant(monitored.at),
    resolved_at: null,
    shortlink: `${site.baseUrl}${routeIn(site, '/status')}#${id}`,
    components: parts.map((part) => ({ id: part, name: componentNames[part], status: states[now[part]].component })),
    incident_updates: updates.map((update) => incidentUpdate(id, update, parts)),
  };
}

function incidentUpdate(id: string, { number, state, at, text }: IncidentUpdate, parts: readonly HistoryComponent[]) {
  const instant = isoInstant(at);
  return {
    id: `${id}-${number}`,
    incident_id: id,
    status: state,
    body: text,
    created_at: instant,
    display_at: instant,
    updated_at: instant,
    affected_components: parts.map((part) => ({ code: part, name: componentNames[part] })),
  };
}

function worstOf(parts: readonly PublicServiceStatus[]): PublicServiceStatus {
  const order = ['outage', 'degraded', 'maintenance'] as const;
  return order.find((state) => parts.includes(state)) ?? 'operational';
}

/**
 * Lists incidents that the service detects now, which is only that no market data arrives; none where people tell of
 * this very outage.
 */
function measuredIncidents(
  { body: { components, lastUpdatedAtMs }, flow }: CurrentStatus,
  written: readonly WrittenIncident[],
  found: readonly Incident[],
): object[] {
  if (flow.state !== 'silent') return [];
  const lasting = found.find(({ component, to }) => component === 'market-data' && to === undefined);
  if (openIncidents(written).some(({ id }) => id === lasting?.id)) return [];
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
