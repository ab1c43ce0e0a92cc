import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConsoleStage, consoleTest, eventually } from './console-stage.ts';

test(
  'maintenance announced in the form stops the API with what was foretold, and ended it serves again',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/maintenance');
    const { page, harness } = stage;
    await stage.button('Announce maintenance').click();
    await stage.button('Now').click();
    await stage.button('Lasting 2 h').click();
    await page.getByLabel('Description').fill('New disks.');
    const preview = page.getByRole('region', { name: 'What clients will see' });
    await preview.getByText('"code": "SERVICE_MAINTENANCE"').waitFor();
    await preview.getByText('Retry-After: 3600').waitFor();
    assert.equal(await harness.api.outcome('/v1/tickers'), '200', 'a preview changes nothing');

    await stage.button('Announce').click();
    await eventually(
      'maintenance runs',
      async () => (await harness.api.outcome('/v1/tickers')) === '503 SERVICE_MAINTENANCE',
    );
    const { maintenance } = await harness.api.status();
    assert.equal(maintenance?.description, 'New disks.');
    assert.equal(maintenance.toMs - maintenance.fromMs, 2 * 60 * 60 * 1000);
    await page.getByLabel('Service', { exact: true }).getByText('maintenance', { exact: true }).waitFor();

    await stage.button('Extend').click();
    await stage.inDialog('Extend').click();
    await eventually(
      'it is longer',
      async () => ((await harness.api.status()).maintenance?.toMs ?? 0) > maintenance.toMs,
    );
    await stage.button('End now').click();
    await stage.inDialog('End now').click();
    await eventually('prices are served', async () => (await harness.api.outcome('/v1/tickers')) === '200');
    await stage.sees('No maintenance is announced.');
  },
);

describe('maintenance in the console', { concurrency: 3 }, () => {
  test('overlapping maintenance is warned of, and what is announced can be cancelled', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/maintenance');
    const { page, harness } = stage;
    for (const description of ['The first.', 'The second.']) {
      await stage.button('Announce maintenance').click();
      await page.getByLabel('Description').fill(description);
      if (description === 'The second.') await stage.sees('It overlaps with maintenance already announced.');
      await stage.button('Announce').click();
      await page.getByRole('listitem').filter({ hasText: description }).waitFor();
    }
    await page.getByRole('listitem').filter({ hasText: 'The first.' }).getByRole('button', { name: 'Cancel' }).click();
    await stage.inDialog('Cancel the maintenance').click();
    await page.getByRole('row').filter({ hasText: 'The first.' }).getByText('cancelled').waitFor();
    assert.equal((await harness.api.status()).maintenance?.description, 'The second.');
  });

  test('times are typed in local time and shown in UTC below it', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/maintenance', { browser: { timeZone: 'America/New_York' } });
    await stage.button('Announce maintenance').click();
    await stage.page.getByLabel(/^From/).fill('2027-01-15T20:00');
    await stage.sees('2027-01-16 01:00:00 UTC');
    await stage.page.getByLabel('From (your time, UTC−05:00)').waitFor();
  });
});
