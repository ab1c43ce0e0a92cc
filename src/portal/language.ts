import { czech } from './czech/index.ts';

/** A language of the portal. English is at the bare paths, every other below a path of its own. */
export type Language = (typeof languages)[number];

export const languages = ['en', 'cs'] as const;

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', cs: 'Čeština' };

/** What stands in the place of `{name}` in a text. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * A text of the portal in the language of its reader. The English text is its own key, so that pages read as what they
 * say; a text that the catalogue lacks stays English.
 */
export function say({ language }: { readonly language: Language }, english: string, values: Values = {}): string {
  const text = language === 'cs' ? (czech[english] ?? english) : english;
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
