import type { MarketDataFailure } from './failures.ts';

/** A request that is about to be sent. None of the events contains the API key. */
export interface RequestEvent {
  /** Path and query. */
  readonly path: string;
  /** 1 for the first request of a call. */
  readonly attempt: number;
}

/** An answer, of whatever status. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  /** Absent when the answer is not from the service, but from a proxy in front of it. */
  readonly requestId: string | undefined;
  /** From sending the request to the head of the answer. */
  readonly durationMs: number;
}

/** A call that is repeated after a wait. `attempt` is the one that failed. */
export interface RetryEvent extends RequestEvent {
  readonly failure: MarketDataFailure;
  readonly waitMs: number;
}

/** Called for each request, for logs and metrics. What a hook throws fails the call, or ends the watch. */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  readonly onResponse?: (event: ResponseEvent) => void;
  /** Calls only: a watch reports its state instead. */
  readonly onRetry?: (event: RetryEvent) => void;
}
