import { czech as scriptsInCzech } from '../../web/portal/czech.ts';
import { wholeDuration } from '../../web/portal/durations.ts';
import { contractInCzech } from './czech/contract.ts';
import { errorsInCzech } from './czech/errors.ts';
import { pagesInCzech } from './czech/pages.ts';

/** A language of the portal. English is at the bare paths, every other below a path of its own. */
export type Language = (typeof languages)[number];

export const languages = ['en', 'cs'] as const;

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', cs: 'Čeština' };

interface Reader {
  readonly language: Language;
}

/** Texts by their English. What `{name}` stands for is the same in both. */
const czech: Readonly<Record<string, string>> = {
  ...scriptsInCzech,
  ...pagesInCzech,
  ...errorsInCzech,
  ...contractInCzech,
};

/** What stands in the place of `{name}` in a text. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * A text of the portal in the language of its reader. The English text is its own key, so that pages read as what they
 * say; a text that the catalogue lacks stays English.
 */
export function say({ language }: Reader, english: string, values: Values = {}): string {
  const text = language === 'cs' ? (czech[english] ?? english) : english;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
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
