import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { assertAccessible, openBrowser } from '../support/browser.ts';
import { Child } from '../support/mdapi-process.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';
import { consoleTest, eventually } from './console-stage.ts';

const example = fileURLToPath(new URL('../../examples/price-stream/server.mjs', import.meta.url));

test(
  'the example shows the prices of the API in a browser, and old ones as old while the service is away',
  consoleTest,
  async (t) => {
    const { page } = await openBrowser(t);
    const service = await ServiceHarness.start(t, {
      simulator: { updatesPerSecond: 20 },
      settings: { 'admin.port': '0' },
    });
    const token = generateToken('operator', systemRandomness);
    await service.withStore(({ tokens }) => tokens.insert({ role: 'prices', digest: tokenDigest(token), name: 'app' }));
    const file = join(service.directory, 'token');
    writeFileSync(file, `${token}\n`);
    const server = new Child(t, process.execPath, [example], {
      cwd: service.directory,
      env: { ADMIN_URL: service.service.adminUrl, PRICES_TOKEN_FILE: file, PORT: '0' },
    });
    await page.goto(await server.firstLine());
    await page.getByText('Live', { exact: true }).waitFor();
    assert.deepEqual(await page.locator('tbody th').allTextContents(), allSymbols);
    await assertAccessible(page);
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await page.getByRole('row').filter({ hasText: 'BTCEUR' }).getByText('50250.2').waitFor();
    const shown = async () => (await page.locator('tbody tr').allTextContents()).toSorted();
    await eventually('the page shows what the API answers', async () => {
      const tickers = await service.api.tickers();
      const expected = [...tickers.values()].map(({ symbol, buyPrice, sellPrice }) => symbol + buyPrice + sellPrice);
      return JSON.stringify(await shown()) === JSON.stringify(expected.toSorted());
    });
    await service.stopService();
    await page.getByText('Not current: connecting again …').waitFor();
    assert.equal((await shown()).length, allSymbols.length);
    assert.ok(!server.output.includes(token));
  },
);
