import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRateServer } from '../support/rate-server.ts';
import { ConsoleStage, consoleTest, eventually, forms } from './console-stage.ts';

test(
  'a rate that is held is shown with the second source and why, and an operator holds, releases and accepts it',
  consoleTest,
  async (t) => {
    const source = await startRateServer(t, '24.315');
    const bounds = { 'guard.ratePercent': '3', 'guard.rateCeilingPercent': '20' };
    const stage = await ConsoleStage.signedIn(t, '#/feed', {
      service: {
        settingsFrom: ({ cnbUrl }) => ({
          ...source.settings,
          ...bounds,
          'rates.compare': JSON.stringify({ source: 'cnb', url: cnbUrl }),
        }),
      },
    });
    const { page, harness } = stage;
    await stage.sees('cnb: 24.315');
    source.state.rate = '0.041127';
    await stage.sees('The rate of EUR/CZK is held.');
    await stage.sees('only the second source or an operator confirms it');
    for (const [viewport, colorScheme] of forms) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.locator('main').filter({ hasText: '0.041127' }).waitFor();
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(width <= viewport.width, `${colorScheme}: ${width} px wide`);
      await stage.keepPicture(`rates-${colorScheme}-${viewport.width}`);
    }
    const press = async (name: string) => {
      await stage.button(name).click();
      await stage.inDialog(name).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await press('Hold the rate EUR/CZK');
    await stage.button('Release the rate EUR/CZK').waitFor();
    await press('Release the rate EUR/CZK');
    await stage.sees('The rate of EUR/CZK is held.');
    const before = (await harness.api.ticker('BTCCZK')).buyPrice;
    await press('Accept the rate EUR/CZK');
    await eventually(
      'it is served',
      async () => Number((await harness.api.ticker('BTCCZK')).buyPrice) < Number(before) / 100,
    );
    const { items } = await harness.withStore(({ audit }) => audit.page({ limit: 10, action: 'rate.' }));
    const done = items.map(({ actor, action }) => `${action} ${actor}`).toReversed();
    assert.deepEqual(
      done,
      ['rate.hold', 'rate.release', 'rate.accept'].map((action) => `${action} olga`),
    );
  },
);

for (const { language, token, signIn, older, failed } of [
  {
    language: 'en-GB',
    token: 'Operator token',
    signIn: 'Sign in',
    older: /gave nothing: refused: the fixing of \d{4}-\d\d-\d\d is older than the one in force\./,
    failed: /gave nothing: status: HTTP status 500\./,
  },
  {
    language: 'cs-CZ',
    token: 'Token operátora',
    signIn: 'Přihlásit',
    older: /nic nepřineslo: fixing z \d+\. \d+\. \d{4} je starší než platný\./,
    failed: /nic nepřineslo: zdroj odpověděl chybou \(HTTP status 500\)\./,
  },
] as const) {
  test(
    `why a reading of a rate was refused is said in the language of the page (${language})`,
    consoleTest,
    async (t) => {
      const stage = await ConsoleStage.start(t, {
        browser: { locale: language },
        service: { settings: { 'rates.source': 'cnb', 'rates.compare': 'off' } },
      });
      const { page, harness } = stage;
      await stage.open('#/feed');
      await page.getByLabel(token, { exact: true }).fill(stage.token);
      await stage.button(signIn).click();
      const before = new Date(harness.clock.now() - 7 * 86_400_000).toISOString().slice(0, 10);
      harness.simulator.setRate('24.100');
      await harness.simulator.faults.set({ fault: 'rate-stale', source: 'cnb', date: before });
      await page.locator('.note.warn').filter({ hasText: older }).waitFor();
      await harness.simulator.faults.clear();
      await harness.simulator.faults.set({ fault: 'rate-gone', source: 'cnb', status: 500 });
      await page.locator('.note.warn').filter({ hasText: failed }).waitFor();
    },
  );
}
