import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLies, withOthers } from '../support/three-sources.ts';
import { ConsoleStage, consoleTest, eventually, forms } from './console-stage.ts';

/** Every page that shows a doubt, with what has to be seen there. */
const pages = [
  ['#/', 'Overview', 'kraken is doubted, contradicted: BTCEUR at 50000000.0 / 50000000.1'],
  ['#/markets', 'Markets', 'doubted'],
  ['#/feed', 'Feed and rates', 'BTCEUR is doubted.'],
  ['#/markets/BTCEUR', 'BTCEUR', 'kraken is doubted.'],
] as const;

test(
  'while one of three sources lies, every page names it and leads to the market, where it is accepted',
  consoleTest,
  async (t) => {
    const { others, options } = await withOthers(t);
    const stage = await ConsoleStage.signedIn(t, '#/', { service: options });
    const { page, harness } = stage;
    await firstLies(harness, others);
    await page.getByRole('link', { name: 'Open BTCEUR' }).click();
    await stage.heading('BTCEUR').waitFor();
    await stage.sees('other sources agree on another price');
    await stage.sees('Served is the price of bitvavo.');
    for (const [viewport, colorScheme] of forms) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      for (const [hash, heading, text] of pages) {
        await stage.goTo(hash, heading);
        await page.locator('main').filter({ hasText: text }).waitFor();
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(width <= viewport.width, `${hash}, ${colorScheme}: ${width} px wide`);
        await stage.keepPicture(`${heading}-${colorScheme}-${viewport.width}`);
      }
    }
    await stage.button('Accept kraken').click();
    await stage.inDialog('Accept kraken').click();
    // The dialog has a button of that name, too.
    await stage.page.getByRole('dialog').waitFor({ state: 'detached' });
    await stage.button('Accept kraken').waitFor({ state: 'detached' });
    await eventually('it is served', async () => (await harness.api.ticker('BTCEUR')).buyPrice === '50250000.2');
  },
);
