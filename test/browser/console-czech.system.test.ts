import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desktop, phone } from '../support/browser.ts';
import { ConsoleStage, consoleTest, eventually } from './console-stage.ts';

/** Every page with its heading. */
function pagesOf({ harness }: ConsoleStage): readonly (readonly [string, string | RegExp])[] {
  const { accountId, keyId } = harness.credentials;
  return [
    ['#/', 'Přehled'],
    ['#/markets', 'Trhy'],
    ['#/markets/BTCCZK', 'BTCCZK'],
    ['#/feed', 'Příjem dat a kurzy'],
    ['#/record', 'Záznam'],
    ['#/accounts', 'Účty a klíče'],
    [`#/accounts/${accountId}`, 'client@example.com'],
    [`#/keys/${keyId}`, /^Klíč …/],
    ['#/usage', 'Využití'],
    ['#/maintenance', 'Údržba'],
    ['#/incidents', 'Incidenty'],
    ['#/notices', 'Upozornění'],
    ['#/audit', 'Protokol změn'],
    ['#/tokens', 'Tokeny operátorů'],
    ['#/terms', 'Podmínky'],
  ];
}

const english =
  /\b(the|of|is|and|not|yet|with|none|never|since|last|has|markets?|ago|held|waiting|nothing|older|than|live)\b/i;

/** Reads what a person reads in the page: no code, and no words of clients. */
const readPage = `[...document.querySelectorAll('main, .top, .strip')].map((part) => {
  const copy = part.cloneNode(true);
  for (const other of copy.querySelectorAll('code, pre, [lang], .brand, a[target]')) other.remove();
  return copy.innerText;
}).join('\\n')`;

test(
  'a Czech browser gets every page in Czech, and takes decimals with a comma; a choice of English stays',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.start(t, { browser: { locale: 'cs-CZ' } });
    const { page, harness } = stage;
    await stage.open();
    await stage.heading('Konzole operátora').waitFor();
    await page.getByLabel('Token operátora').fill(stage.token);
    await stage.button('Přihlásit').click();
    for (const [hash, heading] of pagesOf(stage)) {
      await stage.goTo(hash, heading);
      await eventually('the data', async () => (await page.locator('main .loading').count()) === 0);
      const text = (await page.evaluate(readPage)) as string;
      assert.doesNotMatch(text, english, `${hash}: ${text}`);
      assert.doesNotMatch(text, /\d\.\d+ %/, `${hash}: ${text}`);
      for (const viewport of [phone, desktop]) {
        await page.setViewportSize(viewport);
        const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
        assert.ok(width <= viewport.width, `${hash}: ${width} px wide`);
        await stage.keepPicture(`cs ${hash.replaceAll(/\W/g, '')} ${viewport.width}`);
      }
    }

    await stage.button('Nastavit podmínku').click();
    const fee = page.getByLabel('Poplatek v procentech');
    await fee.fill('0,4 %');
    await stage.sees('„0,4 %“ není desetinné číslo.');
    await fee.fill('0,4');
    const set = stage.button('Nastavit');
    await page
      .getByRole('region', { name: 'Ceny před a po' })
      .getByText(/trhů od/)
      .waitFor();
    await stage.keepPicture('cs terms form');
    await set.click();
    await page.getByRole('region', { name: 'Ohlášené podmínky' }).getByText('0,4\u00a0%').waitFor();
    assert.equal((await harness.withStore(({ terms }) => terms.list()))[0]?.feePercent, '0.4');

    await page.getByRole('button', { name: 'English' }).click();
    await stage.heading('Terms').waitFor();
    await page.reload();
    await stage.heading('Terms').waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'en');
  },
);
