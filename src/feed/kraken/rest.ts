import type { Clock, EpochMs } from '../../clock.ts';
import { fetchText } from '../bounded-fetch.ts';
import { RequestQueue } from '../request-queue.ts';
import { asList, asObject, asUpstreamError, parseLossless, parsePlain, UpstreamError } from '../wire.ts';

interface KrakenRestOptions {
  readonly clock: Clock;
  /** Without a path, for example `https://api.kraken.com`. */
  readonly baseUrl: string;
  /** For one answer; three times that for the catalogue. */
  readonly timeoutMs: number;
}

export interface RestAnswer {
  readonly result: unknown;
  /** When the request was sent. */
  readonly askedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/** The calls below `/0/public/`. Large answers whose decimals are all strings are parsed at a tenth of the cost. */
const calls = {
  Assets: { priority: 'urgent', timeoutFactor: 1, parse: parsePlain },
  AssetPairs: { priority: 'urgent', timeoutFactor: 3, parse: parsePlain },
  Ticker: { priority: 'urgent', timeoutFactor: 1, parse: parseLossless },
  OHLC: { priority: 'background', timeoutFactor: 1, parse: parseLossless },
} as const;

const pace = { intervalMs: 1_000, burst: 2, inFlightMax: 4, waitingMax: 64 };
/** Of twenty thousand pairs, `AssetPairs` is about 18 MiB. */
const bodyBytesMax = 48 * 1024 * 1024;

/** The pause when the exchange asks us to slow down without saying for how long. */
const slowDownMs = 5_000;

/** Kraken's public REST calls, within Kraken's rate limit. */
export class KrakenRest {
  readonly #options: KrakenRestOptions;
  readonly #queue: RequestQueue;

  constructor(options: KrakenRestOptions) {
    this.#options = options;
    this.#queue = new RequestQueue(options.clock, pace);
  }

  /** Throws `UpstreamError`. An answer that asks us to slow down holds back every later request. */
  async ask(
    call: keyof typeof calls,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<RestAnswer> {
    try {
      return await this.#queue.run(calls[call].priority, () => this.#exchange(call, parameters, signal), signal);
    } catch (error) {
      const { kind, retryAfterMs = slowDownMs } = asUpstreamError(error);
      if (kind === 'rate_limited') this.#queue.pause(retryAfterMs);
      throw error;
    }
  }

  async #exchange(
    call: keyof typeof calls,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<RestAnswer> {
    const { clock, baseUrl, timeoutMs } = this.#options;
    const { timeoutFactor, parse } = calls[call];
    const url = new URL(baseUrl);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/0/public/${call}`;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const bounds = { clock, timeoutMs: timeoutMs * timeoutFactor, bodyBytesMax, signal };
    const { text, askedAt, receivedAt } = await fetchText(url, bounds);
    return { result: readEnvelope(parse(text)), askedAt, receivedAt };
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
