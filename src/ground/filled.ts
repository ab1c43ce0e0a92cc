/** Values of places in a text, by their names. */
export type Values = Readonly<Record<string, unknown>>;

/** Puts values in the place of the words in braces, in one pass. One without a value stays as it is. */
export function filled(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => String(values[word] ?? whole));
}
