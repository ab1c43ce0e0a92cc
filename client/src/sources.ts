import { pollingIntervalsMs, type ServiceStatus } from './contract.ts';
import type { Follower, Poller } from './poller.ts';
import type { WatchSource } from './watch.ts';
import {
  dataState,
  isMaintenance,
  isReliable,
  serviceState,
  type ToServerTime,
  type WatchState,
} from './watch-state.ts';

/** A status asked for out of turn comes no sooner than this after the last one. */
const statusGapMs = 5_000;

/**
 * Data together with the status of the service: prices are served on while the feed behind them
 * stands still, and only the status tells. When maintenance begins the status is asked at once for
 * its end, and when it ends early, the data.
 */
export function dataSource<T>(
  data: Poller<T>,
  service: Poller<ServiceStatus>,
  { toServerTime, givesUnreliable }: { readonly toServerTime: ToServerTime; readonly givesUnreliable: boolean },
): WatchSource<T> {
  const isInMaintenance = () => data.condition.kind === 'failing' && isMaintenance(data.condition.failure);
  return {
    follow(follower: Follower) {
      const wasInMaintenance = { value: false };
      const leaveService = service.follow({
        changed() {
          const isOver = service.condition.kind === 'fine' && service.latest?.status !== 'maintenance';
          if (isOver && isInMaintenance()) data.hasten(pollingIntervalsMs.tickers);
          follower.changed();
        },
        // What else can be wrong with the status alone, the data shows too or does not need.
        ended: (failure) => follower.ended(failure),
      });
      const leaveData = data.follow({
        changed() {
          if (isInMaintenance() && !wasInMaintenance.value) service.hasten(statusGapMs);
          wasInMaintenance.value = isInMaintenance();
          follower.changed();
        },
        ended: (failure) => follower.ended(failure),
      });
      return () => {
        leaveService();
        leaveData();
      };
    },
    latest: () => data.latest,
    state: () => dataState(data.condition, service, toServerTime),
    gives: (state: WatchState) => givesUnreliable || isReliable(state),
    // Unchanged data is the same object: the entity tag saw to that.
    isSame: (one, other) => one === other,
  };
}

/** The status itself. Instants that every answer has anew are no change. */
export function statusSource(service: Poller<ServiceStatus>, toServerTime: ToServerTime): WatchSource<ServiceStatus> {
  return {
    follow: (follower) => service.follow(follower),
    latest: () => service.latest,
    state: () => serviceState(service.condition, service.latest, toServerTime),
    gives: () => true,
    isSame: (one, other) => lasting(one) === lasting(other),
  };
}

function lasting({ serverTime, serverTimeMs, lastUpdatedAt, lastUpdatedAtMs, ...rest }: ServiceStatus): string {
  return JSON.stringify(rest);
}
