import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTest, openBrowser } from '../support/browser.ts';
import { ServiceHarness } from '../support/service-harness.ts';

test(
  'every link of every page leads to a page that is there, and every anchor to an element of it',
  browserTest,
  async (t) => {
    const { page } = await openBrowser(t);
    // A service of its own: so many pages in a minute are near what one address gets.
    const { baseUrl } = (await ServiceHarness.start(t)).service;
    const seen = new Map<string, ReadonlySet<string>>();
    const wanted: [from: string, url: string][] = [['the start', `${baseUrl}/`]];
    const anchors: [from: string, page: string, anchor: string][] = [];
    for (const [from, url] of wanted) {
      if (seen.has(url)) continue;
      const response = await page.goto(url);
      assert.equal(response?.status(), 200, `${from} links to ${url}`);
      if (!response?.headers()['content-type']?.startsWith('text/html')) {
        seen.set(url, new Set());
        continue;
      }
      seen.set(
        url,
        new Set(await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map(({ id }) => id)")),
      );
      for (const href of await page.evaluate<string[]>("[...document.querySelectorAll('a')].map(({ href }) => href)")) {
        const [target = '', anchor] = href.split('#');
        assert.ok(target.startsWith(baseUrl), `${url} links to ${href}`);
        if (/\/cs(\/|$)/.test(target)) continue;
        wanted.push([url, target]);
        if (anchor !== undefined && anchor !== '') anchors.push([url, target, anchor]);
      }
    }
    assert.ok(seen.size > 50, `only ${seen.size} pages were found`);
    for (const [from, target, anchor] of anchors)
      assert.ok(seen.get(target)?.has(anchor), `${from} links to ${target}#${anchor}`);
  },
);
