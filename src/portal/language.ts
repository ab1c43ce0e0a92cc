import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { czech as scriptsInCzech } from '../../web/portal/czech.ts';
import { wholeDuration } from '../../web/portal/durations.ts';
import type { Language } from '../ground/languages.ts';
import { zonedTime } from '../ground/zoned-time.ts';

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', cs: 'Čeština' };

interface Reader {
  readonly language: Language;
  /** That of instants; UTC when left out. */
  readonly timeZone?: string;
}

/** The portal's own words by their English. What `{name}` stands for is the same in both. */
const czech: Readonly<Record<string, string>> = {
  ...scriptsInCzech,
  ...parse(readFileSync(new URL('czech/pages.yaml', import.meta.url), 'utf8')),
};

/** The contract's texts in Czech, by their English. */
const contractInCzech = translationsIn('contract');

/** The names of the places `{name}` in a text. */
type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;

/** A value for each place; nothing for a text that has none. */
type Values<Text extends string> = [Places<Text>] extends [never]
  ? []
  : [values: Readonly<Record<Places<Text>, string | number>>];

/**
 * A text in the language of its reader, with values in its places. One that has no translation, or that changed since,
 * stays English.
 */
export function translate<const Text extends string>(
  { language }: Reader,
  english: Text,
  ...[values]: Values<Text>
): string {
  const text = language === 'cs' ? (czech[english] ?? contractInCzech.get(wordsOf(english)) ?? english) : english;
  return values === undefined ? text : withValues(text, values);
}

function withValues(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', cs: 'cs' };

/** `21 November 2026, 10:00:00 UTC`, for whole epoch milliseconds, in the zone of the reader. */
export function instantInWords({ language, timeZone = 'UTC' }: Reader, epochMs: number): string {
  const { date, time, zone } = zonedTime(epochMs, timeZone, language);
  return `${dayInWords({ language }, Date.parse(date))}, ${time} ${zone}`;
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
  return wholeDuration(locales[reader.language], durationMs) ?? translate(reader, 'less than a second');
}

/** `99.98%`: a share from 0 to 1, rounded down so that only all of it is 100. */
export function percentInWords({ language }: Reader, share: number): string {
  const percent = Math.floor(share * 10_000) / 10_000;
  return new Intl.NumberFormat(locales[language], { style: 'percent', maximumFractionDigits: 2 })
    .format(percent)
    .replace('\u00a0', ' ');
}

/** A guide block by block. Code is never translated. */
export function guideIn(language: Language, slug: string, english: string): string {
  if (language === 'en') return english;
  const translations = translationsIn(`guides/${slug}`);
  return blocksIn(english)
    .map((block) => translations.get(wordsOf(block)) ?? block)
    .join('\n\n');
}

/** Whether there is anything of the guide in the language. */
export function isTranslated(language: Language, slug: string): boolean {
  return language === 'en' || translationsIn(`guides/${slug}`).size > 0;
}

/**
 * The Czech texts of a file by their English, of which the file has a copy: a test compares the copies with the English
 * as it is. Empty if there is no file.
 */
export function translationsIn(name: string): ReadonlyMap<string, string> {
  const file = new URL(`czech/${name}.txt`, import.meta.url);
  if (!existsSync(file)) return new Map();
  const parts = readFileSync(file, 'utf8').matchAll(/<!--\n([\s\S]*?)\n-->\n([\s\S]*?)(?=\n<!--\n|$(?![\s\S]))/g);
  return new Map([...parts].map(([, english = '', text = '']) => [wordsOf(english), text.trim()]));
}

/** Splits at blank lines; a block of code is whole. */
export function blocksIn(markdown: string): readonly string[] {
  const blocks: string[][] = [[]];
  let isCode = false;
  for (const line of markdown.trim().split('\n')) {
    if (/^ *```/.test(line)) isCode = !isCode;
    if (line.trim() === '' && !isCode) blocks.push([]);
    else blocks.at(-1)!.push(line);
  }
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
}

/** The words alone: a block that is only wrapped anew keeps its translation. */
export function wordsOf(block: string): string {
  return block.replaceAll(/\s+/g, ' ').trim();
}
