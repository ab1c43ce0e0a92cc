import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPending } from '../../src/operator/review.ts';
import { ConsoleStage, consoleTest, eventually, forms } from './console-stage.ts';

test(
  'new markets that wait are shown with the markets and in the overview, and are offered once an operator accepts them (fault row 97)',
  consoleTest,
  async (t) => {
    const service = { settings: { 'markets.symbols': 'all' }, untilLive: false, timing: { catalogueReloadMs: 1_000 } };
    const stage = await ConsoleStage.signedIn(t, '#/', { service });
    const { page, harness } = stage;
    await eventually('markets', async () => (await harness.api.status()).status === 'operational');
    await harness.simulator.faults.set({ fault: 'pair-flood', count: 60 });
    await eventually('they wait', async () => (await harness.withStore(loadPending)).length === 1);
    await stage.sees('kraken lists 60 new markets at once');
    for (const [viewport, colorScheme] of forms) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await stage.goTo('#/markets', 'Markets');
      await stage.sees('This many are new at once: 60 markets.');
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(width <= viewport.width, `${colorScheme}: ${width} px wide`);
      await stage.keepPicture(`Review-${colorScheme}-${viewport.width}`);
    }
    await stage.button('Reject').click();
    await stage.inDialog('Reject').click();
    await stage.sees('rejected are 60 markets.');
    await stage.keepPicture('Review-rejected');
    await stage.button('Offer them').click();
    await stage.inDialog('Offer them').click();
    await eventually('they are offered', async () => (await harness.api.markets()).has('Q0Q59EUR'));
    await page.getByText('Lists of the sources').waitFor({ state: 'detached' });
  },
);
