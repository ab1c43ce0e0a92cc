import { type Clock, systemClock, systemRandom } from './clock.ts';
import type { Fetch } from './wire.ts';

export interface ClientOptions {
  /** Address of the service, without `/v1`: `https://api.example.com`. */
  readonly baseUrl: string | URL;
  /** Sent in a header of every request, and found nowhere else: in no error, address or inspection of the client. */
  readonly apiKey: string;
  /** The platform's own when left out. */
  readonly fetch?: Fetch;
  /** Most requests for one call. 4 when left out; 1 never retries. */
  readonly maxAttempts?: number;
  /** Longest time for one request and its whole answer, in milliseconds. 10,000 when left out. */
  readonly attemptTimeoutMs?: number;
  /** Longest time for a call with all its retries and waits, in milliseconds. 90,000 when left out: a minute's wait for the limit fits in. */
  readonly deadlineMs?: number;
  /** `false` sends requests even when the key's limit is known to be used up, to be refused by the server. */
  readonly waitForLimit?: boolean;
  /** How often the server's time is asked for again while it matters, in milliseconds. 30 minutes when left out. */
  readonly remeasureClockMs?: number;
  /** For tests of your own. */
  readonly clock?: Clock;
  /** For tests of your own: uniform in [0, 1). */
  readonly random?: () => number;
}

/** Options with every default filled in. */
export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly maxAttempts: number;
  readonly attemptTimeoutMs: number;
  readonly deadlineMs: number;
  readonly waitForLimit: boolean;
  readonly remeasureClockMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Checks what a caller wrote. Throws `TypeError` or `RangeError`, never with the key in it. */
export function settingsOf(options: ClientOptions): Settings {
  const settings: Settings = {
    baseUrl: checkedBaseUrl(options.baseUrl),
    apiKey: checkedKey(options.apiKey),
    // Browsers insist on their fetch being called as a method of the global object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    maxAttempts: options.maxAttempts ?? 4,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 10_000,
    deadlineMs: options.deadlineMs ?? 90_000,
    waitForLimit: options.waitForLimit ?? true,
    remeasureClockMs: options.remeasureClockMs ?? 1_800_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  };
  for (const name of ['maxAttempts', 'attemptTimeoutMs', 'deadlineMs', 'remeasureClockMs'] as const) {
    if (!(settings[name] >= 1)) throw new RangeError(`${name} must be at least 1`);
  }
  return settings;
}

function checkedBaseUrl(written: string | URL): string {
  let url: URL;
  try {
    url = new URL(written);
  } catch {
    throw new TypeError('baseUrl must be an absolute address such as https://api.example.com');
  }
  const isPlain = /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
  if (!isPlain) throw new TypeError('baseUrl must be http or https, without credentials, query or fragment');
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/v1')) throw new TypeError('baseUrl must not end in /v1: the client adds it');
  return url.origin + path;
}

function checkedKey(apiKey: string): string {
  // What fetch cannot put in a header it would show in its own error.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be a non-empty text of visible ASCII characters, without spaces');
  }
  return apiKey;
}
