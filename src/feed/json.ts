import { UpstreamError } from './upstream-error.ts';

/** The third parameter of a reviver (ECMAScript, JSON.parse source text access). */
interface ReviverContext {
  readonly source?: string;
}

function keepSource(_name: string, value: unknown, context?: ReviverContext): unknown {
  return typeof value === 'number' ? context?.source : value;
}

/**
 * Parses JSON and gives each number as its source text, so no digit is ever lost to a double:
 * `1.00000` stays `1.00000`, and twenty digits stay twenty digits. Throws `UpstreamError`
 * (`malformed`) for anything that is not JSON, text nested too deeply to read included.
 */
export function parseLossless(text: string): unknown {
  try {
    return JSON.parse(text, keepSource as (name: string, value: unknown) => unknown);
  } catch {
    throw new UpstreamError('malformed', 'not JSON');
  }
}

/**
 * Parses JSON at a tenth of the cost, with numbers as doubles. For large answers whose decimals are
 * all strings by their protocol. Throws as `parseLossless` does.
 */
export function parsePlain(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UpstreamError('malformed', 'not JSON');
  }
}

/** The value as an object to read members from; `undefined` for anything else, arrays included. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** The value as a list; `undefined` for anything else. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value as text; `undefined` for anything else. After `parseLossless` a JSON number is text too: its source. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const wholeNumber = /^\d{1,15}$/;

/** The value as a whole number from 0 to `max`, whether it is a number or its source text; `undefined` otherwise. */
export function asCount(value: unknown, max: number): number | undefined {
  const count = typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= max ? count : undefined;
}
