import { type Durations, durationBounds } from '../http/request-counts.ts';
import type { AdminParts } from './sources.ts';

/** A histogram that is kept where requests are counted, and read as `prom-client` reads its own. */
export function requestDurations({ listener }: Pick<AdminParts, 'listener'>) {
  const name = 'mdapi_request_duration_seconds';
  const help = 'Time from reading a request to writing its answer, by route.';
  function* valuesOf(route: string, { counts, sumSeconds, count }: Durations) {
    let below = 0;
    for (const [index, le] of durationBounds.entries()) {
      below += counts[index]!;
      yield { metricName: `${name}_bucket`, labels: { route, le }, value: below };
    }
    yield { metricName: `${name}_bucket`, labels: { route, le: '+Inf' }, value: count };
    yield { metricName: `${name}_sum`, labels: { route }, value: sumSeconds };
    yield { metricName: `${name}_count`, labels: { route }, value: count };
  }
  const values = () => [...listener.counts.durationsByRoute].flatMap(([route, found]) => [...valuesOf(route, found)]);
  return {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ name, help, type: 'histogram', values: values() }),
  };
}
