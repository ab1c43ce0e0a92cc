/** The parts used of packages that are installed in this folder only: the checker of types must do without them. */
declare module '@fastify/rate-limit' {
  import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

  const rateLimit: FastifyPluginAsync<{
    max: number;
    timeWindow: number;
    keyGenerator: (request: FastifyRequest) => string;
  }>;
  export default rateLimit;
}

declare module 'autocannon' {
  export interface Request {
    path: string;
    headers: Record<string, string>;
  }
  export interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Requests a second over all connections; absent: as many as there can be. */
    overallRate?: number;
    requests: readonly Request[];
  }
  export interface Result {
    readonly requests: { readonly total: number };
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly throughput: { readonly total: number };
    /** Seconds. */
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
