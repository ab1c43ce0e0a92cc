import { isUtf8 } from 'node:buffer';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { waitMsMax } from './refusal.ts';
import { redirectOf, userAgent } from './ways-out.ts';
import { asUpstreamError, UpstreamError } from './wire.ts';

export interface FetchBounds {
  readonly clock: Clock;
  /** For the whole exchange, the body included. */
  readonly timeoutMs: number;
  /** After decompression. */
  readonly bodyBytesMax: number;
  readonly signal: AbortSignal;
  /** Makes the error of an answer that is neither 2xx nor a redirect; without it its status alone says what it is. */
  readonly refused?: ((answer: RefusedAnswer) => UpstreamError) | undefined;
  /** The media types asked for; JSON by default. */
  readonly accept?: string;
  /** Reads how long to wait from headers of the upstream's own, where it sends no `Retry-After`. Milliseconds. */
  readonly retryAfter?: ((headers: Headers, now: EpochMs) => number | undefined) | undefined;
}

/** An answer other than 2xx. */
export interface RefusedAnswer {
  readonly status: number;
  /** At most its first 64 KiB. */
  readonly text: string;
  /** How long its headers ask to wait. */
  readonly retryAfterMs: number | undefined;
}

export interface FetchedText {
  readonly text: string;
  /** When the request was sent; that of a cache which answers was sent longer ago. */
  readonly askedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

const retryAfterMsMax = 3_600_000;
const slowDown = new Set([418, 429]);
/** The part of an error's body that is read. */
export const errorBytesMax = 64 * 1024;

/**
 * One GET with a bounded time and a bounded body. Resolves with the text of a 2xx answer; everything else throws an
 * `UpstreamError` whose message names neither the URL nor anything of the body. A redirect is such a failure, and names
 * where it leads. Credentials in the URL travel as a Basic `Authorization` header (RFC 7617).
 */
export async function fetchText(address: string | URL, bounds: FetchBounds): Promise<FetchedText> {
  if (bounds.signal.aborted) throw new UpstreamError('aborted', 'cancelled before it was sent');
  // `AbortSignal.any` would leak a little memory for each request: the caller's signal lives as long as the feed.
  const controller = new AbortController();
  const abort = () => controller.abort();
  bounds.signal.addEventListener('abort', abort);
  let isLate = false;
  const timer = bounds.clock.after(bounds.timeoutMs, () => {
    isLate = true;
    abort();
  });
  try {
    return await exchange(address, bounds, controller.signal);
  } catch (error) {
    // An unread body would hold its connection until it is collected.
    abort();
    if (isLate) throw new UpstreamError('timeout', `no complete answer within ${bounds.timeoutMs} ms`);
    if (bounds.signal.aborted) throw new UpstreamError('aborted', 'cancelled while in flight');
    throw asFetchError(error);
  } finally {
    timer.cancel();
    bounds.signal.removeEventListener('abort', abort);
  }
}

async function exchange(address: string | URL, bounds: FetchBounds, signal: AbortSignal): Promise<FetchedText> {
  const { url, headers } = splitCredentials(address);
  headers.set('accept', bounds.accept ?? 'application/json');
  headers.set('user-agent', userAgent);
  const askedAt = bounds.clock.now();
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  if (!response.ok) throw await statusError(response, url, bounds);
  const text = await readBody(response, bounds.bodyBytesMax);
  const ageMs = readAge(response.headers.get('age'));
  return { text, askedAt: (askedAt - ageMs) as EpochMs, receivedAt: bounds.clock.now() };
}

/** For how long a cache had the answer (RFC 9111 §5.1), in milliseconds; 0 where none says so. */
function readAge(header: string | null): number {
  return /^\d{1,9}$/.test(header ?? '') ? Number(header) * 1000 : 0;
}

function splitCredentials(address: string | URL): { url: URL; headers: Headers } {
  const url = new URL(address);
  const headers = new Headers();
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    url.username = '';
    url.password = '';
  }
  return { url, headers };
}

async function readBody(response: Response, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > bytesMax) throw new UpstreamError('too_large', `more than ${bytesMax} bytes`);
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  if (!isUtf8(body)) throw new UpstreamError('malformed', 'not UTF-8');
  return body.toString('utf8');
}

async function statusError(
  response: Response,
  asked: URL,
  { clock, retryAfter, refused }: FetchBounds,
): Promise<UpstreamError> {
  const { status, headers } = response;
  const now = clock.now();
  const maxMs = refused === undefined ? undefined : waitMsMax;
  const retryAfterMs =
    readRetryAfter(headers.get('retry-after') ?? undefined, now, maxMs) ?? retryAfter?.(headers, now);
  const moved = redirectOf(status, headers.get('location'), asked);
  if (moved !== undefined) return new UpstreamError('status', `HTTP status ${status}: ${moved}`);
  if (refused !== undefined) return refused({ status, text: await readBody(response, errorBytesMax), retryAfterMs });
  return new UpstreamError(slowDown.has(status) ? 'rate_limited' : 'status', `HTTP status ${status}`, retryAfterMs);
}

/**
 * `Retry-After` (RFC 9110 §10.2.3), seconds or a date, as milliseconds from `now`, at most an hour unless given.
 * `undefined` when absent or unreadable.
 */
export function readRetryAfter(header: string | undefined, now: EpochMs, maxMs = retryAfterMsMax): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), maxMs) : undefined;
}

/** Keeps the system error code (`ECONNREFUSED`) and drops the message, which may quote the URL. */
function asFetchError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (!(error instanceof TypeError)) return asUpstreamError(error);
  const cause: unknown = error.cause;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : '';
  const [, proxyStatus] = /^Proxy response \((\d{3})\)/.exec(inner) ?? [];
  if (proxyStatus !== undefined) return new UpstreamError('network', `the proxy answers with status ${proxyStatus}`);
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'no connection';
  return new UpstreamError('network', code);
}
