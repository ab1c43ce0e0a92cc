import { parseDuration } from '../configuration/duration.ts';
import { lastInstantMs } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import { UsageError } from './failure.ts';

/** The forms of an INSTANT, for the help. */
export const instantForms =
  'now, +10m or -10m (from now; ms, s, m, h, d), or ISO 8601 with Z or an offset: 2026-11-21T10:00Z';

const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
export const withoutZone = /^\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}){0,2}(\.\d+)?)?$/;

/** Reads an INSTANT of the command line. `option` is its name in messages. Throws `UsageError`. */
export function parseInstant(text: string, now: EpochMs, option: string): EpochMs {
  if (text === 'now') return now;
  const instant = /^[+-]/.test(text) ? relative(text, now) : absolute(text);
  if (instant !== undefined && instant >= 0 && instant <= lastInstantMs) return instant as EpochMs;
  throw new UsageError(`${option}: "${text}" ${problemOf(text)}. Allowed: ${instantForms}.`);
}

/**
 * Adds its offset to an instant that has none. Throws `UsageError` for one that is there never or twice.
 *
 * @param say told how it was read
 */
export function withOffset(text: string, timeZone: string, option: string, say: (line: string) => void): string {
  try {
    const read = Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone, { disambiguation: 'reject' });
    say(`${option}: ${read.toString()}`);
    return read.toInstant().toString();
  } catch {
    throw new UsageError(`${option}: "${text}" is there never or twice in ${timeZone}. Add an offset.`);
  }
}

/** Does what {@link parseInstant} does for an option that can be left out. */
export function parseOptionalInstant(text: string | undefined, now: EpochMs, option: string): EpochMs | undefined {
  return text === undefined ? undefined : parseInstant(text, now, option);
}

/** Reads a span such as `24h`, 0 to `maximumMs`. Throws `UsageError`. */
export function parseSpan(text: string, maximumMs: number, option: string): number {
  const spanMs = parseDuration(text);
  if (spanMs !== undefined && spanMs <= maximumMs) return spanMs;
  const allowed = `a whole number with ms, s, m, h or d, up to ${Math.floor(maximumMs / 86_400_000)}d`;
  throw new UsageError(`${option}: "${text}" is not a span of time. Allowed: ${allowed}.`);
}

/** Reads a whole number, 1 to `maximum`, in plain digits. Throws `UsageError`. */
export function parseCount(text: string, maximum: number, option: string): number {
  if (/^[1-9]\d{0,14}$/.test(text) && Number(text) <= maximum) return Number(text);
  throw new UsageError(`${option}: "${text}" is not a whole number from 1 to ${maximum}.`);
}

/** Reads a percentage under 100 with a decimal point or comma; `inherit` stays. Throws `UsageError`. */
export function parsePercent(text: string | undefined, option: string): string | undefined {
  const percent = text?.replace(/^(\d+),(\d+)$/, '$1.$2');
  if (percent === undefined || /^((0|[1-9]\d?)(\.\d{1,18})?|inherit)$/.test(percent)) return percent;
  const allowed = 'Write a decimal from 0 to under 100, such as 0.4 or 0,4, or inherit.';
  throw new UsageError(`${option}: "${text}" is not a percentage. ${allowed}`);
}

/** Reads the id of a request. Throws `UsageError`. */
export function parseRequestId(text: string): string {
  const id = text.toLowerCase();
  if (/^[0-9a-f]{32}$/.test(id)) return id;
  throw new UsageError('REQUEST_ID has 32 hexadecimal digits.');
}

/**
 * The id of a key or a token on the command line. A secret in its place is in the shell's history already, and is not
 * repeated. Throws `UsageError`.
 */
export function parseId(text: string): string {
  const mistake = secretsForIds[text.slice(0, 4)];
  if (mistake !== undefined) throw new UsageError(mistake);
  return text;
}

const tokenForId = (list: string) =>
  `That is a token, not its id (tok_…, see \`${list}\`). Tokens do not belong in a command line.`;

/** Answers to each kind of secret, by its beginning. */
const secretsForIds: Readonly<Record<string, string>> = {
  mdk_: 'That is an API key, not its id (key_…, see `mdapi keys list`). Keys do not belong in a command line.',
  mdo_: tokenForId('mdapi admin tokens'),
  mds_: tokenForId('mdapi sources tokens'),
};

/** For people: an instant of a view without its zero milliseconds. {@link parseInstant} reads it back. */
export function formatInstant(instant: string): string {
  return instant.replace('.000Z', 'Z');
}

function relative(text: string, now: EpochMs): number | undefined {
  const spanMs = parseDuration(text.slice(1));
  return spanMs === undefined ? undefined : now + (text.startsWith('-') ? -spanMs : spanMs);
}

function absolute(text: string): number | undefined {
  try {
    return iso.test(text) ? Temporal.Instant.from(text).epochMilliseconds : undefined;
  } catch {
    return undefined;
  }
}

function problemOf(text: string): string {
  if (withoutZone.test(text)) return 'has no time zone; add Z for UTC or an offset such as +01:00, or set timeZone';
  if (/^\d{9,}$/.test(text)) return 'is a bare number';
  return 'is not an instant';
}
