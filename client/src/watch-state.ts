import { isKnownServiceStatus, type MaintenanceWindow, type ServiceState, type ServiceStatus } from './contract.ts';
import { ApiProblem, type MarketDataFailure } from './failures.ts';
import type { Condition } from './poller.ts';

/** What a watch knows about the service behind it. `kind` decides; the set can grow, so treat others like `outage`. */
export interface WatchState {
  readonly kind:
    | 'starting'
    /** The data is current. */
    | 'operational'
    /** The data is current, but arrives on a fallback path, or how it arrives cannot be asked. */
    | 'degraded'
    /** No data, no answer, or data too old to rely on. */
    | 'outage'
    /** Announced maintenance runs. */
    | 'maintenance'
    /** The key's requests of this minute are used up. */
    | 'limited'
    /** The service is in a state this version does not know: do not rely on the data. */
    | 'unrecognized'
    /** The key was refused (401). The watch has ended. */
    | 'unauthorized'
    /** The request was refused for good, for example an unknown symbol. The watch has ended. */
    | 'refused';
  /** When the next request goes out, or the window is expected to end; server time in epoch milliseconds. */
  readonly untilMs?: number;
  /** Why, when a request failed. */
  readonly failure?: MarketDataFailure;
  /** The running window, once the status told. */
  readonly window?: MaintenanceWindow;
  /** The service's own word for its state, when it is `unrecognized`. */
  readonly status?: ServiceState;
}

/** Whether data seen in this state can be relied on. */
export function isReliable(state: WatchState): boolean {
  return state.kind === 'operational' || state.kind === 'degraded';
}

/** Takes a monotonic instant, gives it in server time. */
export type ToServerTime = (monotonicMs: number) => number;

/** The state of a watch on data: how its own polls go, then what the status says of the feed behind it. */
export function dataState(
  data: Condition,
  service: { readonly condition: Condition; readonly latest: ServiceStatus | undefined },
  toServerTime: ToServerTime,
): WatchState {
  if (data.kind !== 'fine') return pollState(data, service.latest, toServerTime);
  const status = service.latest;
  if (service.condition.kind === 'failing') return { kind: 'degraded', failure: service.condition.failure };
  if (status === undefined) return { kind: 'starting' };
  // The data came, so no window runs any more, whatever an older status says of it.
  const states = [status.components.ticker, status.api].filter((state) => state !== 'maintenance');
  return namedState(worstOf(states));
}

/** The state of a watch on the status itself. */
export function serviceState(
  service: Condition,
  latest: ServiceStatus | undefined,
  toServerTime: ToServerTime,
): WatchState {
  if (service.kind !== 'fine' || latest === undefined) return pollState(service, latest, toServerTime);
  if (latest.status === 'maintenance') return inMaintenance(latest, undefined, undefined);
  return namedState(latest.status);
}

function pollState(data: Condition, status: ServiceStatus | undefined, toServerTime: ToServerTime): WatchState {
  if (data.kind === 'limited') return { kind: 'limited', untilMs: toServerTime(data.untilMs) };
  if (data.kind !== 'failing') return { kind: 'starting' };
  const { failure } = data;
  const untilMs = toServerTime(data.retryAtMs);
  if (failure instanceof ApiProblem && failure.status === 429) return { kind: 'limited', untilMs, failure };
  if (isMaintenance(failure)) return inMaintenance(status, untilMs, failure);
  return { kind: 'outage', untilMs, failure };
}

/** Whether a failure says that announced maintenance runs. */
export function isMaintenance(failure: unknown): boolean {
  return failure instanceof ApiProblem && failure.code === 'SERVICE_MAINTENANCE';
}

/** The end of the window once it is known, else when the server may be asked again. */
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

function namedState(state: ServiceState): WatchState {
  return isKnownServiceStatus(state) ? { kind: state } : { kind: 'unrecognized', status: state };
}

/** A state nobody knows counts as worse than an outage: it may mean anything. */
function worstOf(states: readonly ServiceState[]): ServiceState {
  const order: readonly ServiceState[] = ['outage', 'degraded', 'operational'];
  return (
    states.find((state) => !order.includes(state)) ?? order.find((state) => states.includes(state)) ?? 'operational'
  );
}

/** The state in which a watch ends. */
export function finalState(failure: unknown): WatchState | undefined {
  if (!(failure instanceof ApiProblem)) return undefined;
  return { kind: failure.status === 401 ? 'unauthorized' : 'refused', failure };
}

/** Whether two states say the same to whoever is told of changes. */
export function isSameState(one: WatchState, other: WatchState): boolean {
  const codeOf = ({ failure }: WatchState) => (failure instanceof ApiProblem ? failure.code : failure?.name);
  return (
    one.kind === other.kind &&
    codeOf(one) === codeOf(other) &&
    one.window?.toMs === other.window?.toMs &&
    one.status === other.status
  );
}
