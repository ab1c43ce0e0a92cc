import { at, type Clock } from './clock.ts';
import { headerNames } from './contract.ts';
import { reasonOf, TimeoutFailure, TransportFailure, withoutSecret } from './failures.ts';

/** What this client needs of a `fetch`: the platform's own fits, and so does a small one of yours. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET';
    readonly headers: Record<string, string>;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** One whole answer. Instants are of the monotonic clock. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly header: (name: string) => string | undefined;
  readonly text: string;
  readonly sentMs: number;
  /** When the head of the answer was there. */
  readonly receivedMs: number;
}

export interface AttemptLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Whose time runs out: one attempt's, or the whole call's. */
  readonly limit: 'attempt' | 'deadline';
}

/** Sends single requests with the key in their header. Nothing else in the client knows the key. */
export class Wire {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #fetch: Fetch;
  readonly #clock: Clock;

  constructor(baseUrl: string, apiKey: string, fetch: Fetch, clock: Clock) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** Takes the key out of text that came from outside. */
  clean(text: string): string {
    return withoutSecret(text, this.#apiKey);
  }

  /**
   * One request and its whole answer, body included, within `timeoutMs`. Rejects with
   * `TimeoutFailure`, `TransportFailure`, or the signal's reason.
   */
  async ask(path: string, etag: string | undefined, { signal, timeoutMs, limit }: AttemptLimits): Promise<Answer> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    const outOfTime = () =>
      controller.abort(new TimeoutFailure(path, limit, `no whole answer to ${path} within ${Math.ceil(timeoutMs)} ms`));
    const timer = at(this.#clock, this.#clock.monotonicMs() + timeoutMs, outOfTime);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      // A fetch that ignores its signal does not hold up the caller.
      return await Promise.race([this.#exchange(path, etag, controller.signal), rejectionOf(controller.signal)]);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      throw new TransportFailure(path, this.clean(reasonOf(error)));
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', stop);
    }
  }

  async #exchange(path: string, etag: string | undefined, signal: AbortSignal): Promise<Answer> {
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      [headerNames.apiKey]: this.#apiKey,
    };
    if (etag !== undefined) headers['if-none-match'] = etag;
    const sentMs = this.#clock.monotonicMs();
    // A redirect is never followed: fetch would send the key's header along to wherever it leads.
    const init = { method: 'GET', headers, redirect: 'manual', signal } as const;
    const response = await this.#fetch(this.#baseUrl + path, init);
    const receivedMs = this.#clock.monotonicMs();
    const header = (name: string) => response.headers.get(name) ?? undefined;
    return { status: response.status, header, text: await response.text(), sentMs, receivedMs };
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
