import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after } from '../../src/market/samples.testing.ts';
import { assertAccessible, desktop, phone } from '../support/browser.ts';
import { ConsoleStage, consoleTest } from './console-stage.ts';

/** Every page with its heading and a text that is there once it has its data. */
async function pagesOf({ harness }: ConsoleStage): Promise<readonly (readonly [string, string | RegExp, string])[]> {
  const { accountId, keyId } = harness.credentials;
  return [
    ['#/', 'Overview', 'Uptime'],
    ['#/markets', 'Markets', '8 markets'],
    ['#/markets/BTCCZK', 'BTCCZK', 'A client buys'],
    ['#/terms', 'Terms', 'configuration'],
    ['#/feed', 'Feed and rates', 'EUR/CZK'],
    ['#/record', 'Record', 'This service records nothing.'],
    ['#/accounts', 'Accounts and keys', 'client@example.com'],
    [`#/accounts/${accountId}`, 'client@example.com', 'Ends in'],
    [`#/keys/${keyId}`, /^Key …/, 'Minutes over the limit'],
    ['#/usage', 'Usage', 'Most refused'],
    ['#/maintenance', 'Maintenance', 'Disks'],
    ['#/incidents', 'Incidents', 'Prices are late'],
    ['#/notices', 'Notices', 'No mail server is configured'],
    ['#/alerts', 'Alerts', 'No destination is configured'],
    ['#/approvals', 'Approvals', 'Nothing waits.'],
    ['#/audit', 'Audit log', 'About'],
    ['#/tokens', 'Operator tokens', 'olga'],
    ['#/nowhere', 'No such page', 'The address leads nowhere.'],
  ];
}

async function withData(stage: ConsoleStage): Promise<void> {
  const from = after(stage.harness.clock.now(), 3_600_000);
  const window = { from, to: after(from, 3_600_000), description: 'Disks' };
  await stage.harness.withStore(({ windows }) => windows.announce(window));
  const incident = { title: 'Prices are late', text: 'We look.', parts: ['api'] };
  await stage.harness.withStore(({ incidents }) => incidents.open(incident));
}

const manyPages = { ...consoleTest, timeout: 480_000 };

test(
  'every page is accessible, light and dark, on a desk and on a phone, and none scrolls sideways',
  manyPages,
  async (t) => {
    const stage = await ConsoleStage.start(t);
    const { page } = stage;
    await withData(stage);
    await stage.open();
    await stage.heading('Operator console').waitFor();
    await inEveryForm(stage, 'sign in');
    await stage.signIn();
    await stage.heading('Overview').waitFor();
    for (const [hash, heading, text] of await pagesOf(stage)) {
      await stage.goTo(hash, heading);
      await page.getByRole('main').getByText(text).first().waitFor();
      await inEveryForm(stage, hash);
    }
  },
);

async function inEveryForm({ page }: ConsoleStage, where: string): Promise<void> {
  for (const [viewport, colorScheme] of [
    [desktop, 'light'],
    [phone, 'dark'],
    [phone, 'light'],
    [desktop, 'dark'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const form = `${where}, ${colorScheme}, ${viewport.width} px`;
    await assertAccessible(page, form);
    const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
    assert.ok(width <= viewport.width, `${form}: ${width} px wide`);
  }
}

test('dialogs and forms are accessible', manyPages, async (t) => {
  const stage = await ConsoleStage.signedIn(t, '#/markets/BTCEUR', { browser: { colorScheme: 'dark' } });
  const check = async (name: string) => {
    await stage.page.getByRole('dialog').waitFor();
    await assertAccessible(stage.page, name);
    await stage.page.keyboard.press('Escape');
    await stage.page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await stage.button('Delist').click();
  await check('delist');
  await stage.goTo(`#/accounts/${stage.harness.credentials.accountId}`, 'client@example.com');
  await stage.button('Create key').click();
  await check('create key');
  await stage.goTo('#/maintenance', 'Maintenance');
  await stage.button('Announce maintenance').click();
  await stage.page.getByLabel('Description').fill('Disks');
  await stage.sees('SERVICE_MAINTENANCE');
  await assertAccessible(stage.page, 'announce');
});

test('the console is worked by keyboard alone', consoleTest, async (t) => {
  const stage = await ConsoleStage.signedIn(t, '');
  const { page } = stage;
  await stage.heading('Overview').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Markets' }).focus();
  await page.keyboard.press('Enter');
  await stage.heading('Markets').waitFor();
  await page.locator('tr[data-symbol=ADACZK]').waitFor();
  await page.locator('tr[data-symbol=ADACZK] a').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await stage.heading('ADAEUR').waitFor();
});
