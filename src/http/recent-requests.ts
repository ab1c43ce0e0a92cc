import type { AnsweredRequest } from './public-listener.ts';

/** Of each kind. At some 200 bytes each both kinds take 4 MB. */
const keptMax = 10_000;

/**
 * The latest answers, to be found by the request id that clients quote. Those to valid keys are kept apart from all others, so
 * that a flood without a key does not push them out.
 */
export class RecentRequests {
  readonly #keyed = new Ring();
  readonly #keyless = new Ring();

  keep(answered: AnsweredRequest): void {
    (answered.keyId === undefined ? this.#keyless : this.#keyed).push(answered);
  }

  /** `undefined` for one that is not kept any more, or was answered by another process. */
  find(requestId: string): AnsweredRequest | undefined {
    return this.#keyed.find(requestId) ?? this.#keyless.find(requestId);
  }
}

class Ring {
  readonly #entries: AnsweredRequest[] = [];
  #next = 0;

  push(entry: AnsweredRequest): void {
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % keptMax;
  }

  /** Looks at every entry: people ask now and then, and an index would cost every request. */
  find(requestId: string): AnsweredRequest | undefined {
    return this.#entries.find((entry) => entry.requestId === requestId);
  }
}
