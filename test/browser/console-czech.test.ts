import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { counts } from '../../web/console/czech/counts.ts';
import { czech } from '../../web/console/czech/texts.ts';
import { words } from '../../web/console/czech/words.ts';
import { grouped, typedDecimal } from '../../web/console/format/decimal.ts';
import { type Noun, nounFor } from '../../web/console/language.ts';

const folder = fileURLToPath(new URL('../../web/console/', import.meta.url));

/** The sources of the console without its tables. */
function sources(): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((name) => name.endsWith('.ts') && !name.startsWith('czech'));
  return scripts.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

const marksOf = (text: string) => [...text.matchAll(/\{\w+\}|<\/?\w+>/g)].map(String).sort();

describe('the console in Czech', () => {
  test('stands for the same values and elements as in English', () => {
    for (const [english, text] of Object.entries(czech)) assert.deepEqual(marksOf(text), marksOf(english), english);
  });

  test('holds no text that no page shows', () => {
    const code = sources().replaceAll("\\'", "'");
    const unused = Object.keys({ ...czech, ...counts }).filter(
      (english) => !code.includes(`'${english}'`) && !code.includes(`"${english}"`),
    );
    assert.deepEqual(unused, []);
  });

  test('says each text on one page of its table', async () => {
    const pages = readdirSync(join(folder, 'czech/texts'));
    const tables = await Promise.all(pages.map((page) => import(join(folder, 'czech/texts', page))));
    const texts = tables.flatMap((table: Readonly<Record<string, object>>) =>
      Object.values(table).flatMap(Object.keys),
    );
    assert.deepEqual(texts.sort(), Object.keys(czech).sort());
  });

  test('names one, two to four, and more by their own forms', () => {
    const formsOf = (noun: Noun) => [0, 1, 2, 4, 5, 22].map((count) => nounFor(count, noun, 'cs'));
    assert.deepEqual(formsOf('market'), ['trhů', 'trh', 'trhy', 'trhy', 'trhů', 'trhů']);
    assert.deepEqual(
      [1, 3, 7].map((count) => nounFor(count, 'request refused', 'cs')),
      ['dotaz odmítnut', 'dotazy odmítnuty', 'dotazů odmítnuto'],
    );
    assert.deepEqual(
      [1, 2].map((count) => nounFor(count, 'market', 'en')),
      ['market', 'markets'],
    );
  });

  test('shows a decimal with a comma and every digit, and takes one typed so', () => {
    const long = '1234567890123456789.000000000000000001';
    assert.equal(grouped(long, 'cs').replaceAll('\u00a0', '').replace(',', '.'), long);
    assert.equal(grouped('-1234.50', 'cs'), '−1\u00a0234,50');
    assert.deepEqual(['0,4', ' 0.4 ', '-1,25', '1,234.5', '0,', 'inherit'].map(typedDecimal), [
      '0.4',
      '0.4',
      '-1.25',
      '1,234.5',
      '0,',
      'inherit',
    ]);
  });

  test('names no state without a word', () => {
    const known = new Set(Object.keys(words));
    const source = readFileSync(join(folder, 'format/words.ts'), 'utf8');
    const [, tones = ''] = /const tones[^{]*\{([^}]*)\}/.exec(source) ?? [];
    for (const [, name = ''] of tones.matchAll(/(\w+): '/g))
      assert.ok(known.has(name.replaceAll('_', ' ')), `${name} has no Czech`);
  });
});
