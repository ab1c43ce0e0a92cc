import { isKnownServiceStatus, type MaintenanceWindow, type ServiceState, type ServiceStatus } from './contract.ts';
import { ApiProblem, type MarketDataFailure } from './failures.ts';
import type { Condition } from './poller.ts';
import { isKeyRefused } from './requester.ts';

/** What a watch knows about the service behind it. `kind` decides; the set can grow, so treat others like `outage`. */
export interface WatchState {
  readonly kind:
    | 'starting'
    /** Everything works. */
    | 'operational'
    /** The service works worse: its data is older than usual, up to `maxDataAgeMs`. Or the status is not available. */
    | 'degraded'
    /** No data, no answer, or data too old to rely on: older than `maxDataAgeMs`. */
    | 'outage'
    /** Announced maintenance is running. */
    | 'maintenance'
    /** The key's requests for this minute are used up. */
    | 'limited'
    /** The service is in a state that this version does not know: do not rely on the data. */
    | 'unrecognized'
    /**
     * The key was refused (401), for the reason in `failure`. Tried again at `untilMs`, and at once after
     * `exchangeKey`.
     */
    | 'unauthorized'
    /** The request was refused permanently, for example for an unknown symbol. The watch has ended. */
    | 'refused';
  /** When the next request is sent, or the window is expected to end; server time in epoch milliseconds. */
  readonly untilMs?: number;
  /** The failure, when a request failed. */
  readonly failure?: MarketDataFailure;
  /** The running window, once the status reports it. */
  readonly window?: MaintenanceWindow;
  /** The state as the service named it, when it is `unrecognized`. */
  readonly status?: ServiceState;
}

/** Whether data seen in this state can be relied on. */
export function isReliable(state: WatchState): boolean {
  return state.kind === 'operational' || state.kind === 'degraded';
}

/** The age of the market data when a status was answered, by the server's clock alone. */
export function dataAgeMs({ serverTimeMs, lastUpdatedAtMs }: ServiceStatus): number {
  return lastUpdatedAtMs === null ? Number.POSITIVE_INFINITY : serverTimeMs - lastUpdatedAtMs;
}

/** What states follow from besides answers. */
export interface StateOptions {
  /** Converts a monotonic instant to server time. */
  readonly toServerTime: ToServerTime;
  readonly maxDataAgeMs: number;
}

type ToServerTime = (monotonicMs: number) => number;

/** The state of a watch on data: the condition of its own polls, then the status of the feed. */
export function dataState(
  data: { readonly condition: Condition; readonly feedStatus: ServiceState | undefined },
  service: { readonly condition: Condition; readonly latest: ServiceStatus | undefined },
  { toServerTime, maxDataAgeMs }: StateOptions,
): WatchState {
  if (service.condition.kind === 'failing' && isKeyRefused(service.condition.failure)) {
    return pollState(service.condition, service.latest, toServerTime);
  }
  if (data.condition.kind !== 'ok') return pollState(data.condition, service.latest, toServerTime);
  const status = service.condition.kind === 'failing' ? undefined : service.latest;
  // What came with the data is newer than any status.
  const feed = data.feedStatus ?? status?.components.ticker;
  if (feed !== undefined) {
    // The data arrived, so no window is running any more, whatever an older status says.
    const state = worstOf([feed, status?.api ?? 'operational'].filter((each) => each !== 'maintenance'));
    return namedState(state, service.latest, maxDataAgeMs);
  }
  if (service.condition.kind === 'failing') return { kind: 'degraded', failure: service.condition.failure };
  return { kind: 'starting' };
}

/** The state of a watch on the status itself. */
export function serviceState(
  service: Condition,
  latest: ServiceStatus | undefined,
  { toServerTime, maxDataAgeMs }: StateOptions,
): WatchState {
  if (service.kind !== 'ok' || latest === undefined) return pollState(service, latest, toServerTime);
  if (latest.status === 'maintenance') return inMaintenance(latest, undefined, undefined);
  return namedState(latest.status, latest, maxDataAgeMs);
}

function pollState(data: Condition, status: ServiceStatus | undefined, toServerTime: ToServerTime): WatchState {
  if (data.kind === 'limited') return { kind: 'limited', untilMs: toServerTime(data.untilMs) };
  if (data.kind !== 'failing') return { kind: 'starting' };
  const { failure } = data;
  const untilMs = toServerTime(data.retryAtMs);
  if (failure instanceof ApiProblem && failure.status === 429) return { kind: 'limited', untilMs, failure };
  if (isKeyRefused(failure)) return { kind: 'unauthorized', untilMs, failure };
  if (isMaintenance(failure)) return inMaintenance(status, untilMs, failure);
  return { kind: 'outage', untilMs, failure };
}

/** Whether a failure reports running maintenance. */
export function isMaintenance(failure: unknown): boolean {
  return failure instanceof ApiProblem && failure.code === 'SERVICE_MAINTENANCE';
}

/** Until the end of the window once that is known, else until the next request. */
function inMaintenance(
  status: ServiceStatus | undefined,
  retryAtMs: number | undefined,
  failure: MarketDataFailure | undefined,
): WatchState {
  const window = status?.status === 'maintenance' ? (status.maintenance ?? undefined) : undefined;
  const untilMs = window?.toMs ?? retryAtMs;
  return {
    kind: 'maintenance',
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(failure === undefined ? {} : { failure }),
    ...(window === undefined ? {} : { window }),
  };
}

/** A service that works worse is not relied on once its data is too old; an older status says nothing about the age. */
function namedState(state: ServiceState, latest: ServiceStatus | undefined, maxDataAgeMs: number): WatchState {
  const isOfNow = state === 'degraded' && latest?.components.ticker === state;
  if (isOfNow && dataAgeMs(latest) > maxDataAgeMs) return { kind: 'outage' };
  return isKnownServiceStatus(state) ? { kind: state } : { kind: 'unrecognized', status: state };
}

/** An unknown state counts as worse than an outage: it can mean anything. */
function worstOf(states: readonly ServiceState[]): ServiceState {
  const order: readonly ServiceState[] = ['outage', 'degraded', 'operational'];
  return (
    states.find((state) => !order.includes(state)) ?? order.find((state) => states.includes(state)) ?? 'operational'
  );
}

/** The state in which a watch ends. */
export function finalState(failure: unknown): WatchState | undefined {
  if (!(failure instanceof ApiProblem)) return undefined;
  return { kind: 'refused', failure };
}

/**
 * Whether two states are the same for those who listen to changes. That the end of a window becomes known is no change;
 * that it moves is.
 */
export function isSameState(one: WatchState, other: WatchState): boolean {
  const hasMoved = one.window !== undefined && other.window !== undefined && one.window.toMs !== other.window.toMs;
  return one.kind === other.kind && !hasMoved && one.status === other.status;
}
