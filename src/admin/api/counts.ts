/** What the management API did since the start. Plain counters, read when metrics are collected. */
export class ManagementCounts {
  readonly #answered = new Map<string, Map<number, number>>();
  #signIns = 0;
  #signInFailures = 0;

  /** @param operation the operation's id, or `unmatched`; never what a client chose */
  answered(operation: string, status: number): void {
    let statuses = this.#answered.get(operation);
    if (statuses === undefined) {
      statuses = new Map();
      this.#answered.set(operation, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  signedIn(): void {
    this.#signIns++;
  }

  /** A wrong token, in a sign-in or in a header, or one that came when too many had come before. */
  signInFailed(): void {
    this.#signInFailures++;
  }

  get byOperationAndStatus(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return this.#answered;
  }

  get signIns(): number {
    return this.#signIns;
  }

  get signInFailures(): number {
    return this.#signInFailures;
  }
}
