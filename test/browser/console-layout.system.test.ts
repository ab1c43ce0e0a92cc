import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, desktop, phone } from '../support/browser.ts';
import { firstLies, withOthers } from '../support/three-sources.ts';
import { ConsoleStage, consoleTest, forms } from './console-stage.ts';

/** The edges of an element on the page, in whole pixels. */
async function edgesOf(element: Locator) {
  const box = await element.boundingBox();
  assert.ok(box !== null, 'it is shown');
  const [left, top] = [Math.round(box.x), Math.round(box.y)];
  return { left, top, right: Math.round(box.x + box.width), bottom: Math.round(box.y + box.height) };
}

/** Where the labels and the fields of a form stand, by the top of its rows. */
async function rowsOf(page: Page, form: string) {
  const tops = async (what: string) => {
    const elements = await page.locator(form).locator(what).all();
    const edges = await Promise.all(elements.map(edgesOf));
    return [...new Set(edges.map(({ top }) => top))].sort((one, other) => one - other);
  };
  return { labels: await tops('label:visible'), fields: await tops('input:visible, select:visible') };
}

describe('the layout of the console', { concurrency: 2 }, () => {
  test('one Escape closes the search, also with a text in it', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/');
    const { page } = stage;
    await stage.heading('Overview').waitFor();
    for (const typed of ['', 'BTC', 'nothing is called so']) {
      await page.keyboard.press('/');
      await page.getByRole('searchbox', { name: 'Search everywhere' }).fill(typed);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 2_000 });
    }
  });

  test('what stops the display and what stops the markets share neither word nor place', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets');
    const { page } = stage;
    await page.locator('tr[data-symbol=XRPEUR]').waitFor();
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      const display = await edgesOf(stage.button('Freeze the display'));
      for (const name of ['Pause all markets', 'Hold all prices']) {
        const button = stage.button(name);
        const { bottom } = await edgesOf(button);
        assert.ok(display.top - bottom >= 48, `${name}, ${viewport.width} px: ${display.top - bottom} px above`);
        assert.equal(await button.getAttribute('class'), 'dangerous-quiet', 'it looks like what clients notice');
      }
    }
    await stage.button('Freeze the display').click();
    await stage.sees(/The display stands still since .*; clients get the present prices/);
    await stage.button('Let it run').click();
    await stage.button('Freeze the display').waitFor();
  });

  test('nothing invites to accept what is doubted', consoleTest, async (t) => {
    const { others, options } = await withOthers(t);
    const stage = await ConsoleStage.signedIn(t, '#/markets/BTCEUR', { service: options });
    await firstLies(stage.harness, others);
    await stage.button('Accept kraken').waitFor();
    assert.equal(await stage.page.locator('main button.main').count(), 0);
  });

  test('the fields of a row stand in one line, with their labels in another', consoleTest, async (t) => {
    const settings = { 'history.url': 'sqlite:./history.sqlite' };
    const stage = await ConsoleStage.signedIn(t, '#/record', { service: { settings } });
    const { page } = stage;
    const aligned = async (what: string, form: string, rows: number) => {
      const { labels, fields } = await rowsOf(page, form);
      assert.deepEqual([labels.length, fields.length], [rows, rows], `${what}: ${labels} and ${fields}`);
    };
    for (const by of ['request', 'instant', 'key']) {
      await stage.goTo(`#/record?by=${by}`, 'Record');
      await page.locator(`a[aria-current=true][href*="${by}"]`).waitFor();
      await aligned(by, 'form.filter', 1);
      const [field, button] = [page.locator('form.filter input').first(), stage.button('Search').last()];
      assert.equal((await edgesOf(button)).top, (await edgesOf(field)).top, `${by}: the button beside the field`);
    }
    await stage.goTo('#/audit', 'Audit log');
    await aligned('audit', '.filter >> nth=0', 1);
    await stage.goTo('#/terms', 'Terms');
    await stage.button('Set a term').click();
    await aligned('a term of the service', 'form.panel', 3);
    await page.getByLabel('For', { exact: true }).selectOption('market');
    await aligned('a term of a market', 'form.panel', 4);
  });

  test(
    'which environment it is stands above every page, whatever its colour, and first in the title',
    consoleTest,
    async (t) => {
      const settings = { 'console.title': 'Test', 'console.colour': '#ffcc00' };
      const stage = await ConsoleStage.start(t, { service: { settings } });
      const { page } = stage;
      const shows = async (title: string, hash: string) => {
        for (const [viewport, colorScheme] of forms) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          const { top, left, right, bottom } = await edgesOf(
            page.getByRole('complementary').filter({ hasText: 'Test' }),
          );
          assert.deepEqual([top, left, bottom], [0, 0, 28], `${hash}, ${viewport.width} px: it stays at the top`);
          assert.ok(right <= viewport.width && right > viewport.width - 20, `${right} of ${viewport.width} px`);
          const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
          assert.ok(width <= viewport.width, `${hash}, ${colorScheme}: ${width} px wide`);
          await assertAccessible(page, `${hash}, ${colorScheme}, ${viewport.width} px`);
          await stage.keepPicture(`environment-${title}-${colorScheme}-${viewport.width}`);
        }
        assert.equal(await page.title(), `[Test] ${title} · Market Data API`);
      };
      await stage.open('#/markets');
      await stage.tokenField.waitFor();
      await shows('Sign in', 'sign in');
      await stage.signIn();
      await page.locator('tr[data-symbol=XRPEUR]').waitFor();
      await shows('Markets', '#/markets');
      await stage.goTo('#/', 'Overview');
      await shows('Overview', '#/');
    },
  );

  test('a phone shows all that is wrong within its first screen, and folds what is not', consoleTest, async (t) => {
    const { others, options } = await withOthers(t);
    const stage = await ConsoleStage.signedIn(t, '#/', { service: options, browser: { viewport: phone } });
    const { page, harness } = stage;
    await firstLies(harness, others);
    const wrong = page.locator('.notes li');
    await wrong.filter({ hasText: 'kraken is doubted' }).waitFor();
    for (const row of await wrong.all()) assert.ok((await edgesOf(row)).bottom <= phone.height);
    const texts = await wrong.allTextContents();
    assert.equal(new Set(texts).size, texts.length, 'each once');
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    assert.ok(height <= 2 * phone.height, `${height} px long`);
    const changes = page.locator('details', { hasText: 'Latest changes' });
    await changes.locator('summary').click();
    await changes.getByText('Signed in from').first().waitFor();
    await stage.keepPicture('overview-folded');
    await page.setViewportSize(desktop);
    await stage.sees('Signed in from');
    assert.equal(await page.locator('main details.fold').count(), 0, 'a desk has room for all');
  });

  test('a source has one card with what it serves, its age and its doubts', consoleTest, async (t) => {
    const { others, options } = await withOthers(t);
    const stage = await ConsoleStage.signedIn(t, '#/feed', { service: options });
    const { page, harness } = stage;
    await firstLies(harness, others);
    const lying = page.getByRole('article', { name: 'kraken' });
    await lying.getByText('BTCEUR is doubted.').waitFor();
    await lying.locator('.facts > div', { hasText: 'Serves' }).getByText('3 prices', { exact: true }).waitFor();
    await lying.locator('.facts > div', { hasText: /^\s*Age\s*\d/ }).waitFor();
    const taking = page.getByRole('article', { name: 'bitvavo' });
    await taking.locator('.facts > div', { hasText: 'Serves' }).getByText('1 price', { exact: true }).waitFor();
    assert.equal(await taking.getByText('is doubted').count(), 0);
    for (const id of ['kraken', 'bitvavo', 'coinbase'])
      assert.equal(await page.getByText(id, { exact: true }).count(), 1);
  });
});
