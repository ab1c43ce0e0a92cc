import { wordsOf } from './language.ts';

/** How much of two texts must be the same for one to be the other, changed. */
const sameShareMin = 0.5;

/**
 * Translations that no longer fit: those of English that changed, with the words that did, and those of a text that is
 * gone.
 * @param english every text that can be translated
 */
export function translationFaults(
  file: string,
  english: readonly string[],
  translations: ReadonlyMap<string, string>,
): readonly string[] {
  const written = new Set(english.map(wordsOf));
  const untranslated = [...written].filter((text) => !translations.has(text));
  return [...translations]
    .filter(([copy]) => !written.has(copy))
    .map(([copy, czech]) => {
      const now = closestTo(copy, untranslated);
      const what =
        now === undefined ? `a text that is gone: ${copy}` : `English that changed:\n${difference(copy, now)}`;
      return `${file} translates ${what}\n  Czech: ${czech}`;
    });
}

/** Texts without a translation, each with where it should be. */
export function untranslated(
  file: string,
  english: readonly string[],
  translations: ReadonlyMap<string, string>,
): readonly string[] {
  return english.filter((text) => !translations.has(wordsOf(text))).map((text) => `${file} lacks: ${text}`);
}

function closestTo(copy: string, texts: readonly string[]): string | undefined {
  const shares = texts.map((text) => {
    const kept = compared(copy, text).filter(({ sign }) => sign === ' ').length;
    return { text, share: (2 * kept) / (copy.split(' ').length + text.split(' ').length) };
  });
  return shares.filter(({ share }) => share >= sameShareMin).sort((one, other) => other.share - one.share)[0]?.text;
}

/** The words that went as `[-so-]` and those that came as `{+so+}`, with a few of the others around them. */
function difference(before: string, after: string): string {
  const around = 4;
  const words = compared(before, after);
  const isNear = (at: number) =>
    words.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ');
  const marks = { ' ': ['', ''], '-': ['[-', '-]'], '+': ['{+', '+}'] } as const;
  return `  ${words
    .map(({ sign, word }, at) => (isNear(at) ? marks[sign].join(word) : '...'))
    .join(' ')
    .replaceAll(/(?:\.\.\. )+/g, '... ')}`;
}

interface Word {
  readonly sign: ' ' | '-' | '+';
  readonly word: string;
}

/** The words of both, in order, by their longest common part. */
function compared(before: string, after: string): readonly Word[] {
  const [old, recent] = [before.split(' '), after.split(' ')];
  const common: number[][] = Array.from({ length: old.length + 1 }, () => Array(recent.length + 1).fill(0) as number[]);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = recent.length - 1; j >= 0; j--)
      common[i]![j] =
        old[i] === recent[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const words: Word[] = [];
  for (let i = 0, j = 0; i < old.length || j < recent.length; ) {
    if (i < old.length && old[i] === recent[j]) {
      words.push({ sign: ' ', word: old[i]! });
      i++;
      j++;
    } else if (j === recent.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      words.push({ sign: '-', word: old[i++]! });
    else words.push({ sign: '+', word: recent[j++]! });
  }
  return words;
}
