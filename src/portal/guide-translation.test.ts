import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blocksIn, guideIn, hashOf } from './guide-translation.ts';

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
