import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EpochMs } from '../../src/ground/clock.ts';
import { assertAccessible } from '../support/browser.ts';
import { ConsoleStage, consoleTest, eventually, forms } from './console-stage.ts';

async function inEveryForm(stage: ConsoleStage, name: string): Promise<void> {
  for (const [viewport, colorScheme] of forms) {
    await stage.page.setViewportSize(viewport);
    await stage.page.emulateMedia({ colorScheme });
    await stage.keepPicture(`${name} ${viewport.width} ${colorScheme}`);
    await assertAccessible(stage.page, name);
    const width = (await stage.page.evaluate('document.documentElement.scrollWidth')) as number;
    assert.ok(width <= viewport.width, `${name}: ${width} px wide`);
  }
}

async function found({ harness }: ConsoleStage): Promise<string> {
  const at = (offsetMs: number) => (harness.clock.now() + offsetMs) as EpochMs;
  const outage = { component: 'market-data', state: 'outage', from: at(-3_600_000), to: at(-3_000_000) } as const;
  return harness.withStore(({ statusRecords }) => statusRecords.addIncident(outage));
}

describe('incidents in the console', { concurrency: 3 }, () => {
  test('are opened, told of, renamed, closed and reviewed; the status page has each step', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/incidents');
    const { page, harness } = stage;
    const list = () => harness.withStore(({ incidents }) => incidents.list({ limit: 9 }));
    await stage.sees('No incident is open.');
    // The browser's own note on what the service refuses.
    stage.watched.expect(/status of 400 .*\/api\/incidents/);
    await stage.button('Open an incident').click();
    await page.getByLabel('Title', { exact: true }).fill('Prices of some markets are late');
    await page.getByLabel('Title, in Czech').fill('Ceny některých trhů se opožďují');
    await page.getByLabel('What is known', { exact: true }).fill('We look into it.\n\nhttps://exchange.example/status');
    await stage.inDialog('Publish').click();
    await stage.sees('An incident concerns at least one part of the service: api, market-data.');
    await page.getByLabel('Market data').check();
    await inEveryForm(stage, 'console incident form');
    await stage.inDialog('Publish').click();
    await stage.sees('The incident is on the status page.');
    const [opened] = await list();
    assert.deepEqual(
      [opened?.titleCs, opened?.parts, opened?.updates[0]?.text],
      ['Ceny některých trhů se opožďují', ['market-data'], 'We look into it.\n\nhttps://exchange.example/status'],
    );
    const status = await (
      await fetch(`${harness.service.baseUrl}/status`, { headers: { accept: 'text/html' } })
    ).text();
    assert.ok(status.includes('Prices of some markets are late'));

    await stage.button('Add an update').click();
    await page.getByRole('dialog').getByLabel('State').selectOption('identified');
    await page.getByLabel('What is new', { exact: true }).fill('The exchange has lost its feed.');
    await page.getByLabel('What is new, in Czech').fill('Burza ztratila data.');
    await stage.inDialog('Publish').click();
    await page.getByRole('listitem').filter({ hasText: 'Burza ztratila data.' }).first().waitFor();
    await stage.button('Title and parts').click();
    await page.getByLabel('Title', { exact: true }).fill('The exchange is away');
    await page.getByLabel('API').check();
    await stage.inDialog('Change them').click();
    await stage.sees('API, Market data');
    await inEveryForm(stage, 'console incident open');

    await stage.button('Close the incident').click();
    await page.getByLabel('The last update', { exact: true }).fill('It is back.');
    await stage.inDialog('Close the incident').click();
    await stage.sees('No incident is open.');
    await stage.button('Write the review').click();
    await page.getByLabel('What was learnt', { exact: true }).fill('A certificate of theirs had run out.');
    await stage.inDialog('Publish').click();
    await page.getByRole('listitem').filter({ hasText: 'A certificate of theirs had run out.' }).waitFor();
    const [closed] = await list();
    assert.deepEqual(
      [closed?.state, closed?.title, closed?.review, closed?.updates.length],
      ['resolved', 'The exchange is away', 'A certificate of theirs had run out.', 3],
    );
    await inEveryForm(stage, 'console incident over');
  });

  test('tell of an outage that was found, which is a draft until then, in Czech too', consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t, { browser: { locale: 'cs-CZ' } });
    const { page, harness } = stage;
    const id = await found(stage);
    await stage.open('#/incidents');
    await page.getByLabel('Token operátora').fill(stage.token);
    await stage.button('Přihlásit').click();
    await page.getByRole('region', { name: 'Nalezeno službou' }).getByText('výpadek').waitFor();
    await inEveryForm(stage, 'console incident draft cs');
    await stage.button('Napsat o něm').click();
    await page.getByLabel('Název', { exact: true }).fill('The exchange was away');
    await page.getByLabel('Co se ví', { exact: true }).fill('It said nothing.');
    assert.ok(await page.getByLabel('Tržní data').isChecked());
    await inEveryForm(stage, 'console incident form cs');
    await stage.inDialog('Zveřejnit').click();
    await stage.sees('Naměřeno');
    const adopted = await eventually('it is adopted', async () =>
      (await harness.withStore(({ incidents }) => incidents.list({ limit: 9 }))).find((each) => each.id === id),
    );
    assert.deepEqual([adopted.isFound, adopted.title], [true, 'The exchange was away']);
    assert.equal(await page.getByRole('region', { name: 'Nalezeno službou' }).count(), 0);
    await inEveryForm(stage, 'console incident open cs');
  });

  test('are seen by those who may not write them', consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t);
    await found(stage);
    await stage.harness.withStore(({ incidents }) =>
      incidents.open({ title: 'Prices are late', text: 'We look.', parts: ['api'] }),
    );
    await stage.makeToken('rita', 'read-only');
    await stage.open('#/incidents');
    await stage.signIn();
    await stage.sees('Prices are late');
    await stage.sees('Found by the service');
    const buttons = stage.page.getByRole('main').getByRole('button');
    assert.equal(await buttons.count(), 0);
  });
});
