import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from '../support/browser.ts';
import { ConsoleStage, consoleTest } from './console-stage.ts';

test(
  'a term is set with the prices before and after beside the form, and cancelled before it begins',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/terms');
    const { page, harness } = stage;
    await page.getByRole('region', { name: 'Terms in force' }).getByText('0.5').waitFor();
    await stage.button('Set a term').click();
    await page.getByLabel('For', { exact: true }).selectOption('market');
    await page.getByLabel('Market', { exact: true }).fill('btcczk');
    await page.getByLabel('Currency margin in percent').fill('0.5');
    await page.getByLabel('Decimals').fill('2');
    const preview = page.getByRole('region', { name: 'Prices before and after' });
    await preview.getByText('1 market from').waitFor();
    await assertAccessible(page);
    await stage.button('Set').click();
    const announced = page
      .getByRole('region', { name: 'Announced terms' })
      .getByRole('row')
      .filter({ hasText: 'BTCCZK' });
    await announced.waitFor();
    assert.equal((await harness.api.markets()).get('BTCCZK')?.pricePrecision, 0, 'it has not begun');
    await announced.getByRole('button', { name: /^Cancel/ }).click();
    await stage.inDialog('Cancel the term').click();
    await page.getByRole('region', { name: 'Past terms' }).getByText('cancelled').waitFor();
  },
);

test('a term that looks like a mistake is set only after its effect was confirmed', consoleTest, async (t) => {
  const stage = await ConsoleStage.signedIn(t, '#/terms');
  const { page, harness } = stage;
  await stage.button('Set a term').click();
  await page.getByLabel('Fee in percent').fill('50');
  await page
    .getByRole('region', { name: 'Prices before and after' })
    .first()
    .getByText(/A fee of 50 %/)
    .waitFor();
  await stage.button('Set').click();
  await page
    .getByRole('dialog')
    .getByText(/A client would buy/)
    .waitFor();
  assert.equal((await harness.withStore(({ terms }) => terms.list())).length, 0);
  await stage.inDialog('Set it').click();
  await page.getByRole('region', { name: 'Announced terms' }).waitFor();
  assert.equal((await harness.withStore(({ terms }) => terms.list())).length, 1);
});
