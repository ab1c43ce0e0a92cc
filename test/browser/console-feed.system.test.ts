import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, openBrowser } from '../support/browser.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { offered } from '../support/service-harness.ts';
import { ConsoleStage, consoleTest, forms, keepPicture } from './console-stage.ts';

test(
  'sources are reloaded with a button, which says what changed or why nothing did; a paused one is shown as paused',
  consoleTest,
  async (t) => {
    let written: Readonly<Record<string, string>> = {};
    const stage = await ConsoleStage.signedIn(t, '#/feed', { service: { settingsFrom: () => written } });
    const { page, harness, watched } = stage;
    const { restUrl, wsUrl } = harness.simulator;
    const bitvavo = { id: 'bitvavo', paused: true };
    const sources = JSON.stringify([krakenAt(restUrl, wsUrl), bitvavo]);
    const looked = async (what: string) => {
      for (const [viewport, colorScheme] of forms) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(width <= viewport.width, `${what}, ${colorScheme}: ${width} px wide`);
        await stage.keepPicture(`feed-${what}-${colorScheme}-${viewport.width}`);
      }
    };

    await stage.button('Reload sources').click();
    await looked('asked');
    await stage.inDialog('Reload sources').click();
    await stage.sees('Nothing has changed.');

    written = { sources, 'limits.key': '61', 'server.host': '127.0.0.2' };
    watched.expect(/status of 409 .*\/api\/sources\/reload/);
    await stage.button('Reload sources').click();
    await stage.inDialog('Reload sources').click();
    const refused = page.getByRole('dialog').getByRole('alert');
    await refused.filter({ hasText: 'limits.key: changes only with a restart' }).waitFor();
    assert.match((await refused.textContent()) ?? '', /nothing was changed.*server\.host: changes only/s);
    await looked('refused');
    written = { sources };
    await stage.inDialog('Reload sources').click();
    await stage.sees('The sources are reloaded: added bitvavo; order kraken, bitvavo.');

    await page.getByRole('article', { name: 'kraken' }).getByText('all right').waitFor();
    const paused = page.getByRole('article', { name: 'bitvavo' });
    await paused.getByText('paused', { exact: true }).waitFor();
    await paused.getByText('The configuration pauses it').waitFor();
    await looked('paused');
    await stage.goTo('#/audit', 'Audit log');
    await page.getByRole('row').filter({ hasText: 'Reloaded the sources: added bitvavo' }).getByText('olga').waitFor();
  },
);

test('whoever may not reload the sources sees no button for it', consoleTest, async (t) => {
  const stage = await ConsoleStage.start(t);
  for (const [role, count] of [
    ['support', 0],
    ['operator', 1],
  ] as const) {
    await stage.makeToken(role, role);
    await stage.open('#/feed');
    await stage.signIn();
    await stage.page.getByRole('article', { name: 'kraken' }).waitFor();
    assert.equal(await stage.button('Reload sources').count(), count);
    await stage.button('Sign out').click();
    await stage.tokenField.waitFor();
  }
});

const outageWords = [
  {
    language: 'en-GB',
    token: 'Operator token',
    signIn: 'Sign in',
    noData: 'no data',
    since: /since .*; WebSocket and REST are tried again and again/,
    path: '',
    meaning: 'No market data is arriving.',
  },
  {
    language: 'cs-CZ',
    token: 'Token operátora',
    signIn: 'Přihlásit',
    noData: 'bez dat',
    since: /od .*; WebSocket i REST se stále zkoušejí/,
    path: '/cs',
    meaning: 'Tržní data nepřicházejí.',
  },
];

for (const { language, token, signIn, noData, since, path, meaning } of outageWords) {
  test(
    `seconds into an outage the feed page and the status page say the same (${language})`,
    consoleTest,
    async (t) => {
      const stage = await ConsoleStage.start(t, { browser: { locale: language } });
      await stage.open('#/feed');
      await stage.page.getByLabel(token, { exact: true }).fill(stage.token);
      await stage.button(signIn).click();
      const { page, harness } = stage;
      const looked = async (what: string) => {
        for (const [viewport, colorScheme] of forms) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
          assert.ok(width <= viewport.width, `${what}, ${colorScheme}: ${width} px wide`);
          await stage.keepPicture(`outage-${what}-${language}-${colorScheme}-${viewport.width}`);
        }
      };
      await stage.page.locator('.tile').first().waitFor();
      await harness.simulator.faults.set({ fault: 'down' });
      const tile = page.locator('.tile', { hasText: since });
      await tile.getByText(noData, { exact: true }).waitFor();
      await page.getByRole('article', { name: 'kraken' }).getByText(noData, { exact: true }).waitFor();
      assert.equal((await harness.api.status()).status, 'degraded', 'long before it is an outage');
      await looked('feed');

      // The portal is another origin than the console.
      const portal = await openBrowser(t, { locale: language });
      await portal.page.goto(`${harness.service.baseUrl}${path}/status`);
      for (const [viewport, colorScheme] of forms) {
        await portal.page.setViewportSize(viewport);
        await portal.page.emulateMedia({ colorScheme });
        await portal.page.locator('#state .meaning').filter({ hasText: meaning }).waitFor();
        await keepPicture(portal.page, `outage-status-${language}-${colorScheme}-${viewport.width}`);
      }
    },
  );
}

test(
  'the feed page says which share of the prices is polled and how old the oldest is, and the market page how its price is served (fault row 92)',
  consoleTest,
  async (t) => {
    const refused = offered.slice(1).map((symbol) => symbol.replace('EUR', '/EUR'));
    const stage = await ConsoleStage.signedIn(t, '#/feed', {
      service: { before: ({ faults }) => faults.set({ fault: 'reject', symbol: refused }), untilLive: false },
    });
    const { page } = stage;
    const looked = async (what: string) => {
      for (const [viewport, colorScheme] of forms) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(width <= viewport.width, `${what}, ${colorScheme}: ${width} px wide`);
        await assertAccessible(page, `${what}, ${colorScheme}, ${viewport.width} px`);
        await stage.keepPicture(`${what}-${colorScheme}-${viewport.width}`);
      }
    };
    await stage.sees('3 over REST');
    await stage.sees('75 % over REST');
    await stage.sees('some over REST');
    await stage.sees('more than a tenth over REST, or from another source');
    await looked('feed-polled');
    await stage.goTo('#/markets/BTCEUR', 'BTCEUR');
    await stage.sees('over REST: the live subscription is refused or lost');
    await stage.sees('Price last proved');
    await looked('market-polled');
    await stage.goTo('#/', 'Overview');
    await stage.sees('3 of 4 priced markets are not served over their best path');
    await looked('overview-polled');
  },
);
