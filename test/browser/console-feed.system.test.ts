import assert from 'node:assert/strict';
import { test } from 'node:test';
import { krakenAt } from '../support/kraken-at.ts';
import { ConsoleStage, consoleTest, forms } from './console-stage.ts';

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

    await page.getByText('The configuration pauses it').waitFor();
    await page.locator('.tile', { hasText: 'Markets of bitvavo' }).getByText('paused', { exact: true }).waitFor();
    const table = page.getByRole('region', { name: 'Sources' });
    await table.getByRole('row').filter({ hasText: 'kraken' }).getByText('all right').waitFor();
    await table.getByRole('row').filter({ hasText: 'bitvavo' }).getByText('paused').waitFor();
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
    await stage.sees('Markets of');
    assert.equal(await stage.button('Reload sources').count(), count);
    await stage.button('Sign out').click();
    await stage.tokenField.waitFor();
  }
});
