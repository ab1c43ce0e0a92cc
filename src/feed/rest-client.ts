import { type FetchBounds, type FetchedText, fetchText } from './bounded-fetch.ts';
import type { Pace } from './pace.ts';
import { type RequestPriority, RequestQueue } from './request-queue.ts';
import { asUpstreamError, parseLossless, parsePlain } from './wire.ts';

/** How requests to the REST interface of an exchange are made. */
export interface RestClientOptions extends Pick<FetchBounds, 'clock' | 'timeoutMs' | 'tooMany' | 'retryAfter'> {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly pace: Pace;
  /** Takes the result out of a parsed answer, or throws `UpstreamError` for one that is a refusal. */
  readonly unwrap?: (body: unknown) => unknown;
  /** The pause after a rate-limited answer without `Retry-After`; 5,000 by default. */
  readonly slowDownMs?: number;
}

/** One call of an exchange's REST interface. */
export interface RestCall {
  /** Below the base URL, with its slash. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** `urgent` by default. */
  readonly priority?: RequestPriority;
  /** A multiple of the timeout of one answer: 1 by default. */
  readonly timeoutFactor?: number;
  /** The cost in the exchange's limit, in the unit of the pace: 1 by default. */
  readonly weight?: number;
  /** Parses as `parsePlain` does: for large answers of which no price is read. */
  readonly isPlain?: boolean;
}

export interface RestAnswer extends Omit<FetchedText, 'text'> {
  readonly result: unknown;
}

/** The largest answer. */
const bodyBytesMax = 48 * 1024 * 1024;

/** The REST side of one exchange, within its limits: every caller shares one queue. */
export class RestClient {
  readonly #options: RestClientOptions;
  readonly #queue: RequestQueue;

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.#queue = new RequestQueue(options.clock, options.pace);
  }

  /** Throws `UpstreamError`. A rate-limited answer delays every later request. */
  async ask(call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
    const { priority = 'urgent', weight = 1 } = call;
    try {
      return await this.#queue.run(priority, () => this.#exchange(call, signal), signal, weight);
    } catch (error) {
      const { kind, retryAfterMs = this.#options.slowDownMs ?? 5_000 } = asUpstreamError(error);
      if (kind === 'rate_limited') this.#queue.pause(retryAfterMs);
      throw error;
    }
  }

  async #exchange(call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
    const { clock, baseUrl, timeoutMs, retryAfter, tooMany, unwrap = (body) => body } = this.#options;
    const url = new URL(baseUrl);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${call.path}`;
    for (const [name, value] of Object.entries(call.parameters ?? {})) url.searchParams.set(name, value);
    const bounds = { clock, timeoutMs: timeoutMs * (call.timeoutFactor ?? 1), bodyBytesMax, signal };
    const { text, askedAt, receivedAt } = await fetchText(url, { ...bounds, retryAfter, tooMany });
    const body = call.isPlain === true ? parsePlain(text) : parseLossless(text);
    return { result: unwrap(body), askedAt, receivedAt };
  }
}
