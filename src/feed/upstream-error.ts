/**
 * What went wrong with an upstream, coarse enough to decide on and to be a metric label.
 *
 * - `network`: no connection, or it broke (name resolution and TLS included)
 * - `timeout`: the bounded time ran out
 * - `too_large`: more bytes than the bound
 * - `status`: an HTTP status other than 2xx
 * - `rate_limited`: the upstream asks us to slow down
 * - `malformed`: not what the protocol says (an HTML page, truncated JSON, a missing member)
 * - `refused`: well-formed, and the answer is no
 * - `unknown_symbol`: the upstream does not know a symbol of the question
 * - `aborted`: we gave up ourselves
 */
export type UpstreamErrorKind =
  | 'network'
  | 'timeout'
  | 'too_large'
  | 'status'
  | 'rate_limited'
  | 'malformed'
  | 'refused'
  | 'unknown_symbol'
  | 'aborted';

/** A failed exchange with an upstream. The message is safe to log: it holds no URL, no header and no body. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  /** How long the upstream asked us to wait, in milliseconds; `undefined` when it did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: UpstreamErrorKind, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'UpstreamError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Any thrown value as an `UpstreamError`. What is not one already is `malformed`: a reader met what it did not expect. */
export function asUpstreamError(thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  return new UpstreamError('malformed', thrown instanceof Error ? thrown.name : 'not an error object');
}
