import { isoInstant } from '../contract/instant.ts';
import type { MaintenanceWindowBody, ServiceStatusBody } from '../contract/schemas.ts';
import { publicServiceStatuses } from '../contract/schemas.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import type { MetricGroup, Sample } from '../ground/metric.ts';
import type { DataFlow } from '../market/data-flow.ts';
import { type MaintenanceWindow, maintenanceUntil, retryAfterSeconds } from '../market/maintenance.ts';
import { type FeedState, type FeedStatus, serviceStatus, tickerState } from '../market/service-status.ts';
import { noHistory, type StatusHistory } from './status-history.ts';
import type { WrittenIncident } from './written-incidents.ts';

/** The state of the service at one instant, for those who tell people of it. */
export interface CurrentStatus {
  /** The body of `/v1/status`. */
  readonly body: ServiceStatusBody;
  readonly flow: DataFlow;
}

/** The public state of the service itself: its status, and whether maintenance is running. */
export class ServiceBoard {
  readonly #feed: FeedStatus;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #windows: readonly MaintenanceWindow[] = [];
  /** Incidents and windows of the last days, kept current by whoever reads the store. */
  history: StatusHistory = noHistory;
  /** Incidents that people wrote, the latest first, kept current likewise. They change nothing that is measured. */
  written: readonly WrittenIncident[] = [];

  constructor(feed: FeedStatus, clock: Pick<Clock, 'monotonicMs'>) {
    this.#feed = feed;
    this.#clock = clock;
  }

  /** The windows set last. */
  get announced(): readonly MaintenanceWindow[] {
    return this.#windows;
  }

  /** Replaces all announced windows; past ones are harmless. */
  setWindows(windows: readonly MaintenanceWindow[]): void {
    this.#windows = windows;
  }

  /** Whole seconds a client should stay away (1 to 3600); `undefined` while no window runs. */
  maintenanceRetryAfterSeconds(now: EpochMs): number | undefined {
    if (this.#windows.length === 0) return undefined;
    const until = maintenanceUntil(this.#windows, now);
    return until && retryAfterSeconds(until, now);
  }

  /** The body of `/v1/status` at `now` (contract, ServiceStatus). */
  status(now: EpochMs): ServiceStatusBody {
    return this.current(now).body;
  }

  /** The same with whether data flows. */
  current(now: EpochMs): CurrentStatus {
    const { status, api, ticker, flow, maintenance, lastUpdatedAt } = this.read(now);
    const body = {
      status,
      api,
      components: { ticker },
      maintenance: maintenance === undefined ? null : windowBody(maintenance),
      lastUpdatedAt: lastUpdatedAt === undefined ? null : isoInstant(lastUpdatedAt),
      lastUpdatedAtMs: lastUpdatedAt ?? null,
      serverTime: isoInstant(now),
      serverTimeMs: now,
    };
    return { body, flow };
  }

  /** `components.ticker` alone. */
  feedStatus(now: EpochMs): FeedState {
    return tickerState(this.#feed, now, this.#clock.monotonicMs());
  }

  /** Every running or future window, the earliest first. */
  windows(now: EpochMs): MaintenanceWindowBody[] {
    const current = this.#windows.filter(({ to }) => to > now);
    return current.sort((one, other) => one.from - other.from || one.to - other.to).map(windowBody);
  }

  /** The same as plain values, for metrics and readiness. */
  read(now: EpochMs): ReturnType<typeof serviceStatus> {
    return serviceStatus(this.#feed, this.#windows, now, this.#clock.monotonicMs());
  }
}

/** A window as clients see it. */
export function windowBody({ from, to, description }: MaintenanceWindow): MaintenanceWindowBody {
  return { from: isoInstant(from), fromMs: from, to: isoInstant(to), toMs: to, description };
}

export const serviceMetrics: MetricGroup<{ readonly service: ServiceBoard; readonly now: EpochMs }> = {
  title: 'Data',
  metrics: [
    {
      name: 'service_status',
      help: '1 for the state that /v1/status reports, 0 for the others.',
      labels: ['state'],
      read: ({ service, now }) => {
        const { status } = service.read(now);
        return publicServiceStatuses.map((state): Sample => [state, Number(state === status)]);
      },
    },
  ],
};
