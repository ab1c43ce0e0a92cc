import { at, type Clock } from './clock.ts';
import { headerNames } from './contract.ts';
import { reasonOf, redacted, TimeoutFailure, TransportFailure } from './failures.ts';
import { version } from './version.ts';

/** The part of `fetch` that this client uses: the platform's own fits, and so does a small one of yours. */
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
  readonly headers: { get(name: string): string | null };
  /** Lower-case names. */
  readonly header: (name: string) => string | undefined;
  readonly text: string;
  readonly sentMs: number;
  /** When the head of the answer arrived. */
  readonly receivedMs: number;
}

export interface AttemptLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Whether `timeoutMs` is that of one attempt or the rest of the whole call's. */
  readonly limit: 'attempt' | 'deadline';
}

/** Sends single requests with the key in a header. Nothing else in the client knows the key. */
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

  /** Removes the key from text that came from outside. */
  redact(text: string): string {
    return redacted(text, this.#apiKey);
  }

  /**
   * One request and its whole answer, body included, within `timeoutMs`. Rejects with
   * `TimeoutFailure`, `TransportFailure`, or the signal's reason.
   */
  async ask(path: string, etag: string | undefined, { signal, timeoutMs, limit }: AttemptLimits): Promise<Answer> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    const onTimeout = () =>
      controller.abort(new TimeoutFailure(path, limit, `no whole answer to ${path} within ${Math.ceil(timeoutMs)} ms`));
    const timer = at(this.#clock, this.#clock.monotonicMs() + timeoutMs, onTimeout);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      // A fetch that ignores its signal does not delay the caller.
      return await Promise.race([this.#exchange(path, etag, controller.signal), rejectionOf(controller.signal)]);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      throw new TransportFailure(path, this.redact(reasonOf(error)));
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', stop);
    }
  }

  async #exchange(path: string, etag: string | undefined, signal: AbortSignal): Promise<Answer> {
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      'user-agent': `market-data-client/${version} (TypeScript)`,
      [headerNames.apiKey]: this.#apiKey,
    };
    if (etag !== undefined) headers['if-none-match'] = etag;
    const sentMs = this.#clock.monotonicMs();
    // Redirects are not followed: fetch would send the key to their target.
    const init = { method: 'GET', headers, redirect: 'manual', signal } as const;
    const response = await this.#fetch(this.#baseUrl + path, init);
    const receivedMs = this.#clock.monotonicMs();
    const { status, headers: received } = response;
    const header = (name: string) => received.get(name) ?? undefined;
    return { status, headers: received, header, text: await response.text(), sentMs, receivedMs };
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
