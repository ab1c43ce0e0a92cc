import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { files, filesEnding, textOf } from './files.ts';
import { anchorsOf, linksOf, namedLinksOf, spansOf } from './markdown.ts';

const known = new Set(files.flatMap((file) => [file, ...foldersOf(file)]));

test('every relative link of every Markdown file leads to a file that is there, and its anchor to a heading', () => {
  const broken: string[] = [];
  let checked = 0;
  for (const file of filesEnding('.md')) {
    for (const link of linksOf(textOf(file))) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(link)) continue;
      checked++;
      if (!leadsSomewhere(file, link)) broken.push(`${file}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(checked > 50, `only ${checked} links were found`);
});

test('every document can be reached from the README by following links', () => {
  const reached = new Set(['README.md']);
  for (const file of reached) {
    for (const link of linksOf(textOf(file))) {
      const target = targetOf(file, link).path;
      if (target.endsWith('.md') && known.has(target)) reached.add(target);
    }
  }
  assert.deepEqual(
    filesEnding('.md').filter((file) => !reached.has(file)),
    [],
  );
});

test('every proof of the threat model is a test of that name in the file it links', () => {
  const wrong: string[] = [];
  const links = namedLinksOf(textOf('SECURITY.md')).filter(({ target }) => target.endsWith('.test.ts'));
  for (const { shown, target } of links) {
    if (!known.has(target) || !textOf(target).includes(shown)) wrong.push(`${shown} (${target})`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(links.length > 30, `only ${links.length} were found`);
});

test('every path of the repository that a document names is there', () => {
  const tops = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!));
  const missing: string[] = [];
  for (const file of filesEnding('.md')) {
    for (const span of spansOf(textOf(file))) {
      const path = span.replace(/\/$/, '');
      if (!/^[\w.-]+(\/[\w.-]+)+\/?$/.test(span) || !tops.has(span.split('/')[0]!) || /^(bin|docs)$/.test(path))
        continue;
      if (!known.has(path) && !known.has(posix.join(posix.dirname(file), path))) missing.push(`${file}: ${span}`);
    }
  }
  assert.deepEqual(missing, []);
});

function targetOf(file: string, link: string): { path: string; anchor: string } {
  const [path = '', anchor = ''] = link.split('#');
  return { path: path === '' ? file : posix.join(posix.dirname(file), decodeURI(path)).replace(/\/$/, ''), anchor };
}

function leadsSomewhere(file: string, link: string): boolean {
  const { path, anchor } = targetOf(file, link);
  if (!known.has(path)) return false;
  return anchor === '' || !path.endsWith('.md') || anchorsOf(textOf(path)).has(anchor);
}

function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
