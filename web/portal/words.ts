import { czech } from './czech.ts';

const isCzech = document.documentElement.lang === 'cs';

/** For dates and durations: that of the page, or in English pages whatever the reader prefers. */
export const locale = isCzech ? 'cs' : undefined;

/** A text of these scripts in the language of the page. The English text is its own key. */
export function say(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = isCzech ? (czech[english] ?? english) : english;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 hours 12 minutes`: the two largest units, rounded down. */
export function durationInWords(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  const first = units.findIndex(([, length]) => seconds >= length);
  if (first === -1) return say('less than a second');
  let rest = seconds;
  const words = units.slice(first, first + 2).flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest %= length;
    return count === 0 ? [] : [counted(count, unit)];
  });
  return words.join(' ');
}

function counted(count: number, unit: string): string {
  return new Intl.NumberFormat(isCzech ? 'cs' : 'en', { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
