import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { grouped } from '../../web/console/format/decimal.ts';
import { ConsoleStage, consoleTest, eventually } from './console-stage.ts';

describe('markets in the console', { concurrency: 3 }, () => {
  test('a price that moves is seen on the board, with the way it went', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets');
    const { simulator, api } = stage.harness;
    const price = stage.page.locator('tr[data-symbol=BTCEUR] .c-buy .price');
    const shows = async (bid: string, ask: string, buyPrice: string) => {
      simulator.setPrice({ symbol: 'BTC/EUR', bid, ask });
      await stage.harness.untilBuyPrice('BTCEUR', buyPrice);
      await price.filter({ hasText: grouped(buyPrice) }).waitFor();
    };
    await shows('50000.0', '50000.1', '50250.2');
    await shows('51000.0', '51000.1', '51255.2');
    assert.match((await price.textContent()) ?? '', /▲.*up/s);
    await shows('49000.0', '49000.1', '49245.2');
    assert.match((await price.textContent()) ?? '', /▼.*down/s);
    assert.equal((await api.ticker('BTCEUR')).buyPrice, '49245.2');
  });

  test('the board is filtered and sorted, and its address brings the same back', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets');
    const { page } = stage;
    const symbols = async () =>
      page.locator('tr[data-symbol]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-symbol')));
    await page.locator('tr[data-symbol=XRPEUR]').waitFor();
    await page.getByLabel('Quote').selectOption('CZK');
    await eventually('only CZK', async () => (await symbols()).every((symbol) => symbol?.endsWith('CZK')));
    await page.getByRole('columnheader', { name: 'Buy' }).getByRole('button').click();
    await eventually('the dearest first', async () => (await symbols())[0] === 'BTCCZK');
    assert.equal(await page.getByRole('columnheader', { name: 'Buy' }).getAttribute('aria-sort'), 'descending');
    await page.getByLabel('Find').pressSequentially('eth');
    await eventually('one row', async () => (await symbols()).join() === 'ETHCZK');
    await page.reload();
    await eventually('one row again', async () => (await symbols()).join() === 'ETHCZK');
    assert.equal(await page.getByLabel('Find').inputValue(), 'eth');
  });

  test('a market without a price says why, in words', consoleTest, async (t) => {
    const noAsk = { fault: 'bad-value', symbol: 'XRP/EUR', field: 'ask', value: 'null' } as const;
    const stage = await ConsoleStage.signedIn(t, '#/markets?price=none', {
      service: { untilLive: false, before: ({ faults }) => faults.set(noAsk) },
    });
    const row = stage.page.locator('tr[data-symbol=XRPEUR]');
    await row.filter({ hasText: 'No ticker from the exchange yet' }).waitFor();
    await row.getByRole('link').click();
    await stage.sees('No price: No ticker from the exchange yet.');
  });

  test('the chart of the last hour follows the price while one looks at it', consoleTest, async (t) => {
    const settings = { 'history.url': 'sqlite:./history.sqlite' };
    const stage = await ConsoleStage.signedIn(t, '#/markets/BTCEUR', { service: { settings } });
    const chart = stage.page.getByRole('img', { name: /^Candles of BTCEUR, 1 minute each/ });
    await eventually('the first candle', async () => Number(await chart.getAttribute('data-candles')) > 0);
    assert.ok((await chart.locator('canvas').count()) > 0);
    stage.harness.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    const source = stage.page.locator('.read-out p', { hasText: 'Source ask' });
    await source.filter({ hasText: `close ${grouped('50000.1')}` }).waitFor();
  });

  test('where nothing is recorded, the page of a market says so', consoleTest, async (t) => {
    const settings = { 'history.url': 'off' };
    const stage = await ConsoleStage.signedIn(t, '#/markets/BTCEUR', { service: { settings } });
    await stage.sees('There is no chart: this service records nothing.');
  });

  test('the derivation of a price ends in what the API serves', consoleTest, async (t) => {
    const stage = await ConsoleStage.start(t);
    stage.harness.simulator.setRate('24.500');
    stage.harness.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await stage.harness.untilBuyPrice('BTCCZK', '1243439');
    await stage.open('#/markets/BTCCZK');
    await stage.signIn();
    const steps = stage.page.getByRole('table', { name: 'A client buys' }).locator('tbody tr');
    await steps.nth(4).waitFor();
    const shown = await steps.evaluateAll((rows) => rows.map((row) => row.querySelector('.exact')?.textContent));
    const exact = ['50000.1', '50250.1005', '1231127.46225', '1243438.7368725', '1243439'];
    assert.deepEqual(
      shown,
      exact.map((value) => grouped(value)),
    );
  });

  test('a market is paused and resumed, and clients see it', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets/ADAEUR');
    const is = (status: string) =>
      eventually(
        `ADAEUR is ${status}`,
        async () => (await stage.harness.api.markets()).get('ADAEUR')?.status === status,
      );
    await stage.button('Pause').click();
    await stage.inDialog('Pause ADAEUR').click();
    await is('paused');
    await stage.sees('ADAEUR is paused.');
    await stage.button('Resume').click();
    await stage.inDialog('Resume ADAEUR').click();
    await is('trading');
    await stage.button('Pause').waitFor();
  });

  test('a price is held and released, and what the guard doubts is shown and accepted', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets/ADAEUR');
    const { simulator, api } = stage.harness;
    await stage.button('Hold price').click();
    await stage.inDialog('Hold ADAEUR').click();
    await stage.sees('ADAEUR is held by an operator');
    await stage.button('Release price').click();
    await stage.inDialog('Release ADAEUR').click();
    await stage.button('Hold price').waitFor();
    simulator.setPrice({ symbol: 'ADA/EUR', bid: '0.100000', ask: '1000.000000' });
    await stage.sees('kraken is doubted.');
    await stage.sees('0.100000 / 1 000.000000');
    await stage.button('Accept kraken').click();
    await stage.inDialog('Accept kraken').click();
    await eventually('it is served', async () => (await api.ticker('ADAEUR')).buyPrice === '1005.000000');
    // The dialog has a button of that name, too.
    await stage.page.getByRole('dialog').waitFor({ state: 'detached' });
    await stage.button('Accept kraken').waitFor({ state: 'detached' });
  });

  test('all prices are held and released from the board', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets');
    await stage.button('Hold all prices').click();
    await stage.inDialog('Hold all prices').click();
    await stage.button('Release all prices').click();
    await stage.inDialog('Release all prices').click();
    await stage.button('Hold all prices').waitFor();
  });

  test('delisting asks for the symbol, and is final', consoleTest, async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/markets/XRPEUR');
    const { page, harness } = stage;
    await stage.button('Delist').click();
    const button = stage.inDialog('Delist XRPEUR for good');
    assert.ok(await button.isDisabled());
    await page.getByLabel('Type XRPEUR to confirm').fill('XRPCZK');
    assert.ok(await button.isDisabled());
    assert.equal(await harness.api.outcome('/v1/ticker?symbol=XRPEUR'), '200');
    await page.getByLabel('Type XRPEUR to confirm').fill('xrpeur');
    await button.click();
    await eventually('it is gone', async () =>
      (await harness.api.outcome('/v1/ticker?symbol=XRPEUR')).endsWith('UNKNOWN_SYMBOL'),
    );
    await stage.sees('for good.');
    assert.equal(await stage.button('Delist').count(), 0);
  });
});
