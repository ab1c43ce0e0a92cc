import { errorTable } from '../../src/contract/errors.ts';
import { limitTable, limitWindowMs } from '../../src/contract/limits.ts';
import type { WireResponse } from './http-client.ts';

/** One answer as the client that got it writes it down. */
export interface Observation {
  /** Names one client, which asks again only after it has its answer. */
  readonly client: string;
  /** Names the key; never the key itself. */
  readonly key: string;
  /** Without its query. */
  readonly path: string;
  /** The server's wall clock, or one that runs with it, before the request was sent and after the answer came. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly status: number;
  readonly code: string | undefined;
  /** Counted as failed authentication, which all clients of one address share. */
  readonly isUnauthenticated: boolean;
  /** Of the limit that counted the request; `undefined` when none did. */
  readonly limit: LimitFigures | undefined;
  /** `timestampMs` of every ticker in the body, by symbol. */
  readonly tickerTimes: Readonly<Record<string, number>>;
}

interface LimitFigures {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Who asked what and when: the part of an observation that is not in the answer. */
export type Asked = Pick<Observation, 'client' | 'key' | 'path' | 'sentAtMs' | 'answeredAtMs'>;

interface KeyWindow {
  readonly limit: number;
  readonly remainingSeen: Set<number>;
  admitted: number;
  refused: number;
  lowestRemaining: number;
  /** A request of the key got no answer around this window, so that not all that was counted was seen. */
  isComplete: boolean;
}

/** What a client last got of a counter. */
interface LastSeen {
  resetSeconds: number;
  remaining: number;
}

const windowSeconds = limitWindowMs / 1000;
/** A window is judged this long after its end, when no answer of it can be under way any more. */
const judgedAfterSeconds = 60;
const faultsMax = 100;

/** Reads an answer into an observation. The answer must not be compressed. */
export function observationOf(asked: Asked, { status, headers, body }: WireResponse): Observation {
  const isJson = headers['content-type']?.endsWith('json') === true && body.length > 0;
  const read = isJson ? (JSON.parse(body.toString('utf8')) as Record<string, unknown>) : {};
  return {
    ...asked,
    status,
    code: typeof read.code === 'string' ? read.code : undefined,
    isUnauthenticated: status === 401 || String(read.detail).startsWith(limitTable.failedAuthentication.name),
    limit: limitOf(headers),
    tickerTimes: tickerTimesOf(read),
  };
}

function limitOf(headers: Readonly<Record<string, string>>): LimitFigures | undefined {
  const limit = headers['x-ratelimit-limit'];
  if (limit === undefined) return undefined;
  const remaining = Number(headers['x-ratelimit-remaining']);
  return { limit: Number(limit), remaining, resetSeconds: Number(headers['x-ratelimit-reset']) };
}

function tickerTimesOf(body: Record<string, unknown>): Record<string, number> {
  const tickers = (body.tickers ?? (body.buyPrice === undefined ? [] : [body])) as {
    symbol: string;
    timestampMs: number;
  }[];
  return Object.fromEntries(tickers.map(({ symbol, timestampMs }) => [symbol, timestampMs]));
}

/**
 * Checks what clients saw over a whole run, answer by answer, and keeps only what later answers are
 * held against: at most the limit is admitted per key and minute, and exactly the smaller of what
 * was sent and the limit; Remaining strictly falls within a minute; Reset is the end of the minute
 * the request was made in; no client sees a ticker go back in time; every status is one of the contract.
 */
export class History {
  readonly faults: string[] = [];
  readonly #windows = new Map<string, Map<number, KeyWindow>>();
  readonly #tickerTimes = new Map<string, Map<string, number>>();
  readonly #lastSeen = new Map<string, LastSeen>();
  #newestReset = 0;
  #observed = 0;

  /** Answers looked at. */
  get observed(): number {
    return this.#observed;
  }

  observe(observation: Observation): void {
    this.#observed++;
    this.#checkStatus(observation);
    this.#checkTickerTimes(observation);
    if (observation.limit === undefined) return;
    this.#checkReset(observation, observation.limit);
    this.#checkRemaining(observation, observation.limit);
    this.#count(observation, observation.limit);
    this.#judgeOldWindows(observation.limit.resetSeconds);
  }

  /** A request of the key got no answer: it may or may not have been counted in the minutes between. */
  noteUnanswered(key: string, sentAtMs: number, givenUpAtMs: number): void {
    for (let reset = resetOf(sentAtMs); reset <= resetOf(givenUpAtMs); reset += windowSeconds) {
      this.#windowOf(key, reset, 0).isComplete = false;
    }
  }

  /** Judges what is left to judge, at the end of the run. Gives every fault found, the first hundred in words. */
  finish(): readonly string[] {
    for (const [key, windows] of this.#windows) {
      for (const [reset, window] of windows) this.#judge(key, reset, window);
    }
    this.#windows.clear();
    return this.faults;
  }

  #checkStatus({ path, status, code, client }: Observation): void {
    const known = errorTable[code as keyof typeof errorTable];
    const isDocumented = status < 400 ? status === 200 || status === 304 : known?.status === status && status !== 500;
    if (!isDocumented) this.#found(`${client}: ${path} answered ${status} ${code ?? ''}, which no document has`);
  }

  #checkTickerTimes({ client, tickerTimes }: Observation): void {
    const known = this.#tickerTimes.get(client) ?? new Map<string, number>();
    this.#tickerTimes.set(client, known);
    for (const [symbol, time] of Object.entries(tickerTimes)) {
      const before = known.get(symbol) ?? 0;
      if (time < before) this.#found(`${client}: ${symbol} went back from ${before} to ${time}`);
      known.set(symbol, Math.max(before, time));
    }
  }

  #checkReset({ client, sentAtMs, answeredAtMs }: Observation, { resetSeconds }: LimitFigures): void {
    if (resetSeconds % windowSeconds !== 0) this.#found(`${client}: Reset ${resetSeconds} is not a full minute`);
    if (resetSeconds < resetOf(sentAtMs) || resetSeconds > resetOf(answeredAtMs)) {
      this.#found(`${client}: Reset ${resetSeconds} is of another minute than ${sentAtMs} to ${answeredAtMs}`);
    }
  }

  #checkRemaining(observation: Observation, { limit, remaining, resetSeconds }: LimitFigures): void {
    const { client, status } = observation;
    const name = `${client}, ${counterOf(observation)}`;
    const state = this.#lastSeen.get(name) ?? { resetSeconds: 0, remaining: 0 };
    this.#lastSeen.set(name, state);
    const isSameWindow = state.resetSeconds === resetSeconds;
    if (resetSeconds < state.resetSeconds) this.#found(`${client}: Reset went back to ${resetSeconds}`);
    if (status === 429 ? remaining !== 0 : remaining >= limit || remaining < 0) {
      this.#found(`${client}: Remaining is ${remaining} of ${limit} on a ${status}`);
    }
    if (isSameWindow && status !== 429 && remaining >= state.remaining) {
      this.#found(`${client}: Remaining did not fall, ${state.remaining} and then ${remaining}`);
    }
    state.resetSeconds = resetSeconds;
    state.remaining = remaining;
  }

  #count(observation: Observation, { limit, remaining, resetSeconds }: LimitFigures): void {
    const { client, status } = observation;
    const key = counterOf(observation);
    const window = this.#windowOf(key, resetSeconds, limit);
    if (status === 429) {
      window.refused++;
      return;
    }
    window.admitted++;
    window.lowestRemaining = Math.min(window.lowestRemaining, remaining);
    if (window.remainingSeen.has(remaining)) this.#found(`${client}: ${key} got twice that ${remaining} are left`);
    window.remainingSeen.add(remaining);
  }

  #windowOf(key: string, resetSeconds: number, limit: number): KeyWindow {
    const ofKey = this.#windows.get(key) ?? new Map<number, KeyWindow>();
    this.#windows.set(key, ofKey);
    const known = ofKey.get(resetSeconds);
    if (known !== undefined && known.limit !== 0) return known;
    const window = {
      limit,
      remainingSeen: new Set<number>(),
      admitted: 0,
      refused: 0,
      lowestRemaining: limit,
      isComplete: known?.isComplete ?? true,
    };
    ofKey.set(resetSeconds, window);
    return window;
  }

  #judgeOldWindows(resetSeconds: number): void {
    if (resetSeconds <= this.#newestReset) return;
    this.#newestReset = resetSeconds;
    for (const [key, windows] of this.#windows) {
      for (const [reset, window] of windows) {
        if (reset + judgedAfterSeconds >= resetSeconds) continue;
        this.#judge(key, reset, window);
        windows.delete(reset);
      }
      if (windows.size === 0) this.#windows.delete(key);
    }
  }

  #judge(key: string, reset: number, { limit, admitted, refused, lowestRemaining, isComplete }: KeyWindow): void {
    if (limit === 0) return;
    const about = `${key} in the minute to ${reset}: ${admitted} admitted, ${refused} refused, limit ${limit}`;
    if (admitted > limit) this.#found(`${about}: more than the limit`);
    if (!isComplete) return;
    if (admitted !== Math.min(admitted + refused, limit)) this.#found(`${about}: not the smaller of sent and limit`);
    if (admitted > 0 && lowestRemaining !== limit - admitted)
      this.#found(`${about}: ${lowestRemaining} left at the end`);
  }

  #found(fault: string): void {
    if (this.faults.length < faultsMax) this.faults.push(fault);
  }
}

/** What the request was counted by. */
function counterOf({ key, isUnauthenticated }: Observation): string {
  return isUnauthenticated ? limitTable.failedAuthentication.name : key;
}

/** The end of the minute an instant lies in, in Unix seconds. */
function resetOf(epochMs: number): number {
  return (Math.floor(epochMs / limitWindowMs) + 1) * windowSeconds;
}
