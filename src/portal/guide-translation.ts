import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Language } from './language.ts';

/**
 * A guide in another language, block by block: a translation stands in `czech/guides` under the hash of the English block
 * that it is of, so that a block that changes is shown in English until it is translated anew. Code is never translated.
 */
export function guideIn(language: Language, slug: string, english: string): string {
  if (language === 'en') return english;
  const translations = translationsOf(slug);
  return blocksIn(english)
    .map((block) => translations.get(hashOf(block)) ?? block)
    .join('\n\n');
}

/** Whether there is anything of the guide in the language. */
export function isTranslated(language: Language, slug: string): boolean {
  return language === 'en' || existsSync(fileOf(slug));
}

function fileOf(slug: string): URL {
  return new URL(`czech/guides/${slug}.txt`, import.meta.url);
}

function translationsOf(slug: string): ReadonlyMap<string, string> {
  if (!existsSync(fileOf(slug))) return new Map();
  const parts = readFileSync(fileOf(slug), 'utf8').matchAll(
    /<!-- ([0-9a-f]{8}) -->\n([\s\S]*?)(?=\n<!-- |$(?![\s\S]))/g,
  );
  return new Map([...parts].map(([, hash = '', text = '']) => [hash, text.trim()]));
}

/** What blank lines separate; a block of code is whole. */
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

/** Of the words alone: a block that is only wrapped anew keeps its translation. */
export function hashOf(block: string): string {
  return createHash('sha256').update(block.replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 8);
}
