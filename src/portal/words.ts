import { type Language, say } from './language.ts';

interface Reader {
  readonly language: Language;
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', cs: 'cs' };

/** `21 November 2026, 10:00:00 UTC`, for whole epoch milliseconds. */
export function instantInWords({ language }: Reader, epochMs: number): string {
  const time = new Date(epochMs).toISOString().slice(11, 19);
  return `${dayInWords({ language }, epochMs)}, ${time} UTC`;
}

/** `21 November 2026`: the day in UTC. */
export function dayInWords({ language }: Reader, epochMs: number): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' }).format(epochMs);
}

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** `3 hours 12 minutes`: the two largest units, rounded down. Below a second, and below zero, `less than a second`. */
export function durationInWords(reader: Reader, durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  const first = units.findIndex((unit) => seconds >= unit.seconds);
  if (first === -1) return say(reader, 'less than a second');
  const [large, small] = units.slice(first, first + 2);
  const count = Math.floor(seconds / large!.seconds);
  const rest = small === undefined ? 0 : Math.floor((seconds % large!.seconds) / small.seconds);
  const whole = counted(reader, count, large!.name);
  return rest === 0 ? whole : `${whole} ${counted(reader, rest, small!.name)}`;
}

function counted({ language }: Reader, count: number, unit: string): string {
  return new Intl.NumberFormat(locales[language], { style: 'unit', unit, unitDisplay: 'long' })
    .format(count)
    .replace('\u00a0', ' ');
}

const english: Reader = { language: 'en' };

/** `every 5 seconds`, `every hour`; `once at start` where there is no interval. */
export function intervalInWords(reader: Reader, intervalMs: number | undefined): string {
  if (intervalMs === undefined) return say(reader, 'once at start');
  return say(reader, `every ${durationInWords(english, intervalMs)}`.replace(' 1 ', ' '));
}

/** `99.98%`: a share from 0 to 1, rounded down so that only all of it is 100. */
export function percentInWords({ language }: Reader, share: number): string {
  const percent = Math.floor(share * 10_000) / 10_000;
  return new Intl.NumberFormat(locales[language], { style: 'percent', maximumFractionDigits: 2 })
    .format(percent)
    .replace('\u00a0', ' ');
}
