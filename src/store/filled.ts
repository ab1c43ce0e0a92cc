import { readFileSync } from 'node:fs';

type Values = Readonly<Record<string, string | number>>;

/** Puts values in the place of the words in braces. One without a value stays as it is. */
export function filled(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => String(values[word] ?? whole));
}

/** The statements of an SQL file, filled: a blank line stands between two. */
export function statementsIn(file: URL, values: Values): readonly string[] {
  return filled(readFileSync(file, 'utf8'), values)
    .trim()
    .split(/\n{2,}/);
}
