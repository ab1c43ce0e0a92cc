import { sentences } from '../czech/service.ts';
import { filled, type Language, language, word } from '../language.ts';
import { grouped } from './decimal.ts';
import { withLocalTimes } from './time.ts';

/** Those that say more by themselves come first: a wider one would take their words for a value. */
const patterns = Object.entries(sentences)
  .sort(([one], [other]) => fixedLength(other) - fixedLength(one))
  .map(([english, text]) => [patternOf(english), text] as const);

function fixedLength(english: string): number {
  return english.replaceAll(/\{\w+\}/g, '').length;
}

/** Matches a sentence of the service; each `{name}` is what it says there. */
function patternOf(english: string): RegExp {
  const source = english
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `(?<${name}>.+?)`);
  return new RegExp(`^${source}$`, 's');
}

/** A sentence of the service in the language of the page, with its instants in local time; one without a translation stays English. */
export function serviceText(english: string, of: Language = language): string {
  return withLocalTimes(of === 'cs' ? inCzech(english) : english);
}

function inCzech(english: string): string {
  for (const [pattern, text] of patterns) {
    const match = pattern.exec(english);
    if (match === null) continue;
    const values = Object.entries(match.groups ?? {}).map(([name, value]) => [name, valueInCzech(value)] as const);
    return filled(text, Object.fromEntries(values));
  }
  return english;
}

/** A known word or sentence in Czech; of anything else the decimals. */
function valueInCzech(value: string): string {
  const known = inCzech(value);
  if (known !== value) return known;
  const translated = word(value, 'cs');
  return translated === value ? value.replaceAll(decimal, (found) => grouped(found, 'cs')) : translated;
}

/** Not a version, an address, or a part of an instant. */
const decimal = /(?<![\w.:])-?\d+\.\d+(?![\w.:])/g;
