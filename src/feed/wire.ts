import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, isPositive, parseDecimal } from '../market/decimal.ts';
import type { RefusalKind } from './refusal.ts';

/** Why a request to an upstream failed. The names are metric labels. */
export type UpstreamErrorKind =
  /** No connection, or it broke (name resolution and TLS included). */
  | 'network'
  /** No complete answer in time. */
  | 'timeout'
  /** More bytes than the bound. */
  | 'too_large'
  /** An HTTP status other than 2xx. */
  | 'status'
  /** Too many requests. */
  | 'rate_limited'
  /** The upstream wants no request before an instant. */
  | 'banned'
  /** Not what the protocol says (an HTML page, truncated JSON, a missing member). */
  | 'malformed'
  /** A well-formed error answer. */
  | 'refused'
  /** The upstream does not know a requested symbol. */
  | 'unknown_symbol'
  /** Cancelled by us. */
  | 'aborted';

/**
 * A failed exchange with an upstream. The message is safe to log: it holds no URL, no header, and of a body no more
 * than the words of a refusal.
 */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  /** How long the upstream asked us to wait, in milliseconds; `undefined`: unspecified. */
  readonly retryAfterMs: number | undefined;
  /** The meaning, where it answered and refused. */
  readonly refusal: RefusalKind | undefined;

  constructor(kind: UpstreamErrorKind, message: string, retryAfterMs?: number, refusal?: RefusalKind) {
    super(message);
    this.name = 'UpstreamError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.refusal = refusal;
  }
}

/** Any thrown value as an `UpstreamError`. Any other error is `malformed`: it was thrown by a reader of the answer. */
export function asUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError('malformed', error instanceof Error ? error.name : 'not an error object');
}

/**
 * A number that a double can change: with a fraction, an exponent, a sign before its zero, or 16 digits. A colon that
 * follows no quote is in a text: one of a time, mostly.
 */
const losable = /(?:"\s*:|[,[])\s*-?(?:\d+[.eE]|\d{16}|(?<=-)0)/;

/** A text, or a number that is not the name of a member. */
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/g;

/**
 * Parses JSON so that no digit is lost to a double: `1.00000` stays `1.00000`, and twenty digits stay twenty digits. A
 * text without such a number keeps its whole numbers: `asDecimal` and `asText` read both. Of any other all numbers are
 * put in quotes first, at half the cost of a reviver. Throws `UpstreamError` (`malformed`) for anything that is not
 * JSON.
 */
export function parseLossless(text: string): unknown {
  return parsePlain(text, losable.test(text));
}

/**
 * Parses JSON with numbers as doubles: for a large answer of which no price is read. Throws as `parseLossless` does.
 */
export function parsePlain(text: string, isQuoting = false): unknown {
  try {
    const quoted = (token: string) => (token.startsWith('"') ? token : `"${token}"`);
    return JSON.parse(isQuoting ? text.replace(textOrNumber, quoted) : text);
  } catch {
    throw new UpstreamError('malformed', 'not JSON');
  }
}

export type WireObject = Readonly<Record<string, unknown>>;

/** The value as an object; `undefined` for anything else, arrays included. */
export function asObject(value: unknown): WireObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WireObject) : undefined;
}

/** The value as a list; `undefined` for anything else. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value. Throws `UpstreamError` (`malformed`) with this message where there is none. */
export function required<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new UpstreamError('malformed', message);
  return value;
}

/** The value as an object. Throws `UpstreamError` (`malformed`), naming `what` was read, for anything else. */
export function requireObject(value: unknown, what: string): WireObject {
  return required(asObject(value), `${what}: not an object`);
}

/**
 * The entries of a list as objects; one that is no object reads as an empty one. Throws `UpstreamError` (`malformed`),
 * naming `what` was read, for anything that is no list.
 */
export function requireList(value: unknown, what: string): WireObject[] {
  return required(asList(value), `${what}: not a list`).map((entry) => asObject(entry) ?? {});
}

/** The value as text, a number as it is written; `undefined` for anything else. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}

/** The value as a decimal, whether the exchange sent a text or a number; `undefined` for anything else. */
export function asDecimal(value: unknown): DecimalString | undefined {
  return parseDecimal(asText(value));
}

const wholeNumber = /^\d{1,15}$/;

/** The value as a whole number from 0 to `max`, whether it is a number or its source text; `undefined` otherwise. */
export function asCount(value: unknown, max: number): number | undefined {
  const count = typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= max ? count : undefined;
}

/** The value as a decimal above zero; `undefined` otherwise. */
export function asPositive(value: unknown): DecimalString | undefined {
  const decimal = asDecimal(value);
  return decimal !== undefined && isPositive(decimal) ? decimal : undefined;
}

/**
 * An instant in whole milliseconds or seconds since the epoch, distinguished by its size; `undefined` for anything
 * else.
 */
export function asEpoch(value: unknown): EpochMs | undefined {
  const count = asCount(value, 9_999_999_999_999);
  if (count === undefined || count === 0) return undefined;
  return (count < 100_000_000_000 ? count * 1000 : count) as EpochMs;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** An RFC 3339 instant, truncated to milliseconds; `undefined` for anything else. */
export function asInstant(value: unknown): EpochMs | undefined {
  if (typeof value !== 'string' || !rfc3339.test(value)) return undefined;
  const milliseconds = Date.parse(value);
  return Number.isNaN(milliseconds) ? undefined : (milliseconds as EpochMs);
}

/** The start in UTC of a calendar day `YYYY-MM-DD`; `undefined` for anything else, 30 February included. */
export function asDay(value: string): EpochMs | undefined {
  const start = asInstant(`${value}T00:00:00.000Z`);
  return start !== undefined && new Date(start).toISOString().startsWith(value) ? start : undefined;
}
