import type { Ban } from './ban.ts';
import { type FetchBounds, type FetchedText, fetchText } from './bounded-fetch.ts';
import type { Pace } from './pace.ts';
import { leadsTo, type Refusal, type RefusalKind, type RefusalTable, type Said, understand } from './refusal.ts';
import { type RequestPriority, RequestQueue } from './request-queue.ts';
import { asObject, asUpstreamError, parseLossless, parsePlain, UpstreamError, type UpstreamErrorKind } from './wire.ts';

/** How requests to the REST interface of an exchange are made. */
export interface RestClientOptions extends Pick<FetchBounds, 'clock' | 'timeoutMs' | 'retryAfter'> {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly pace: Pace;
  /** The meaning of its refusals. */
  readonly refusals: RefusalTable;
  /** Whatever the exchange says over REST or the socket: no request while it lasts. */
  readonly ban: Ban;
  /** Takes the result out of a parsed answer that is no refusal, or throws `UpstreamError` for an unreadable one. */
  readonly unwrap?: (body: unknown) => unknown;
  /** The pause after a rate-limited answer that names none; 5,000 by default. */
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

/** Longer texts of an unknown shape are not read. */
const foreignWordsMax = 500;
/** The largest answer. */
const bodyBytesMax = 48 * 1024 * 1024;

const errorKinds: Readonly<Record<RefusalKind, UpstreamErrorKind>> = {
  rate: 'rate_limited',
  ban: 'banned',
  maintenance: 'refused',
  market: 'unknown_symbol',
  full: 'refused',
  unclear: 'refused',
};

/** The REST side of one exchange, within its limits: every caller shares one queue. */
export class RestClient {
  readonly #options: RestClientOptions;
  readonly #queue: RequestQueue;

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.#queue = new RequestQueue(options.clock, options.pace, () => options.ban.waitMs);
  }

  /**
   * Throws `UpstreamError`. A rate-limited answer delays every later request; during a ban all fail at once, without
   * being made.
   */
  async ask(call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
    const { priority = 'urgent', weight = 1 } = call;
    const { ban, slowDownMs = 5_000 } = this.#options;
    if (ban.until !== undefined) throw bannedUntil(ban);
    try {
      return await this.#queue.run(priority, () => this.#exchange(call, signal), signal, weight);
    } catch (error) {
      const { kind, retryAfterMs = slowDownMs } = asUpstreamError(error);
      if (kind === 'rate_limited') this.#queue.pause(retryAfterMs);
      throw error;
    }
  }

  async #exchange(call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
    const { clock, baseUrl, timeoutMs, retryAfter, refusals, unwrap = (body) => body } = this.#options;
    const url = new URL(baseUrl);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${call.path}`;
    for (const [name, value] of Object.entries(call.parameters ?? {})) url.searchParams.set(name, value);
    const bounds = { clock, timeoutMs: timeoutMs * (call.timeoutFactor ?? 1), bodyBytesMax, signal };
    const { text, askedAt, receivedAt } = await fetchText(url, {
      ...bounds,
      retryAfter,
      refused: ({ status, text, retryAfterMs }) => this.#refused({ ...saidIn(refusals, text), status }, retryAfterMs),
    });
    const body = call.isPlain === true ? parsePlain(text) : parseLossless(text);
    const said = refusals.read(asObject(body) ?? {});
    if (said !== undefined) throw this.#refused(said);
    return { result: unwrap(body), askedAt, receivedAt };
  }

  /** The error of a refusal; a ban holds from here on. */
  #refused(said: Said, headerMs?: number): UpstreamError {
    const { refusals, clock, ban } = this.#options;
    const refusal = understand(refusals, said, clock.now(), headerMs);
    if (leadsTo[refusal.kind] === 'stay_away') {
      ban.note(refusal.waitMs ?? 0, refusal.words);
      const error = bannedUntil(ban, refusal.words);
      this.#queue.refuseWaiting(error);
      return error;
    }
    return new UpstreamError(errorKindOf(refusal, said), refusal.words, refusal.waitMs, refusalOf(refusal, said));
  }
}

/** An answer that has nothing but a status is a failure of the server from 500 on, and no refusal. */
function isFailure({ kind }: Refusal, { status = 0 }: Said): boolean {
  return kind === 'unclear' && status >= 500;
}

function refusalOf(refusal: Refusal, said: Said): RefusalKind | undefined {
  return isFailure(refusal, said) ? undefined : refusal.kind;
}

function errorKindOf({ kind }: Refusal, { status }: Said): UpstreamErrorKind {
  return status === undefined || kind === 'rate' ? errorKinds[kind] : 'status';
}

/**
 * What a body says that came with an error's status. In a shape that is not the exchange's, all of it are its words.
 */
export function saidIn({ read }: RefusalTable, text: string): Said {
  const words = text.trim();
  const own = words.startsWith('{') ? read(asObject(parsed(words)) ?? {}) : undefined;
  // A page is not read: its words are for people, and about anything.
  return own ?? { words: words.length <= foreignWordsMax && !words.includes('<') ? words : '' };
}

function parsed(text: string): unknown {
  try {
    return parsePlain(text);
  } catch {
    return undefined;
  }
}

function bannedUntil({ until, waitMs }: Ban, words = ''): UpstreamError {
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  const detail = `banned${end}${words === '' ? '' : `: ${words}`}`;
  return new UpstreamError('banned', detail, waitMs, 'ban');
}
