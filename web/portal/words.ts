import { czech } from './czech.ts';
import { wholeDuration } from './durations.ts';

const isCzech = document.documentElement.lang === 'cs';

/** For dates and durations: that of the page, or in English pages whatever the reader prefers. */
export const locale = isCzech ? 'cs' : undefined;

/** A text of these scripts in the language of the page. The English text is its own key. */
export function say(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = isCzech ? (czech[english] ?? english) : english;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** `3 hours 12 minutes`: the two largest units, rounded down. */
export function durationInWords(durationMs: number): string {
  return wholeDuration(isCzech ? 'cs' : 'en', durationMs) ?? say('less than a second');
}
