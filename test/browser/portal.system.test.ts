import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, browserTest, desktop, openBrowser, phone } from '../support/browser.ts';
import { ServiceHarness } from '../support/service-harness.ts';

describe('the portal in a browser', () => {
  const cleanups: (() => unknown)[] = [];
  let baseUrl: string;

  before(async () => {
    const service = await ServiceHarness.start({ after: (clean) => cleanups.push(clean as () => unknown) });
    ({ baseUrl } = service.service);
  });
  after(async () => {
    for (const clean of cleanups) await clean();
  });

  const kinds = ['/', '/docs', '/guides', '/guides/quick-start', '/errors', '/errors/rate-limit-exceeded', '/status'];

  for (const [colorScheme, viewport, other] of [
    ['light', desktop, phone],
    ['dark', phone, desktop],
  ] as const) {
    const title = `every kind of page is accessible in the ${colorScheme} scheme, fits the window, and nothing goes wrong in it`;
    test(title, browserTest, async (t) => {
      const { page } = await openBrowser(t, { colorScheme, viewport });
      for (const path of kinds) {
        await page.goto(baseUrl + path);
        if (path === '/' || path === '/status') await page.getByText('Operational').first().waitFor();
        await assertAccessible(page, `${path} ${colorScheme}`);
        for (const size of [other, viewport]) {
          await page.setViewportSize(size);
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          assert.ok(overflow <= 0, `${path} is ${overflow} pixels wider than a window of ${size.width}`);
        }
      }
    });
  }

  test(
    'every link of every page leads to a page that is there, and every anchor to an element of it',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t);
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
        for (const href of await page.evaluate<string[]>(
          "[...document.querySelectorAll('a')].map(({ href }) => href)",
        )) {
          const [target = '', anchor] = href.split('#');
          assert.ok(target.startsWith(baseUrl), `${url} links to ${href}`);
          wanted.push([url, target]);
          if (anchor !== undefined && anchor !== '') anchors.push([url, target, anchor]);
        }
      }
      assert.ok(seen.size > 50, `only ${seen.size} pages were found`);
      for (const [from, target, anchor] of anchors)
        assert.ok(seen.get(target)?.has(anchor), `${from} links to ${target}#${anchor}`);
    },
  );

  test(
    'without scripts every page still shows all of its content, and nothing that needs a script',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { javaScript: false });
      for (const path of kinds) {
        await page.goto(baseUrl + path);
        assert.ok((await page.locator('main').innerText()).length > 200, path);
        for (const hidden of ['form.try', '.key-bar', '.copy']) {
          for (const one of await page.locator(hidden).all())
            assert.equal(await one.isVisible(), false, `${path} ${hidden}`);
        }
      }
      await page.goto(`${baseUrl}/docs`);
      await page.locator('label[for="request-getTicker-python"]').click();
      assert.equal(await page.getByRole('region', { name: 'Request for /v1/ticker, Python' }).isVisible(), true);
    },
  );

  test(
    'a block of code is copied by its button, and a language that was chosen is chosen everywhere',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { permissions: ['clipboard-read', 'clipboard-write'] });
      await page.goto(baseUrl);
      await page.getByText('Python', { exact: true }).click();
      const sample = page.getByRole('region', { name: 'First request, Python' });
      await page.getByRole('button', { name: 'Copy: First request, Python' }).click();
      await page.getByRole('button', { name: 'Copied: First request, Python' }).waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), await sample.innerText());
      await page.goto(`${baseUrl}/docs`);
      assert.equal(await page.getByRole('region', { name: 'Request for /v1/tickers, Python' }).isVisible(), true);
      assert.equal(await page.getByRole('region', { name: 'Request for /v1/tickers, curl' }).isVisible(), false);
    },
  );

  test('the skip link is the first thing a keyboard reaches and leads to the content', browserTest, async (t) => {
    const { page } = await openBrowser(t);
    await page.goto(`${baseUrl}/guides/polling`);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement?.id'), 'main');
  });
});
