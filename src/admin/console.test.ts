import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import { addConsole } from './console.ts';
import { addRunbook } from './runbook.ts';

const app = Fastify();
addConsole(app);
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

describe('the console', () => {
  test('is where the private listener’s root leads, with a policy that lets only its own scripts run', async () => {
    for (const url of ['/', '/console']) {
      const { statusCode, headers } = await get(url);
      assert.deepEqual([statusCode, headers.location], [302, '/console/']);
    }
    const page = await get('/console/');
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    const policy = String(page.headers['content-security-policy']);
    const [, map = ''] = /<script type="importmap">(.*?)<\/script>/.exec(page.body) ?? [];
    assert.ok(policy.includes(`script-src 'self' 'sha256-${hash('sha256', map, 'base64')}';`));
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
      assert.ok(policy.includes(rule), rule);
    }
    assert.doesNotMatch(policy, /unsafe|\*|http:/);
    assert.doesNotMatch(page.body, /\son\w+=|style=/);
  });

  test('has every script and library that its page and scripts name, as JavaScript without types', async () => {
    const { body } = await get('/console/');
    const [, map = '{}'] = /<script type="importmap">(.*?)<\/script>/.exec(body) ?? [];
    const { imports } = JSON.parse(map) as { imports: Record<string, string> };
    const base = 'http://console/console/';
    const libraries = new Map(Object.entries(imports).map(([name, path]) => [name, new URL(path, base).pathname]));
    const wanted = [...body.matchAll(/<script type="module" src="([^"]+)"/g)].map(
      ([, src]) => new URL(src!, base).pathname,
    );
    assert.ok(wanted.length > 0);
    const seen = new Set<string>();
    for (const path of wanted) {
      if (seen.has(path)) continue;
      seen.add(path);
      const { statusCode, headers, body: script } = await get(path);
      assert.equal(statusCode, 200, path);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8', path);
      for (const [, name = ''] of script.matchAll(
        /(?:\bfrom|\bimport)\s*\(?\s*["']((?:\.{1,2}\/|[a-z])[\w./-]*)["']/g,
      )) {
        if (name.startsWith('.')) wanted.push(new URL(name, new URL(path, base)).pathname);
        else wanted.push(libraries.get(name) ?? assert.fail(`${path} imports ${name}, which is not in the import map`));
      }
    }
    assert.ok(seen.size > 10);
    for (const [, href = ''] of body.matchAll(/<link [^>]*href="([^"]+)"/g)) {
      assert.equal((await get(new URL(href, base).pathname)).statusCode, 200, href);
    }
  });

  test('is asked for again only when it changed', async () => {
    const { headers } = await get('/console/main.js');
    assert.equal(headers['cache-control'], 'no-cache');
    const again = await get('/console/main.js', { 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });

  test('gives nothing but its own files', async () => {
    for (const path of [
      'main.ts',
      '../package.json',
      '%2e%2e/package.json',
      '..%2f..%2fpackage.json',
      'tsconfig.json',
      'vendor/',
      'none.js',
    ]) {
      assert.equal((await get(`/console/${path}`)).statusCode, 404, path);
    }
  });

  test('names its environment in a title and on a band, whose text can be read whatever its colour', async () => {
    const named = Fastify();
    addConsole(named, { title: 'Test & trial', colour: '#ffcc00' });
    addRunbook(named, { title: 'Test & trial', colour: '#ffcc00' });
    for (const url of ['/console/', '/runbook']) {
      const { body } = await named.inject(url);
      assert.match(body, /<title>\[Test &#38; trial\] /, url);
      assert.match(body, /<aside class="environment">Test &#38; trial<\/aside>/, url);
    }
    const { body: sheet, headers } = await named.inject('/console/environment.css');
    assert.equal(headers['content-type'], 'text/css; charset=utf-8');
    assert.match(sheet, /--environment: #ffcc00;\s+--on-environment: #000000;/);
    const without = await get('/console/');
    assert.doesNotMatch(without.body, /<aside|<title>\[/);
    assert.equal((await get('/console/environment.css')).body, '');
  });
});
