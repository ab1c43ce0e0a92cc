import type { ErrorCode } from '../contract/errors.ts';
import type { LimitCategory } from '../contract/limits.ts';

/** The route label of everything that has no resource of its own. Never a path a client chose. */
export const unmatchedRoute = 'unmatched';

/** What was answered since the start. Plain counters, read when metrics are collected. */
export class RequestCounts {
  readonly #answered = new Map<string, Map<number, number>>();
  readonly #problems = new Map<ErrorCode, number>();
  readonly #limited = new Map<LimitCategory, number>();
  #shed = 0;

  answered(route: string, status: number): void {
    let statuses = this.#answered.get(route);
    if (statuses === undefined) {
      statuses = new Map();
      this.#answered.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  problem(code: ErrorCode): void {
    this.#problems.set(code, (this.#problems.get(code) ?? 0) + 1);
  }

  limited(category: LimitCategory): void {
    this.#limited.set(category, (this.#limited.get(category) ?? 0) + 1);
  }

  /** A request refused for overload, before anybody looked at who asks. */
  wasShed(): void {
    this.#shed++;
  }

  get shed(): number {
    return this.#shed;
  }

  get byRouteAndStatus(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return this.#answered;
  }

  get byCode(): ReadonlyMap<ErrorCode, number> {
    return this.#problems;
  }

  get limitedByCategory(): ReadonlyMap<LimitCategory, number> {
    return this.#limited;
  }
}
