import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { errorTable } from '../contract/errors.ts';
import { guideSources } from './guides.ts';
import { blocksIn, guideIn, hashOf, translate, translationsIn } from './language.ts';
import { siteFor } from './site.testing.ts';

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
  assert.equal(hashOf('one two\nthree'), hashOf('one\ntwo three'));
  assert.notEqual(hashOf('one two'), hashOf('one too'));
});

test('most of every translated guide is Czech', (t) => {
  for (const slug of slugs) {
    const text = english(slug);
    const prose = blocksIn(text).filter((block) => !block.startsWith('```'));
    const czech = new Set(blocksIn(guideIn('cs', slug, text)));
    const left = prose.filter((block) => czech.has(block) && !/^## (curl|Python|TypeScript)$/.test(block));
    for (const block of left) t.diagnostic(`${slug}: to be translated: [${hashOf(block)}] ${block.slice(0, 60)}`);
    assert.ok(left.length < prose.length / 2, slug);
  }
});

test('what the contract says of every error is Czech, and no translation is left of a text that changed', () => {
  const translated = translationsIn('contract');
  for (const { title, cause, action, retry } of Object.values(errorTable))
    for (const text of [title, cause, action, retry])
      assert.ok(translated.has(hashOf(text)), `${hashOf(text)} ${text}`);
  const texts = [...stringsIn(siteFor('en').document), ...stringsIn(errorTable)];
  const parts = texts.flatMap((text) => [text, ...text.split('\n\n'), ...text.split(/[|\n]/)]);
  const hashes = new Set(parts.map((part) => hashOf(part.trim())));
  for (const [hash, text] of translated) assert.ok(hashes.has(hash), `no text has the hash ${hash}: ${text}`);
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
