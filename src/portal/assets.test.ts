import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assetRoute, portalAssets } from './assets.ts';

const room = new URL('../../web/portal/', import.meta.url);

test('every script and every stylesheet of the portal is served, under an address that changes with its content', () => {
  const assets = portalAssets();
  const scripts = readdirSync(room).filter((name) => name.endsWith('.ts'));
  assert.deepEqual(
    scripts.map((name) => name.replace(/ts$/, 'js')).toSorted(),
    [...assets.keys()].filter((name) => name.endsWith('.js')).toSorted(),
  );
  for (const { route, text } of assets.values()) {
    const hash = createHash('sha256').update(text).digest('base64url').replaceAll(/[-_]/g, '');
    assert.match(route, /^\/assets\/[a-z-]+-[A-Za-z0-9]{12}\.(js|css)$/);
    assert.ok(hash.includes(/-(\w{12})\./.exec(route)![1]!), route);
  }
  const style = assets.get('portal.css')!.text;
  for (const name of readdirSync(new URL('styles/', room))) {
    const written = readFileSync(new URL(`styles/${name}`, room), 'utf8');
    assert.ok(style.includes(written), name);
  }
  assert.ok(style.includes('--accent:') && style.includes('@media print'));
});

test('scripts are JavaScript without types, in ASCII, and import only what is served beside them', () => {
  const assets = portalAssets();
  const routes = new Set([...assets.values()].map(({ route }) => route));
  for (const [name, { text }] of assets) {
    assert.match(text, /^[\t\n\x20-\x7e]*$/, name);
    if (name.endsWith('.css')) assert.doesNotMatch(text, /url\(|@import|@font-face/);
    for (const [, path] of text.matchAll(/\bfrom\s+'([^']+)'/g)) {
      assert.ok(routes.has(`/assets/${path!.replace('./', '')}`), `${name} imports ${path}`);
    }
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/, name);
  }
  assert.throws(() => assetRoute('nothing.js'), /no such asset/);
});
