/** The last millisecond of the year 9999: the latest instant with a four-digit year. */
export const lastInstantMs = 253_402_300_799_999;

const minuteMs = 60_000;

/** `YYYY-MM-DDTHH:MM:` of the minute asked for last. Nearly every instant formatted is of the current minute. */
let minuteStartMs = Number.NaN;
let minuteText = '';

const twoDigits = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

/**
 * ISO 8601 in UTC with exactly three digits of milliseconds: `2026-11-21T10:00:00.000Z` (contract, "every point in time
 * is returned twice"). Takes whole epoch milliseconds from 1970 to the end of the year 9999; throws `RangeError` on
 * anything else.
 */
export function isoInstant(epochMs: number): string {
  if (!Number.isInteger(epochMs) || epochMs < 0 || epochMs > lastInstantMs) {
    throw new RangeError(`not an instant from 1970 to 9999 in whole milliseconds: ${epochMs}`);
  }
  const withinMinuteMs = epochMs % minuteMs;
  if (epochMs - withinMinuteMs !== minuteStartMs) startMinute(epochMs - withinMinuteMs);
  const milliseconds = withinMinuteMs % 1_000;
  const seconds = (withinMinuteMs - milliseconds) / 1_000;
  const hundreds = (milliseconds / 100) | 0;
  return `${minuteText}${twoDigits[seconds]}.${hundreds}${twoDigits[milliseconds - hundreds * 100]}Z`;
}

function startMinute(startMs: number): void {
  minuteStartMs = startMs;
  minuteText = new Date(startMs).toISOString().slice(0, 17);
}
