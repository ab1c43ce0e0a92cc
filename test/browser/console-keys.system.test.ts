import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible } from '../support/browser.ts';
import { ConsoleStage, consoleTest, eventually } from './console-stage.ts';

test(
  'an account and a key made in the console open the API, and the key’s text is shown once',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/accounts');
    const { page, harness } = stage;
    await stage.button('Create account').click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('new@example.com');
    await stage.inDialog('Create account').click();
    await stage.heading('new@example.com').waitFor();

    await stage.button('Create key').click();
    await page.getByRole('dialog').getByLabel('Label').fill('ticker wall');
    await page.getByRole('dialog').getByLabel('Requests a minute').fill('120');
    await stage.inDialog('Create key').click();
    await stage.sees('Copy it now: it is shown this once.');
    const [key = '', curl] = await page.getByRole('dialog').locator('code').allTextContents();
    assert.match(key, /^mdk_[0-9A-Za-z]{38}$/);
    assert.equal(curl, `curl -H 'X-EXCHANGE-APIKEY: ${key}' '${harness.service.baseUrl}/v1/tickers'`);
    const answer = await eventually('the key is known', async () => {
      const response = await harness.api.with(key).get('/v1/tickers');
      return response.status !== 401 && response;
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-ratelimit-limit'], '120');

    await page.keyboard.press('Escape');
    await stage.inDialog('I have stored it').click();
    await page.getByRole('link', { name: 'ticker wall' }).waitFor();
    assert.ok(!(await page.content()).includes(key), 'the text is gone from the page');
  },
);

describe('accounts and keys in the console', { concurrency: 3 }, () => {
  test('a taken e-mail address is refused at its field, and nothing is lost', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/accounts');
    stage.watched.expect(/status of 409/);
    await stage.button('Create account').click();
    const field = stage.page.getByRole('dialog').getByLabel('E-mail');
    await field.fill('client@example.com');
    await stage.inDialog('Create account').click();
    await stage.page.getByRole('dialog').getByRole('alert').waitFor();
    assert.equal(await field.inputValue(), 'client@example.com');
  });

  test('a key is found by its last four characters', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/accounts');
    const { page, harness } = stage;
    const lastFour = harness.api.key.slice(-4);
    await page.getByRole('searchbox', { name: 'Find an account or a key' }).fill(lastFour);
    const row = page
      .getByRole('region', { name: 'Keys' })
      .getByRole('row')
      .filter({ hasText: `…${lastFour}` });
    await row.getByRole('link', { name: 'client@example.com' }).waitFor();
    assert.equal(await page.getByText('No account matches.').count(), 0);
    await page.getByRole('searchbox', { name: 'Find an account or a key' }).fill('nobody');
    await stage.sees('No account matches.');
  });

  test('everything is found from every page by the keyboard', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/usage');
    const { page, harness } = stage;
    await stage.heading('Usage').waitFor();
    const results = page.getByRole('dialog').locator('.hits a');
    const find = async (keys: string, text: string, hit: RegExp) => {
      await page.keyboard.press(keys);
      await page.getByRole('dialog').getByRole('searchbox').fill(text);
      await results.filter({ hasText: hit }).first().waitFor();
    };
    await find('/', harness.api.key, /…\w{4}.*client@example\.com/);
    await assertAccessible(page, 'search');
    await stage.keepPicture('search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stage.heading(/^Key …/).waitFor();
    await find('Control+k', 'btc/czk', /BTCCZK/);
    await page.keyboard.press('Enter');
    await stage.heading('BTCCZK').waitFor();
    await find('/', 'client@', /account.*client@example\.com/);
    await page.getByRole('dialog').getByRole('searchbox').fill('nothing like it');
    await stage.sees('Nothing was found.');
    await page.keyboard.press('Escape');
    await stage.goTo('#/markets', 'Markets');
    await page.getByRole('searchbox', { name: 'Find' }).fill('ada');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stage.heading('ADACZK').waitFor();
  });

  test('a key is disabled, enabled, rotated and revoked, and the API follows each time', consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t);
    const { page, harness } = stage;
    const { keyId } = harness.credentials;
    const follows = (status: number) =>
      eventually(`the key gives ${status}`, async () => (await harness.api.get('/v1/time')).status === status);
    await stage.open(`#/keys/${keyId}`);
    await stage.signIn();
    await stage.button('Disable').click();
    await stage.inDialog('Disable key').click();
    await follows(401);
    await stage.button('Enable').click();
    await stage.inDialog('Enable key').click();
    await follows(200);

    await stage.button('Rotate').click();
    await stage.inDialog('Make the new key').click();
    await stage.sees('Copy it now: it is shown this once.');
    const [key = ''] = await page.getByRole('dialog').locator('code').allTextContents();
    await eventually('the new key is known', async () => (await harness.api.with(key).get('/v1/time')).status === 200);
    await stage.inDialog('I have stored it').click();
    await follows(200);

    await stage.goTo(`#/keys/${keyId}`, /Key …/);
    await stage.button('Revoke').click();
    await stage.inDialog('Revoke key').click();
    await follows(401);
    await stage.sees('revoked');
  });

  test('the use of a key in this minute is seen as it happens', consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t);
    await stage.open(`#/keys/${stage.harness.credentials.keyId}`);
    await stage.signIn();
    const meter = stage.page.getByLabel('Requests used this minute');
    await eventually('it is counted', async () => {
      await stage.harness.api.get('/v1/time');
      return Number(await meter.getAttribute('value')) > 0;
    });
  });
});
