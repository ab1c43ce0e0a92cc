import type { ErrorCode } from '../contract/errors.ts';
import { errorCodes } from '../contract/errors.ts';
import type { LimitCategory } from '../contract/limits.ts';
import { limitTable } from '../contract/limits.ts';
import { fromZero, type MetricGroup, type Observations, type Sample } from '../ground/metric.ts';

/** The route label of everything that has no resource of its own. Never a path a client chose. */
export const unmatchedRoute = 'unmatched';

/** Upper bounds of the buckets of {@link Durations}, in seconds; whatever takes longer is in none. */
export const durationBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const;

/** How long answers took. */
interface Durations extends Observations {
  readonly counts: number[];
  sumSeconds: number;
  count: number;
}

const noStatuses = () => new Map<number, number>();
const noDurations = (): Durations => ({ counts: durationBounds.map(() => 0), sumSeconds: 0, count: 0 });

/** Counts of answers since the start, read when metrics are collected. */
export class RequestCounts {
  readonly #answered = new Map<string, Map<number, number>>();
  readonly #durations = new Map<string, Durations>();
  readonly #problems = new Map<ErrorCode, number>();
  readonly #limited = new Map<LimitCategory | 'page', number>();
  readonly durationsByRoute: ReadonlyMap<string, Durations> = this.#durations;
  readonly byRouteAndStatus: ReadonlyMap<string, ReadonlyMap<number, number>> = this.#answered;
  readonly byCode: ReadonlyMap<ErrorCode, number> = this.#problems;
  readonly limitedByCategory: ReadonlyMap<LimitCategory | 'page', number> = this.#limited;
  #shed = 0;

  /** @param durationMs from when the request was read to when its answer was written */
  answered(route: string, status: number, durationMs: number): void {
    this.#observe(route, durationMs / 1_000);
    const statuses = this.#answered.getOrInsertComputed(route, noStatuses);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  #observe(route: string, seconds: number): void {
    const durations = this.#durations.getOrInsertComputed(route, noDurations);
    const bucket = durationBounds.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) durations.counts[bucket]!++;
    durations.sumSeconds += seconds;
    durations.count++;
  }

  problem(code: ErrorCode): void {
    this.#problems.set(code, (this.#problems.get(code) ?? 0) + 1);
  }

  limited(category: LimitCategory | 'page'): void {
    this.#limited.set(category, (this.#limited.get(category) ?? 0) + 1);
  }

  /** A request refused for overload. */
  wasShed(): void {
    this.#shed++;
  }

  get shed(): number {
    return this.#shed;
  }
}

export const requestMetrics: MetricGroup<RequestCounts> = {
  title: 'Requests',
  metrics: [
    {
      name: 'requests_total',
      help:
        'Answered requests by route and status. ' +
        'The route is `unmatched` for unknown paths, 401, 429 and malformed HTTP.',
      labels: ['route', 'status'],
      read: answeredOf,
    },
    {
      name: 'errors_total',
      help: 'Error answers by code.',
      labels: ['code'],
      read: ({ byCode }) => fromZero(errorCodes, byCode),
    },
    {
      name: 'limited_requests_total',
      help: 'Requests refused with 429, by the limit that refused them.',
      labels: ['category'],
      read: ({ limitedByCategory }) => fromZero(Object.keys(limitTable), limitedByCategory),
    },
    {
      name: 'requests_shed_total',
      help: 'Requests refused because the service was overloaded.',
      read: ({ shed }) => shed,
    },
  ],
  histograms: [
    {
      name: 'request_duration_seconds',
      help: 'Time from reading a request to writing its answer, by route.',
      label: 'route',
      bounds: durationBounds,
      observed: ({ durationsByRoute }) => durationsByRoute,
    },
  ],
};

function* answeredOf({ byRouteAndStatus }: RequestCounts): Iterable<Sample> {
  for (const [route, statuses] of byRouteAndStatus) {
    for (const [status, count] of statuses) yield [route, String(status), count];
  }
}
