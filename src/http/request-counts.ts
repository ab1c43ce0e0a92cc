import type { ErrorCode } from '../contract/errors.ts';
import type { LimitCategory } from '../contract/limits.ts';

/** The route label of everything that has no resource of its own. Never a path a client chose. */
export const unmatchedRoute = 'unmatched';

/** Counts as plain data, on their way from one thread to another. */
export interface CountsTaken {
  readonly answered: readonly (readonly [route: string, status: number, count: number])[];
  readonly problems: readonly (readonly [ErrorCode, number])[];
  readonly limited: readonly (readonly [LimitCategory, number])[];
  readonly shed: number;
}

/** What was answered since the start. Plain counters, read when metrics are collected. */
export class RequestCounts {
  readonly #answered = new Map<string, Map<number, number>>();
  readonly #problems = new Map<ErrorCode, number>();
  readonly #limited = new Map<LimitCategory, number>();
  #shed = 0;

  answered(route: string, status: number, times = 1): void {
    let statuses = this.#answered.get(route);
    if (statuses === undefined) {
      statuses = new Map();
      this.#answered.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + times);
  }

  problem(code: ErrorCode, times = 1): void {
    this.#problems.set(code, (this.#problems.get(code) ?? 0) + times);
  }

  limited(category: LimitCategory, times = 1): void {
    this.#limited.set(category, (this.#limited.get(category) ?? 0) + times);
  }

  /** A request refused for overload, before anybody looked at who asks. */
  wasShed(): void {
    this.#shed++;
  }

  /** Takes everything out, to be added elsewhere. Nothing is counted twice or lost by that. */
  take(): CountsTaken {
    const taken = {
      answered: [...this.#answered].flatMap(([route, statuses]) =>
        [...statuses].map(([status, count]) => [route, status, count] as const),
      ),
      problems: [...this.#problems],
      limited: [...this.#limited],
      shed: this.#shed,
    };
    for (const counts of [this.#answered, this.#problems, this.#limited]) counts.clear();
    this.#shed = 0;
    return taken;
  }

  add({ answered, problems, limited, shed }: CountsTaken): void {
    for (const [route, status, count] of answered) this.answered(route, status, count);
    for (const [code, count] of problems) this.problem(code, count);
    for (const [category, count] of limited) this.limited(category, count);
    this.#shed += shed;
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
