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

/** The shortest time between two polls of the status, also for an early one. */
const statusGapMs = 5_000;

/**
 * Data together with the status of the service: prices are still served while the feed is stale. When maintenance begins, the status is polled at once to learn its end; when it
 * ends early, the data is.
 */
export function dataSource<T>(
  data: Poller<T>,
  service: Poller<ServiceStatus>,
  { toServerTime, includesUnreliable }: { readonly toServerTime: ToServerTime; readonly includesUnreliable: boolean },
): WatchSource<T> {
  const isInMaintenance = () => data.condition.kind === 'failing' && isMaintenance(data.condition.failure);
  return {
    follow(follower: Follower) {
      const wasInMaintenance = { value: false };
      const unfollowService = service.follow({
        changed() {
          const isOver = service.condition.kind === 'ok' && service.latest?.status !== 'maintenance';
          if (isOver && isInMaintenance()) data.pollSooner(pollingIntervalsMs.tickers);
          follower.changed();
        },
        // A final failure of the status, such as a refused key, is one of the data too.
        ended: (failure) => follower.ended(failure),
      });
      const unfollowData = data.follow({
        changed() {
          if (isInMaintenance() && !wasInMaintenance.value) service.pollSooner(statusGapMs);
          wasInMaintenance.value = isInMaintenance();
          follower.changed();
        },
        ended: (failure) => follower.ended(failure),
      });
      return () => {
        unfollowService();
        unfollowData();
      };
    },
    latest: () => data.latest,
    state: () => dataState(data, service, toServerTime),
    isOffered: (state: WatchState) => includesUnreliable || isReliable(state),
    // Unchanged data is the same object, thanks to the entity tag.
    isSame: (one, other) => one === other,
  };
}

/** The status itself. A new server time alone is not a change. */
export function statusSource(service: Poller<ServiceStatus>, toServerTime: ToServerTime): WatchSource<ServiceStatus> {
  return {
    follow: (follower) => service.follow(follower),
    latest: () => service.latest,
    state: () => serviceState(service.condition, service.latest, toServerTime),
    isOffered: () => true,
    isSame: (one, other) => withoutInstants(one) === withoutInstants(other),
  };
}

function withoutInstants({ serverTime, serverTimeMs, lastUpdatedAt, lastUpdatedAtMs, ...rest }: ServiceStatus): string {
  return JSON.stringify(rest);
}
