import { pollingIntervalsMs, type ServiceStatus } from './contract.ts';
import type { Follower, Poller } from './poller.ts';
import type { WatchSource } from './watch.ts';
import {
  dataState,
  isMaintenance,
  isReliable,
  type StateOptions,
  serviceState,
  type WatchState,
} from './watch-state.ts';

/** The shortest time between two polls of the status, also for an early one. */
export const statusGapMs = 5_000;

/**
 * Data together with the status of the service: prices are still served while the feed is stale. When maintenance
 * begins, the status is polled at once to learn its end; when it ends early, the data is. When the feed becomes worse,
 * the status is polled to learn the age of the data.
 */
export function dataSource<T>(
  data: Poller<T>,
  service: Poller<ServiceStatus>,
  options: StateOptions & { readonly includesUnreliable: boolean },
): WatchSource<T> {
  // Only the status has the age of the data; after a failure it has its own time to be asked again.
  const lacksAge = () =>
    data.feedStatus === 'degraded' &&
    service.condition.kind === 'ok' &&
    service.latest?.components.ticker !== 'degraded';
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
          if ((isInMaintenance() && !wasInMaintenance.value) || lacksAge()) service.pollSooner(statusGapMs);
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
    state: () => dataState(data, service, options),
    isOffered: (state: WatchState) => options.includesUnreliable || isReliable(state),
    // Unchanged data is the same object, thanks to the entity tag.
    isSame: (one, other) => one === other,
  };
}

/** The status itself. A new server time alone is not a change. */
export function statusSource(service: Poller<ServiceStatus>, options: StateOptions): WatchSource<ServiceStatus> {
  return {
    follow: (follower) => service.follow(follower),
    latest: () => service.latest,
    state: () => serviceState(service.condition, service.latest, options),
    isOffered: () => true,
    isSame: (one, other) => withoutInstants(one) === withoutInstants(other),
  };
}

function withoutInstants({ serverTime, serverTimeMs, lastUpdatedAt, lastUpdatedAtMs, ...rest }: ServiceStatus): string {
  return JSON.stringify(rest);
}
