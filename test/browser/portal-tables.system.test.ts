import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTest, openBrowser, phone } from '../support/browser.ts';
import { ServiceHarness } from '../support/service-harness.ts';

test('the table of the limits fits a phone in both languages', browserTest, async (t) => {
  const { page } = await openBrowser(t, { viewport: phone });
  const { service } = await ServiceHarness.start(t);
  for (const path of ['/docs', '/cs/docs']) {
    await page.goto(`${service.baseUrl}${path}`);
    const table = page.locator('table.short').first();
    const edges = await table.evaluate((shown) => [shown.scrollWidth, shown.parentElement!.clientWidth] as const);
    assert.ok(edges[0] <= edges[1], `${path}: ${edges.join(' in ')} px`);
  }
});
