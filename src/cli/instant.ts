import type { EpochMs } from '../clock.ts';
import { parseDuration } from '../configuration/duration.ts';
import { isoInstant, lastInstantMs } from '../contract/instant.ts';
import { UsageError } from './failure.ts';

/** What an INSTANT can be, for the help. */
export const instantForms = 'now, +10m (from now; ms, s, m, h, d), or ISO 8601 with Z or an offset: 2026-11-21T10:00Z';

const iso = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+-]\d{2}:\d{2})$/;
const withoutZone = /^\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}){0,2}(\.\d+)?)?$/;

/** Reads an INSTANT of the command line. `option` is how messages name it. Throws `UsageError`. */
export function parseInstant(text: string, now: EpochMs, option: string): EpochMs {
  if (text === 'now') return now;
  const instant = text.startsWith('+') ? relative(text.slice(1), now) : absolute(text);
  if (instant !== undefined && instant >= 0 && instant <= lastInstantMs) return instant as EpochMs;
  throw new UsageError(`${option}: "${text}" ${problemOf(text)}. Allowed: ${instantForms}.`);
}

/** Reads a span such as `24h`, 0 to `maximumMs`. Throws `UsageError`. */
export function parseSpan(text: string, maximumMs: number, option: string): number {
  const spanMs = parseDuration(text);
  if (spanMs !== undefined && spanMs <= maximumMs) return spanMs;
  const days = Math.floor(maximumMs / 86_400_000);
  throw new UsageError(
    `${option}: "${text}" is not a span of time. Allowed: a whole number with ms, s, m, h or d, up to ${days}d.`,
  );
}

/** For people: seconds where there are no milliseconds. What it gives, {@link parseInstant} reads. */
export function formatInstant(instant: EpochMs): string {
  return isoInstant(instant).replace('.000Z', 'Z');
}

/** An instant in both forms of the contract, such as `createdAt` and `createdAtMs`; nothing when there is none. */
export function instantPair<Name extends string>(
  name: Name,
  instant: EpochMs | undefined,
): Partial<Record<Name, string> & Record<`${Name}Ms`, number>> {
  if (instant === undefined) return {};
  return { [name]: isoInstant(instant), [`${name}Ms`]: instant } as Record<Name, string> & Record<`${Name}Ms`, number>;
}

function relative(span: string, now: EpochMs): number | undefined {
  const spanMs = parseDuration(span);
  return spanMs === undefined ? undefined : now + spanMs;
}

/** `Date.parse` takes 30 February for 2 March: only what reads back as it was written is a day. */
function absolute(text: string): number | undefined {
  const [, day, minute, second = '00', fraction = '', zone] = iso.exec(text) ?? [];
  if (day === undefined) return undefined;
  const local = `${day}T${minute}:${second}.${fraction.padEnd(3, '0')}Z`;
  const localMs = Date.parse(local);
  if (Number.isNaN(localMs) || new Date(localMs).toISOString() !== local) return undefined;
  const instant = Date.parse(local.replace('Z', zone!));
  return Number.isNaN(instant) ? undefined : instant;
}

function problemOf(text: string): string {
  if (withoutZone.test(text)) return 'says no time zone; add Z for UTC or an offset such as +01:00';
  if (/^\d{9,}$/.test(text)) return 'is a bare number';
  return 'is not an instant';
}
