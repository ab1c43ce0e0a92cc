import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped } from '../../web/console/format/decimal.ts';
import { assertAccessible, desktop, phone } from '../support/browser.ts';
import { ConsoleStage, consoleTest, eventually } from './console-stage.ts';

const settings = { 'history.url': 'sqlite:./history.sqlite' };
const gapMs = 300_000;

/** A client has an answer; after it the service was stopped for five minutes. */
async function afterAnAnswer(t: Parameters<typeof ConsoleStage.start>[0]) {
  const stage = await ConsoleStage.start(t, { service: { settings } });
  stage.watched.expect(/status of 404 .*\/api\/history\//);
  const { harness } = stage;
  // Not the key that waited for the first prices: its answers fill pages.
  const { key } = await harness.newKey('other@example.com');
  const response = await fetch(`${harness.service.baseUrl}/v1/ticker?symbol=BTCCZK`, {
    headers: { 'X-EXCHANGE-APIKEY': key, 'Accept-Encoding': 'identity', Connection: 'close' },
  });
  const [requestId, body] = [response.headers.get('x-request-id')!, await response.text()];
  const answeredMs = harness.clock.now();
  await harness.stopService();
  const stoppedMs = harness.clock.now();
  harness.clock.shift(gapMs);
  await harness.startService();
  await harness.untilLive();
  return { stage, key, requestId, body, answeredMs, stoppedMs };
}

test('a dispute is solved from a request id, an instant or a key', consoleTest, async (t) => {
  const { stage, key, requestId, body, answeredMs, stoppedMs } = await afterAnAnswer(t);
  const { page } = stage;
  const { buyPrice } = JSON.parse(body);
  await stage.open('#/record');
  await stage.signIn();
  await page.getByLabel('Request id').fill(requestId.toUpperCase());
  await stage.button('Search').click();
  assert.equal(await page.locator('.record-body pre').textContent(), body, 'the very body');
  assert.match((await page.locator('.copy-line code').textContent())!, /^[0-9a-f]{64}$/);
  await stage.button('Verify the whole record').click();
  await stage.sees('The record is whole.');
  const bought = page.getByRole('table', { name: 'A client buys' }).locator('tr.served .exact');
  assert.equal(await bought.textContent(), grouped(buyPrice), 'the steps end in the price of the answer');
  await inEveryForm(stage, 'answer');

  await stage.goTo(`#/record?by=instant&symbol=btc/czk&at=${answeredMs}`, 'Record');
  await page.getByRole('region', { name: 'Published around the instant' }).getByText('held then').waitFor();
  await inEveryForm(stage, 'instant');
  await stage.goTo(`#/record?by=instant&symbol=BTCCZK&at=${stoppedMs + gapMs / 2}`, 'Record');
  await stage.sees(/The instant lies in a gap of the record.*the service was stopped/);

  await page.getByRole('link', { name: 'Key', exact: true }).click();
  await page.getByLabel('Key', { exact: true }).fill(key);
  await stage.button('Search').click();
  await page.getByRole('link', { name: requestId }).waitFor();
  assert.ok(!page.url().includes(key), 'no key gets into an address');
  await inEveryForm(stage, 'key');
  await stage.goTo(`#/record?by=request&id=${'0'.repeat(32)}`, 'Record');
  await stage.sees('The record has no answer to a key with this id.');
});

test('a chart of the record has its gap, and tells the values under the pointer', consoleTest, async (t) => {
  const { stage } = await afterAnAnswer(t);
  const { page } = stage;
  await stage.open('#/markets/BTCCZK');
  await stage.signIn();
  const chart = page.getByRole('img', { name: /^Candles of BTCCZK, 1 minute each: Client buys above/ });
  const candles = async () => Number(await chart.getAttribute('data-candles'));
  await eventually('candles before and after the gap', async () => (await candles()) >= 2);
  assert.ok((await candles()) < 5, 'none in the gap');
  await stage.sees(/^from .* until .*: the service was stopped$/);
  const readOut = page.locator('.read-out');
  await readOut.getByText('Client buys').waitFor();
  const box = (await chart.boundingBox())!;
  await page.mouse.move(box.x + 20, box.y + 60);
  await readOut.getByText('no price, or no record').waitFor();
  await page.getByLabel('Price', { exact: true }).selectOption('sell');
  await page.mouse.move(0, 0);
  await readOut.getByText('Source bid').waitFor();
  await page.getByRole('button', { name: 'Week' }).click();
  await page.getByRole('img', { name: /1 hour each: Client sells above/ }).waitFor();
  await eventually(
    'a candle of the week',
    async () => Number(await page.locator('.chart-box').getAttribute('data-candles')) > 0,
  );
  await inEveryForm(stage, 'chart');
});

async function inEveryForm({ page }: ConsoleStage, where: string): Promise<void> {
  for (const [viewport, colorScheme] of [
    [phone, 'dark'],
    [desktop, 'light'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const form = `${where}, ${colorScheme}, ${viewport.width} px`;
    await assertAccessible(page, form);
    const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
    assert.ok(width <= viewport.width, `${form}: ${width} px wide`);
  }
}
