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

  const kinds = [
    ...['/', '/docs', '/docs/ticker', '/docs/common', '/guides', '/guides/quick-start', '/errors'],
    ...['/errors/rate-limit-exceeded', '/status', '/cs', '/cs/docs/status', '/cs/status'],
  ];

  /** Of a page, in pixels, by the width of the window. */
  const heightMax: Readonly<Record<number, number>> = { [desktop.width]: 5_000, [phone.width]: 8_000, 320: 10_000 };

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
        if (path === '/cs' || path === '/cs/status') await page.getByText('V provozu').first().waitFor();
        await assertAccessible(page, `${path} ${colorScheme}`);
        for (const size of [other, { width: 320, height: 640 }, viewport]) {
          await page.setViewportSize(size);
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          assert.ok(overflow <= 0, `${path} is ${overflow} pixels wider than a window of ${size.width}`);
          const height = await page.evaluate<number>('document.documentElement.scrollHeight');
          assert.ok(height < heightMax[size.width]!, `${path} is ${height} pixels long in a window of ${size.width}`);
        }
      }
    });
  }

  test(
    'without scripts every page still shows all of its content, and nothing that needs a script',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { javaScript: false });
      for (const path of kinds) {
        await page.goto(baseUrl + path);
        assert.ok((await page.locator('main').innerText()).length > 200, path);
        for (const hidden of ['form.try', '.key-bar', '.copy', '.search-button']) {
          for (const one of await page.locator(hidden).all())
            assert.equal(await one.isVisible(), false, `${path} ${hidden}`);
        }
      }
      await page.goto(`${baseUrl}/docs/ticker`);
      await page.locator('label[for="request-python"]').click();
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
      await page.goto(`${baseUrl}/docs/tickers`);
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

  test(
    'the search finds parts of pages, in any spelling, by keyboard, in the language of the page',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { viewport: phone });
      await page.goto(`${baseUrl}/cs/errors`);
      await page.keyboard.press('/');
      const field = page.getByRole('searchbox', { name: 'Hledat v dokumentaci' });
      await field.fill('trzni nejsou dostupna');
      await page
        .getByRole('status')
        .filter({ hasText: /^Výsledků: \d+\.$/ })
        .waitFor();
      await assertAccessible(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Tržní data nejsou dostupná' }).waitFor();
      await page.goto(`${baseUrl}/`);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('vwap24h');
      await page
        .getByRole('link', { name: /Response fields/ })
        .first()
        .click();
      await page.waitForURL(/\/docs\/tickers?#fields$/);
      await page.keyboard.press('/');
      for (const [asked, heading] of [
        ['websocket', 'Polling'],
        ['rate limit', 'Limits'],
        ['retry after', 'Limits'],
        ['postman', 'GET /openapi/v1.json'],
      ] as const) {
        await page.getByRole('searchbox').fill(asked);
        await page.locator('.found li:first-child a').filter({ hasText: heading }).waitFor();
      }
      await page.getByRole('searchbox').fill('nosuchword');
      await page.getByText('Nothing was found.').waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await page.getByRole('searchbox').isVisible(), false);
    },
  );

  test(
    'on a phone the contents are one line until they are opened; on a wide screen they are whole',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { viewport: phone });
      await page.goto(`${baseUrl}/docs/ticker`);
      const entry = page.locator('.contents a', { hasText: 'GET /v1/time' });
      assert.equal(await entry.isVisible(), false);
      await page.locator('.contents summary').click();
      assert.equal(await entry.isVisible(), true);
      await page.setViewportSize(desktop);
      await entry.waitFor();
    },
  );

  test('the bar is one row at any width, and its menu opens without scripts', browserTest, async (t) => {
    const { page } = await openBrowser(t, { javaScript: false });
    const menu = page.getByRole('navigation', { name: /Pages|Stránky/ });
    for (const width of [320, phone.width, 700, 960, 961, desktop.width])
      for (const path of ['/docs/ticker', '/cs/docs/ticker', '/status']) {
        await page.setViewportSize({ width, height: 700 });
        await page.goto(baseUrl + path);
        const height = (await page.locator('.top').boundingBox())!.height;
        assert.ok(height < 64, `the bar of ${path} is ${height} pixels high in a window of ${width}`);
        const isFolded = width <= 960;
        assert.equal(await menu.isVisible(), !isFolded, `${width}`);
        if (isFolded) await page.getByRole('button', { name: /Menu|Nabídka/ }).click();
        assert.equal(await menu.getByRole('link').count(), 5);
        for (const link of await menu.getByRole('link').all()) assert.equal(await link.isVisible(), true, `${width}`);
        if (isFolded) await page.keyboard.press('Escape');
        assert.equal(await menu.isVisible(), !isFolded, `${width}`);
      }
  });

  test('the opened menu is accessible, and a long name of the operator gives way to it', browserTest, async (t) => {
    const { page } = await openBrowser(t, { viewport: phone, colorScheme: 'dark' });
    await page.goto(`${baseUrl}/guides`);
    await page.evaluate(
      "document.querySelector('.name span').textContent = 'The exchange with a long name of its own'",
    );
    await page.getByRole('button', { name: 'Menu' }).click();
    await assertAccessible(page);
    assert.ok((await page.locator('.top').boundingBox())!.height < 64);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    await page.getByRole('link', { name: 'Čeština' }).click();
    await page.waitForURL(/\/cs\/guides$/);
  });

  test('on a phone the first sample of an operation is within two screens', browserTest, async (t) => {
    const { page } = await openBrowser(t, { viewport: phone });
    for (const path of ['/docs/time', '/docs/ticker', '/docs/tickers', '/cs/docs/ticker', '/cs/docs/markets']) {
      await page.goto(baseUrl + path);
      const sample = (await page.locator('.panel pre').first().boundingBox())!;
      assert.ok(sample.y + sample.height < 2 * phone.height, `the sample of ${path} is at ${sample.y}`);
    }
  });

  test('an address that leads nowhere shows a page, and a slash too many leads to the page', browserTest, async (t) => {
    const { page, expect } = await openBrowser(t);
    expect(/status of 404/);
    const response = await page.goto(`${baseUrl}/guides/nowhere`);
    assert.equal(response?.status(), 404);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await assertAccessible(page);
    await page.goto(`${baseUrl}/guides/polling/`);
    assert.equal(new URL(page.url()).pathname, '/guides/polling');
  });
});
