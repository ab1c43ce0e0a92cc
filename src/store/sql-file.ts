import { readFileSync } from 'node:fs';

/**
 * Reads the statements of an SQL file, with a value in the place of each word in braces. A blank line stands between
 * two statements. Throws for a word without a value.
 */
export function statementsIn(file: URL, values: Readonly<Record<string, string | number>>): readonly string[] {
  const withValues = readFileSync(file, 'utf8').replaceAll(/\{(\w+)\}/g, (_whole, word: string) => {
    const value = values[word];
    if (value === undefined) throw new Error(`${file.pathname} has the word {${word}}, which has no value`);
    return String(value);
  });
  return withValues.trim().split(/\n{2,}/);
}
