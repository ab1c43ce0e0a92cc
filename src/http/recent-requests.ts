import type { ErrorCode } from '../contract/errors.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { AnsweredRequest } from './answered-request.ts';

/** Requests kept of each kind. At about 90 bytes each both kinds take 2 MB. */
const keptMax = 10_000;
/** Characters of a request id. */
const idLength = 32;

/**
 * The latest answers, to be found by the request id that clients quote. Those to valid keys are kept apart from all
 * others, so that a flood without a key does not push them out.
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

/**
 * Columns of plain numbers, and of texts that are kept anyway: an object for each request would keep the garbage
 * collector busy.
 */
class Ring {
  readonly #ids = Buffer.alloc(keptMax * idLength);
  readonly #at = new Float64Array(keptMax);
  readonly #durationMs = new Float64Array(keptMax);
  readonly #status = new Uint16Array(keptMax);
  readonly #bytes = new Float64Array(keptMax);
  readonly #routes: string[] = new Array(keptMax).fill('');
  readonly #codes: (ErrorCode | undefined)[] = new Array(keptMax).fill(undefined);
  readonly #keyIds: (string | undefined)[] = new Array(keptMax).fill(undefined);
  #next = 0;

  push({ requestId, at, durationMs, route, status, code, bytes, keyId }: AnsweredRequest): void {
    const index = this.#next;
    this.#ids.write(requestId, index * idLength, idLength, 'latin1');
    this.#at[index] = at;
    this.#durationMs[index] = durationMs;
    this.#status[index] = status;
    this.#bytes[index] = bytes;
    this.#routes[index] = route;
    this.#codes[index] = code;
    this.#keyIds[index] = keyId;
    this.#next = (index + 1) % keptMax;
  }

  /** Looks through all of it: people ask now and then, and an index would cost every request. */
  find(requestId: string): AnsweredRequest | undefined {
    if (requestId.length !== idLength) return undefined;
    let at = this.#ids.indexOf(requestId, 0, 'latin1');
    while (at % idLength > 0) at = this.#ids.indexOf(requestId, at + 1, 'latin1');
    return at === -1 ? undefined : this.#read(at / idLength, requestId);
  }

  #read(index: number, requestId: string): AnsweredRequest {
    return {
      requestId,
      at: this.#at[index] as EpochMs,
      durationMs: this.#durationMs[index]!,
      route: this.#routes[index]!,
      status: this.#status[index]!,
      code: this.#codes[index],
      bytes: this.#bytes[index]!,
      keyId: this.#keyIds[index],
    };
  }
}
