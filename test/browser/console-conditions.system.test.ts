import assert from 'node:assert/strict';
import { test } from 'node:test';
import { symbol } from '../../src/market/samples.testing.ts';
import { ConsoleStage, consoleTest, forms } from './console-stage.ts';

const destinations = [{ name: 'ops', kind: 'pagerduty', url: 'http://127.0.0.1:9/', allowHttp: true, secret: 'R0UTE' }];
const settings = { 'alerts.destinations': JSON.stringify(destinations), 'alerts.raiseAfter': '1s' };

/** What an operator reads of one and the same state. */
const languages = [
  {
    language: 'en',
    token: 'Operator token',
    signIn: 'Sign in',
    notes: [
      'market data: degraded',
      /kraken: no connection for \d+ s; no other source makes its prices/,
      'prices are held by an operator: BTCEUR',
    ],
    alert: 'prices are held by an operator: BTCEUR',
  },
  {
    language: 'cs',
    token: 'Token operátora',
    signIn: 'Přihlásit',
    notes: [
      'tržní data: omezený provoz',
      /kraken: bez spojení \d+ s; jeho ceny netvoří žádný jiný zdroj/,
      'ceny podržené operátorem: BTCEUR',
    ],
    alert: 'ceny podržené operátorem: BTCEUR',
  },
] as const;

for (const { language, token, signIn, notes, alert } of languages) {
  test(`what is wrong is said by overview and alerts with what it names (${language})`, consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t, { browser: { locale: language }, service: { settings } });
    const { page, harness } = stage;
    const looked = async (what: string) => {
      for (const [viewport, colorScheme] of forms) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(width <= viewport.width, `${what}, ${colorScheme}: ${width} px wide`);
        await stage.keepPicture(`conditions-${what}-${language}-${colorScheme}-${viewport.width}`);
      }
    };
    await stage.open('#/');
    await page.getByLabel(token, { exact: true }).fill(stage.token);
    await stage.button(signIn).click();
    await harness.withStore(({ markets }) => markets.setHeld(symbol('BTCEUR'), harness.clock.now()));
    await harness.simulator.faults.set({ fault: 'down' });
    for (const text of notes) await page.locator('ul.notes li').filter({ hasText: text }).first().waitFor();
    const code = page.locator('ul.notes li', { has: page.locator('code', { hasText: 'PricesHeld' }) });
    harness.clock.shift(40_000);
    await code.filter({ hasText: alert }).waitFor();
    await looked('overview');
    await page.goto(`${harness.service.adminUrl}/console/#/alerts`);
    await page.getByRole('row').filter({ hasText: 'PricesHeld' }).filter({ hasText: alert }).first().waitFor();
    await looked('alerts');
    await page.goto(`${harness.service.adminUrl}/console/#/feed`);
    await page.locator('.tile').first().waitFor();
    await looked('feed');
  });
}
