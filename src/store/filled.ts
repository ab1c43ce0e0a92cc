/** Puts values in the place of the words in braces. One without a value stays as it is. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => String(values[word] ?? whole));
}
