import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConsoleStage, consoleTest, eventually } from './console-stage.ts';

test(
  'a token opens the console, is kept nowhere in the page, and signing out closes it again',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.start(t);
    const { page } = stage;
    await stage.open();
    await stage.sees('mdapi admin token');
    await stage.signIn();
    await stage.heading('Overview').waitFor();
    await stage.sees('olga');

    const kept = (await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')) as string;
    assert.ok(!kept.includes(stage.token) && !(await page.content()).includes(stage.token));

    await page.reload();
    await stage.heading('Overview').waitFor();
    await stage.button('Sign out').click();
    await stage.heading('Operator console').waitFor();
    await page.reload();
    await stage.heading('Operator console').waitFor();
  },
);

describe('who may use the console', { concurrency: 3 }, () => {
  test('a wrong token is refused in the words of the service', consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t);
    const refused = await fetch(`${stage.harness.service.adminUrl}/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: 'mdo_of-nobody-at-all-and-quite-long' }),
    });
    const { detail } = (await refused.json()) as { detail: string };
    await stage.open();
    await stage.signIn('mdo_of-nobody-at-all-and-quite-long');
    const field = stage.tokenField;
    await eventually('the refusal', async () => (await field.getAttribute('aria-invalid')) === 'true');
    await stage.sees(detail);
    assert.equal(await field.inputValue(), '');
  });

  test('who is signed out by the end of the session comes back to the same page', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets/ETHCZK');
    await stage.heading('ETHCZK').waitFor();
    stage.watched.expect(/status of 401/);
    await stage.harness.withStore(({ tokens }) => tokens.revoke(stage.tokenId));
    await stage.sees('Your session has ended');
    // One that a page had on its way to the network when the session ended.
    const late = (await stage.page.evaluate(
      "import(new URL('api/client.js', document.baseURI)).then(({ get }) => get('markets'))",
    )) as { readonly ok: boolean };
    assert.equal(late.ok, false);
    await stage.sees('Your session has ended');

    await stage.makeToken('petra');
    await stage.signIn();
    await stage.heading('ETHCZK').waitFor();
    await stage.sees('petra');
  });

  test(
    'a stopped service is reported with the time of its last answer, and what is shown is marked as old',
    consoleTest,
    async (t) => {
      const stage = await ConsoleStage.signedIn(t, '#/markets');
      await stage.page.locator('tr[data-symbol=BTCEUR]').waitFor();
      stage.watched.expect(/ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE/);
      await stage.harness.stopService();
      const banner = stage.page.getByRole('alert').filter({ hasText: 'No answer from the service since' });
      await banner.waitFor();
      assert.match(
        (await banner.textContent()) ?? '',
        /since \d\d:\d\d:\d\d\. *Everything below is from then: [\d.]+\ss old/,
      );
      assert.equal(await stage.page.locator('.frame.lost').count(), 1);
      await stage.page.locator('tr[data-symbol=BTCEUR]').waitFor();
    },
  );

  test('a service that hangs is reported as one that does not answer', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets');
    await stage.page.locator('tr[data-symbol=BTCEUR]').waitFor();
    await stage.page.route('**/api/**', () => {});
    await stage.sees('No answer from the service since');
    await stage.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('when the service answers again, the banner goes and the figures are of now', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets');
    await stage.page.locator('tr[data-symbol=BTCEUR]').waitFor();
    stage.watched.expect(/ERR_INTERNET_DISCONNECTED/);
    await stage.page.context().setOffline(true);
    const banner = stage.page.getByText('No answer from the service since');
    await banner.waitFor();
    stage.harness.simulator.setPrice({ symbol: 'BTC/EUR', bid: '43210.0', ask: '43210.1' });
    await stage.page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    assert.equal(await stage.page.locator('.frame.lost').count(), 0);
    await stage.page.locator('tr[data-symbol=BTCEUR] .c-buy', { hasText: '43\u202f426.2' }).waitFor();
  });
});
