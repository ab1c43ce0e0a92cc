import { wholeDuration } from '../../web/portal/durations.ts';
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

/** Made once: making one takes longer than the rest of a page. */
const days: Readonly<Record<Language, Intl.DateTimeFormat>> = { en: dayFormat('en'), cs: dayFormat('cs') };

function dayFormat(language: Language): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' });
}

/** `21 November 2026`: the day in UTC. */
export function dayInWords({ language }: Reader, epochMs: number): string {
  return days[language].format(epochMs);
}

/** `3 hours 12 minutes`: the two largest units, rounded down. Below a second, and below zero, `less than a second`. */
export function durationInWords(reader: Reader, durationMs: number): string {
  return wholeDuration(locales[reader.language], durationMs) ?? say(reader, 'less than a second');
}

/** `99.98%`: a share from 0 to 1, rounded down so that only all of it is 100. */
export function percentInWords({ language }: Reader, share: number): string {
  const percent = Math.floor(share * 10_000) / 10_000;
  return new Intl.NumberFormat(locales[language], { style: 'percent', maximumFractionDigits: 2 })
    .format(percent)
    .replace('\u00a0', ' ');
}
