import { h } from 'preact';
import { counts } from './czech/counts.ts';
import { czech } from './czech/texts.ts';
import { words } from './czech/words.ts';
import type { Content } from './html.ts';

/** The languages of the console, each by its own name. */
export const languages = { en: 'English', cs: 'Čeština' } as const;

export type Language = keyof typeof languages;

/** A text of the console in English, which is its key: one that has no Czech is an error of types. */
export type Text = keyof typeof czech;

/** What is counted, in the singular. */
export type Noun = keyof typeof counts;

const entry = 'mdapi-console-language';

/** The language chosen before; otherwise the first of the browser's that there is. */
function readLanguage(): Language {
  if (typeof document === 'undefined') return 'en';
  const chosen = [storedLanguage(), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return chosen.find((tag): tag is Language => tag !== null && Object.hasOwn(languages, tag)) ?? 'en';
}

/** A browser can forbid storage. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(entry);
  } catch {
    return null;
  }
}

/** That of the whole page, which stays the same until it is loaded again. */
export const language = readLanguage();
export const locale = { en: 'en-GB', cs: 'cs-CZ' }[language];
if (typeof document !== 'undefined') document.documentElement.lang = language;

/** Stores the choice and loads the page again in it. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(entry, chosen);
  } catch {}
  location.reload();
}

export type Values = Readonly<Record<string, string | number>>;

/** A text in the language of the page, with values in place of its `{name}`. */
export function say(english: Text, values: Values = {}): string {
  return filled(language === 'cs' ? czech[english] : english, values);
}

/** Puts values in place of each `{name}` of a text. */
function filled(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

type Part = Content | ((inside: Content) => Content);

/**
 * A text with elements: one replaces `{name}`, one wraps what `<name>…</name>` holds. `code` and `strong` need no
 * definition.
 */
export function tell(english: Text, parts: Readonly<Record<string, Part>> = {}): Content {
  return assembled(say(english), parts);
}

function assembled(text: string, parts: Readonly<Record<string, Part>>): Content {
  const pieces: Content[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{(\w+)\}|<(\w+)>(.*?)<\/\2>/g)) {
    const [whole, value = '', tag = '', inside = ''] = match;
    const part = parts[value || tag];
    pieces.push(text.slice(end, match.index));
    if (value !== '') pieces.push(part as Content);
    else
      pieces.push(typeof part === 'function' ? part(assembled(inside, parts)) : h(tag, null, assembled(inside, parts)));
    end = match.index + whole.length;
  }
  return [...pieces, text.slice(end)];
}

const plurals = { en: new Intl.PluralRules('en'), cs: new Intl.PluralRules('cs') };

/** The form of a noun that goes with a count. */
export function nounFor(count: number, noun: Noun, of: Language = language): string {
  const [one, other, ...czechForms] = counts[noun];
  const category = plurals[of].select(count);
  if (of === 'en') return category === 'one' ? one : other;
  const [single, few, many] = czechForms;
  return category === 'one' ? single : category === 'few' ? few : many;
}

/** A name of the API in words: `rounds_to_zero` as `rounds to zero`. One that is not known is shown as it is. */
export function word(name: string, of: Language = language): string {
  const spaced = name.replaceAll('_', ' ');
  return of === 'cs' && Object.hasOwn(words, spaced) ? words[spaced as keyof typeof words] : spaced;
}
