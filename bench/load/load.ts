import type { Core } from '../processes.ts';

/** Requests to send: the n-th one takes the n-th path and the n-th key, each list begun again at its end. */
export interface LoadPlan {
  readonly baseUrl: string;
  readonly paths: readonly string[];
  readonly keys: readonly string[];
  readonly gzip: boolean;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
  /** Requests a second; absent: as fast as they are answered. */
  readonly rate?: number;
  /** Where the requests come from; `others` when left out. */
  readonly core?: Core;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly bytesReceived: number;
  /** Answers with a status other than 200, and requests without an answer. */
  readonly failures: number;
  /** Time from request to answer, median and 99th percentile. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** One request per entry, in the order in which they are sent over and over. */
export function requestsOf({ paths, keys, gzip }: LoadPlan): { path: string; headers: Record<string, string> }[] {
  return Array.from({ length: Math.max(paths.length, keys.length) }, (_, index) => ({
    path: paths[index % paths.length]!,
    headers: {
      'X-EXCHANGE-APIKEY': keys[index % keys.length]!,
      ...(gzip ? { 'Accept-Encoding': 'gzip' } : {}),
    },
  }));
}

/** Throws unless every request had its 200. */
export function assertServed(result: LoadResult, what: string): void {
  if (result.failures > 0) throw new Error(`${what}: ${result.failures} of ${result.requests} requests failed`);
  if (result.requests === 0) throw new Error(`${what}: no request was answered`);
}
