import { instantMs, isoText, localOffsetSeconds, parseLocal } from '../clock.ts';
import { locale } from '../language.ts';
import { grouped } from './decimal.ts';

/** A span for people, two units at most: `0.4 s`, `59 s`, `12 min`, `3 h 20 min`, `5 d 2 h`. Never negative. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 9.95) return `${grouped(seconds.toFixed(1))}\u00a0s`;
  if (seconds < 120) return `${Math.floor(seconds)}\u00a0s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? twoUnits(hours, 'h', minutes % 60, 'min')
    : twoUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}\u00a0${largeUnit}${small === 0 ? '' : ` ${small}\u00a0${smallUnit}`}`;
}

const dayAndTime = formatter({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const fullDayAndTime = formatter({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const toTheSecond = formatter({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayToTheSecond = formatter({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dayOnly = formatter({ year: 'numeric', month: 'short', day: 'numeric' });
const timeOnly = formatter({ hour: '2-digit', minute: '2-digit' });

/** In the language of the page, with the hours of this computer's time zone. */
function formatter(options: Intl.DateTimeFormatOptions): (atMs: number) => string {
  const format = new Intl.DateTimeFormat(locale, options);
  return (atMs) => format.format(atMs);
}

/** How precisely an instant is shown. */
export type InstantStyle = 'minute' | 'full' | 'second' | 'daySecond' | 'day' | 'time';

const styles: Readonly<Record<InstantStyle, (atMs: number) => string>> = {
  minute: dayAndTime,
  full: fullDayAndTime,
  second: toTheSecond,
  daySecond: dayToTheSecond,
  day: dayOnly,
  time: timeOnly,
};

/** An instant in local time. */
export function localText(atMs: number, style: InstantStyle = 'minute'): string {
  return styles[style](atMs);
}

/** A day of the calendar, `2026-11-21`, as people write it. */
export function dayText(day: string): string {
  const noonMs = parseLocal(`${day}T12:00`);
  return noonMs === undefined ? day : localText(noonMs, 'day');
}

/** The same instant in UTC, to the second: `2026-11-21 10:00:00 UTC`. */
export function utcText(atMs: number): string {
  return `${isoText(atMs).slice(0, 19).replace('T', ' ')} UTC`;
}

/** `UTC+01:00`: what local time means on this computer at an instant. */
export function localZoneText(atMs: number): string {
  const offset = localOffsetSeconds(atMs);
  if (offset === 0) return 'UTC';
  const minutes = Math.abs(offset) / 60;
  const pad = (part: number) => String(part).padStart(2, '0');
  return `UTC${offset < 0 ? '−' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/g;

/** A text of the service with its instants in local time. */
export function withLocalTimes(text: string): string {
  return text.replaceAll(instant, (found) => localText(instantMs(found), 'full'));
}
