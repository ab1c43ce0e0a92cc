import { type Clock, systemClock, systemRandom } from './clock.ts';
import type { Hooks } from './hooks.ts';
import type { Fetch } from './wire.ts';

export interface ClientOptions extends Hooks {
  /** Base URL of the service, without `/v1`: `https://api.example.com`. */
  readonly baseUrl: string | URL;
  /** Sent in a header of every request. It appears nowhere else: in no error, URL or inspection of the client. */
  readonly apiKey: string;
  /** Default: the platform's own. */
  readonly fetch?: Fetch;
  /**
   * `true` makes a client in a browser too, where everybody who opens the page can read the key. Default: `false`, a
   * `TypeError` there.
   */
  readonly allowBrowser?: boolean;
  /** The most requests for one call. Default: 4; 1 never retries. */
  readonly maxAttempts?: number;
  /** The longest time for one request and its whole answer, in milliseconds. Default: 10,000. */
  readonly attemptTimeoutMs?: number;
  /**
   * The longest time for a call with all its retries and waits, in milliseconds. Default: 90,000, enough to wait a
   * minute for the limit.
   */
  readonly deadlineMs?: number;
  /**
   * `false` sends requests even when the key's limit is known to be used up; the server refuses them. Default: `true`.
   */
  readonly waitForLimit?: boolean;
  /**
   * The oldest market data that a watch calls reliable while the service is `degraded`, in milliseconds: `serverTimeMs`
   * less `lastUpdatedAtMs` of the last status. Default: 30,000.
   */
  readonly maxDataAgeMs?: number;
  /** How often the server's time is measured again while it is used, in milliseconds. Default: 30 minutes. */
  readonly remeasureClockMs?: number;
  /** For your own tests. */
  readonly clock?: Clock;
  /** For your own tests: uniform in [0, 1). */
  readonly random?: () => number;
}

/** Options with all defaults applied. */
export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly maxAttempts: number;
  readonly attemptTimeoutMs: number;
  readonly deadlineMs: number;
  readonly waitForLimit: boolean;
  readonly maxDataAgeMs: number;
  readonly remeasureClockMs: number;
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Validates the options. Throws `TypeError` or `RangeError`, never with the key in the message. */
export function settingsOf(options: ClientOptions): Settings {
  if (options.allowBrowser !== true && isBrowser()) {
    throw new TypeError(
      'this is a browser, where everybody can read the key: call the API on your server, or set allowBrowser',
    );
  }
  const settings: Settings = {
    baseUrl: checkedBaseUrl(options.baseUrl),
    apiKey: checkedKey(options.apiKey),
    // Browsers insist on their fetch being called as a method of the global object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    maxAttempts: options.maxAttempts ?? 4,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 10_000,
    deadlineMs: options.deadlineMs ?? 90_000,
    waitForLimit: options.waitForLimit ?? true,
    maxDataAgeMs: options.maxDataAgeMs ?? 30_000,
    remeasureClockMs: options.remeasureClockMs ?? 1_800_000,
    hooks: options,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  };
  const atLeastOne = ['maxAttempts', 'attemptTimeoutMs', 'deadlineMs', 'maxDataAgeMs', 'remeasureClockMs'] as const;
  for (const name of atLeastOne) {
    if (!(settings[name] >= 1)) throw new RangeError(`${name} must be at least 1`);
  }
  return settings;
}

/** Pages and workers of browsers, and nothing else, call themselves so. */
function isBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  return navigator?.userAgent?.startsWith('Mozilla/') === true;
}

function checkedBaseUrl(written: string | URL): string {
  let url: URL;
  try {
    url = new URL(written);
  } catch {
    throw new TypeError('baseUrl must be an absolute URL such as https://api.example.com');
  }
  const isPlain = /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
  if (!isPlain) throw new TypeError('baseUrl must be http or https, without credentials, query or fragment');
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/v1')) throw new TypeError('baseUrl must not end in /v1: the client adds it');
  return url.origin + path;
}

/** Throws `TypeError`, without showing the key. */
export function checkedKey(apiKey: string): string {
  // For a value that cannot be in a header, fetch would show it in its own error.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be a non-empty text of visible ASCII characters, without spaces');
  }
  return apiKey;
}
