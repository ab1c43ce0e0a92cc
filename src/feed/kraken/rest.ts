import type { Clock } from '../../clock.ts';
import { fetchText } from '../bounded-fetch.ts';
import { asList, asObject, parseLossless, parsePlain } from '../json.ts';
import type { RequestPriority } from '../request-queue.ts';
import { RequestQueue } from '../request-queue.ts';
import { asUpstreamError, UpstreamError } from '../upstream-error.ts';
import type { PolledAt } from './ticker.ts';

export interface KrakenRestOptions {
  readonly clock: Clock;
  /** Without a path, for example `https://api.kraken.com`. */
  readonly baseUrl: string;
  readonly intervalMs: number;
  readonly bodyBytesMax: number;
}

export interface RestQuestion {
  /** Below `/0/public/`, for example `Ticker`. */
  readonly call: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly priority: RequestPriority;
  readonly timeoutMs: number;
  /** `plain` for large answers whose decimals are all strings. */
  readonly numbers: 'lossless' | 'plain';
}

export interface RestAnswer extends PolledAt {
  readonly result: unknown;
}

/** When the exchange tells us to slow down without saying for how long. */
const slowDownMs = 5_000;

/** Kraken's public REST calls, at Kraken's pace. */
export class KrakenRest {
  readonly #options: KrakenRestOptions;
  readonly #queue: RequestQueue;

  constructor(options: KrakenRestOptions) {
    this.#options = options;
    this.#queue = new RequestQueue(options.clock, {
      intervalMs: options.intervalMs,
      burst: 2,
      inFlightMax: 4,
      waitingMax: 64,
    });
  }

  /** Throws `UpstreamError`. An answer that asks us to slow down holds back every later request. */
  async ask(question: RestQuestion, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await this.#queue.run(question.priority, () => this.#exchange(question, signal), signal);
    } catch (thrown) {
      const error = asUpstreamError(thrown);
      if (error.kind === 'rate_limited') this.#queue.pause(error.retryAfterMs ?? slowDownMs);
      throw error;
    }
  }

  async #exchange(question: RestQuestion, signal: AbortSignal): Promise<RestAnswer> {
    const { clock, baseUrl, bodyBytesMax } = this.#options;
    const url = new URL(baseUrl);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/0/public/${question.call}`;
    for (const [name, value] of Object.entries(question.parameters)) url.searchParams.set(name, value);
    const answer = await fetchText(url, { clock, timeoutMs: question.timeoutMs, bodyBytesMax, signal });
    const parse = question.numbers === 'plain' ? parsePlain : parseLossless;
    return { result: readEnvelope(parse(answer.text)), askedAt: answer.askedAt, receivedAt: answer.receivedAt };
  }
}

/** Takes `result` out of `{error, result}`. The HTTP status is 200 even when `error` is filled. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  const errors = asList(envelope?.error);
  if (envelope === undefined || errors === undefined) throw new UpstreamError('malformed', 'no error member');
  // A leading W marks a warning beside a valid result.
  const error = errors.find((entry) => typeof entry !== 'string' || !entry.startsWith('W'));
  if (error === undefined) return envelope.result;
  throw refusal(typeof error === 'string' ? error.slice(0, 100) : 'unreadable error');
}

function refusal(error: string): UpstreamError {
  if (/too many requests|rate limit/i.test(error)) return new UpstreamError('rate_limited', error);
  if (/unknown asset pair/i.test(error)) return new UpstreamError('unknown_symbol', error);
  return new UpstreamError('refused', error);
}
