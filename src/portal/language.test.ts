import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { errorTable } from '../contract/errors.ts';
import { guideSources } from './guides.ts';
import { blocksIn, guideIn, translate, translationsIn, wordsOf } from './language.ts';
import { siteFor } from './site.testing.ts';
import { translationFaults, untranslated } from './translation-faults.testing.ts';

const repository = new URL('../../', import.meta.url);
const slugs = readdirSync(new URL('czech/guides/', import.meta.url)).map((name) => name.replace('.txt', ''));

function english(slug: string): string {
  return readFileSync(new URL(`docs/clients/${slug}.md`, repository), 'utf8').trim();
}

test('a guide is Czech but for its code, and a paragraph that changed is English until it is translated anew', () => {
  const text = english('limits');
  const czech = guideIn('cs', 'limits', text);
  assert.match(czech, /^# Limity\n/);
  assert.equal(guideIn('en', 'limits', text), text);
  const codeOf = (guide: string) => blocksIn(guide).filter((block) => block.startsWith('```'));
  assert.deepEqual(codeOf(czech), codeOf(text));
  const changed = guideIn('cs', 'limits', text.replace('Three independent counters', 'Four independent counters'));
  assert.ok(changed.includes('Four independent counters:') && !changed.includes('Tři nezávislá'));
  assert.equal(changed.replace('Four independent counters:', 'Tři nezávislá počítadla:'), czech);
});

test('a block that is only wrapped anew keeps its translation', () => {
  assert.equal(wordsOf('one two\nthree'), wordsOf('one\ntwo three'));
  assert.notEqual(wordsOf('one two'), wordsOf('one too'));
});

test('every block of a translated guide is Czech, tables too, and of the English as it is now', () => {
  for (const slug of slugs) {
    const file = `czech/guides/${slug}.txt`;
    const prose = blocksIn(english(slug)).filter((block) => !block.startsWith('```'));
    const translations = translationsIn(`guides/${slug}`);
    assert.deepEqual(translationFaults(file, prose, translations), []);
    assert.deepEqual(untranslated(file, prose, translations), []);
  }
});

test('a Czech table has the rows and columns of the English one, and its codes', () => {
  const shapeOf = (block: string) => block.split('\n').map((row) => [row.split('|').length, row.match(/`[A-Z_]+`/g)]);
  for (const slug of slugs)
    for (const [copy, czech] of translationsIn(`guides/${slug}`)) {
      const table = blocksIn(english(slug)).find((block) => block.startsWith('|') && wordsOf(block) === copy);
      if (table !== undefined) assert.deepEqual(shapeOf(czech), shapeOf(table), slug);
    }
});

test('of English that changed the fault names the file, the words that went and those that came, and the Czech', () => {
  const rows = '| a header | kept |\n| 60 | per key |';
  const translations = new Map([[wordsOf(rows), '| hlavička |']]);
  const [fault, ...others] = translationFaults(
    'czech/x.txt',
    [rows.replace('60', '90'), 'Another text.'],
    translations,
  );
  assert.deepEqual(others, []);
  assert.match(
    fault!,
    /^czech\/x\.txt translates English that changed:\n.*\[-60-\] \{\+90\+\} \| per key \|\n.*hlavička/,
  );
  assert.match(
    translationFaults('czech/x.txt', ['Another text.'], translations)[0]!,
    /a text that is gone: \| a header/,
  );
});

test('what the contract says is Czech, and every translation is of what it says now', () => {
  const translated = translationsIn('contract');
  const ofErrors = Object.values(errorTable).flatMap(({ title, cause, action, retry }) => [
    title,
    cause,
    action,
    retry,
  ]);
  assert.deepEqual(untranslated('czech/contract.txt', ofErrors, translated), []);
  const texts = [...stringsIn(siteFor('en').document), ...stringsIn(errorTable)];
  const parts = texts.flatMap((text) => [text, ...text.split('\n\n'), ...text.split(/[|\n]/)]);
  assert.deepEqual(translationFaults('czech/contract.txt', parts, translated), []);
});

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(stringsIn);
}

test("every text of the portal's own pages is Czech, and no translation is left of a text that is gone", () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /^[a-z-]+\.(ts|json)$/.test(name));
  const templates = readdirSync(new URL('templates/', import.meta.url)).map((name) => `templates/${name}`);
  const code = [...files, ...templates].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n');
  const written = code.matchAll(/\b(?:translate\(\w+|heading\(\d|paragraph\(\s*'[a-z]+'),\s*'((?:[^'\\]|\\.)+)'/g);
  const inHtml = [...code.matchAll(/\{\{(.+?)\}\}/g)].map(([, text = '']) => text);
  const listed = guideSources.flatMap(({ name, purpose }) => [name, purpose]);
  const texts = [...listed, ...inHtml, ...[...written].map(([, text = '']) => text)];
  assert.ok(texts.length > 100, `only ${texts.length} texts were found`);
  for (const text of texts) assert.notEqual(translate({ language: 'cs' }, text), text);
  const czech = parse(readFileSync(new URL('czech/pages.yaml', import.meta.url), 'utf8')) as Record<string, string>;
  for (const [english, text] of Object.entries(czech)) {
    assert.equal(typeof text, 'string', english);
    assert.deepEqual(placesIn(text), placesIn(english), english);
    assert.ok(code.includes(english.replaceAll('\n', '\\n')), `no text says ${english}`);
  }
});

function placesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\{\w+\}/g))].sort();
}
