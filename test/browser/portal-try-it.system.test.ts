import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, browserTest, openBrowser, phone, type WatchedPage } from '../support/browser.ts';
import { ServiceHarness } from '../support/service-harness.ts';

describe('trying requests from the reference', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;

  before(async () => {
    service = await ServiceHarness.start({ after: (clean) => cleanups.push(clean as () => unknown) });
  });
  after(async () => {
    for (const clean of cleanups) await clean();
  });

  async function reference(t: Parameters<typeof openBrowser>[0], options?: Parameters<typeof openBrowser>[1]) {
    const watched = await openBrowser(t, options);
    await watched.page.goto(`${service.service.baseUrl}/docs`);
    return watched;
  }

  function form({ page }: WatchedPage, operation: string) {
    const frame = page.locator(`form.try[data-operation="${operation}"]`);
    return {
      frame,
      field: (name: string) => frame.getByLabel(name),
      async send(outcome: RegExp) {
        await frame.getByRole('button', { name: 'Send request' }).click();
        await frame.getByRole('status').filter({ hasText: outcome }).waitFor();
      },
      part: (name: string) => frame.getByRole('region', { name }).innerText(),
    };
  }

  test(
    'with a good key each operation answers 200 with its headers, its body and the same in curl',
    browserTest,
    async (t) => {
      const watched = await reference(t);
      await watched.page.getByLabel('API key for trying requests').fill(service.credentials.key);
      for (const operation of [
        'getServerTime',
        'getServiceStatus',
        'listMarkets',
        'getTicker',
        'listTickers',
        'getOpenApi',
        'getRoot',
      ]) {
        const { send, part } = form(watched, operation);
        await send(/^200 OK in \d+ ms$/);
        assert.match(await part('Headers'), /^x-request-id: [0-9a-f]{32}$/m, operation);
        assert.match(await part('Body'), /^\{\n {2}"/, operation);
      }
      const ticker = form(watched, 'getTicker');
      assert.equal(
        await ticker.part('The same with curl'),
        `curl -i \\\n  -H "X-EXCHANGE-APIKEY: $API_KEY" \\\n  '${service.service.baseUrl}/v1/ticker?symbol=BTCEUR'`,
      );
      await ticker.field('symbol').fill('ethczk');
      await ticker.send(/^200 OK/);
      assert.match(await ticker.part('Body'), /"symbol": "ETHCZK"/);
      await assertAccessible(watched.page);
    },
  );

  test(
    'with an entity tag it answers 304, with an unknown symbol 404, without a key and with a wrong one 401',
    browserTest,
    async (t) => {
      const watched = await reference(t);
      watched.expect(/status of 40[014]/);
      const key = watched.page.getByLabel('API key for trying requests');
      const markets = form(watched, 'listMarkets');
      await markets.send(/^401 Unauthorized/);
      assert.match(await markets.part('Body'), /"code": "MISSING_API_KEY"/);
      await key.fill('mdk_wrong');
      await markets.send(/^401 Unauthorized/);
      assert.match(await markets.part('Body'), /"code": "INVALID_API_KEY"/);
      await key.fill(service.credentials.key);
      await markets.send(/^200 OK/);
      const [, tag] = /^etag: (.+)$/m.exec(await markets.part('Headers'))!;
      await markets.field('If-None-Match').fill(tag!);
      await markets.send(/^304 Not Modified/);
      const ticker = form(watched, 'getTicker');
      await ticker.field('symbol').fill("NO'SUCH");
      await ticker.send(/^4\d\d /);
      assert.match(await ticker.part('The same with curl'), /symbol=NO%27SUCH'$/);
    },
  );

  test(
    'the key is in no attribute, no storage, no address and no history, and gone when the page is left',
    browserTest,
    async (t) => {
      const watched = await reference(t, { viewport: phone });
      const { page } = watched;
      const { key } = service.credentials;
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      await page.getByLabel('API key for trying requests').fill(key);
      await form(watched, 'listTickers').send(/^200 OK/);
      assert.ok(!(await page.content()).includes(key));
      const stored = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
      );
      assert.ok(!stored.includes(key));
      assert.ok(addresses.length > 0 && !addresses.some((address) => address.includes(key)));
      await page.goto(`${service.service.baseUrl}/guides`);
      await page.goBack();
      assert.equal(await page.getByLabel('API key for trying requests').inputValue(), '');
    },
  );

  test('the key is shown only while that is asked for', browserTest, async (t) => {
    const { page } = await reference(t);
    const field = page.locator('#api-key');
    assert.equal(await field.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await field.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide' }).click();
    assert.equal(await field.getAttribute('type'), 'password');
  });
});
