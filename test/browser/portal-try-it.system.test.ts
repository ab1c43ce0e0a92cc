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

  async function operation(
    t: Parameters<typeof openBrowser>[0],
    name: string,
    options?: Parameters<typeof openBrowser>[1],
  ) {
    const watched = await openBrowser(t, options);
    await watched.page.goto(`${service.service.baseUrl}/docs/${name}`);
    return watched;
  }

  function form({ page }: WatchedPage) {
    const frame = page.locator('form.try');
    return {
      frame,
      field: (name: string) => frame.getByLabel(name),
      async send(outcome: RegExp) {
        await frame.getByRole('button', { name: 'Send request' }).click();
        await frame.getByRole('status').filter({ hasText: outcome }).waitFor();
      },
      part: (name: string) => frame.getByRole('region', { name }).innerText(),
      sample: (language: string) => page.locator(`.panel[data-language="${language}"] code`).textContent(),
    };
  }

  test('with a good key each operation answers 200 with its headers and its body', browserTest, async (t) => {
    const watched = await openBrowser(t);
    for (const name of ['time', 'status', 'markets', 'ticker', 'tickers', 'openapi', 'root']) {
      await watched.page.goto(`${service.service.baseUrl}/docs/${name}`);
      const needsKey = !['openapi', 'root'].includes(name);
      if (needsKey) await watched.page.getByLabel('API key', { exact: true }).fill(service.credentials.key);
      const { send, part } = form(watched);
      await send(/^200 OK in \d+ ms$/);
      assert.match(await part('Headers'), /^x-request-id: [0-9a-f]{32}$/m, name);
      assert.match(await part('Body'), /^\{\n {2}"/, name);
      await assertAccessible(watched.page, name);
    }
  });

  test(
    'the samples are filled from the form, and the markets are offered once a key is there',
    browserTest,
    async (t) => {
      const watched = await operation(t, 'ticker');
      const { field, sample, send, part, frame } = form(watched);
      assert.match((await sample('sh'))!, /\?symbol=BTCEUR'$/);
      await watched.page.getByLabel('API key', { exact: true }).fill(service.credentials.key);
      await field('symbol').focus();
      await frame.getByText(/^\d+ markets to choose from\.$/).waitFor();
      const offered = await frame
        .locator('#symbols option')
        .evaluateAll((options) => options.map((each) => each.getAttribute('value')));
      assert.ok(offered.includes('ETHCZK'));
      await field('symbol').fill('ethczk');
      await field('If-None-Match').fill('"a\'b"');
      const address = `'${service.service.baseUrl}/v1/ticker?symbol=ethczk'`;
      assert.equal(
        await sample('sh'),
        `curl -i -H "X-EXCHANGE-APIKEY: $API_KEY" \\\n  -H 'If-None-Match: "a'\\''b"' \\\n  ${address}`,
      );
      assert.match((await sample('ts'))!, /ticker\('ethczk'\)/);
      assert.match((await sample('python'))!, /ticker\("ethczk"\)/);
      await send(/^200 OK/);
      assert.match(await part('Body'), /"symbol": "ETHCZK"/);
      await field('symbol').fill("a'&b");
      assert.match((await sample('sh'))!, /symbol=a%27%26b'$/);
      assert.match((await sample('ts'))!, /ticker\('a\\'&b'\)/);
      assert.match((await sample('python'))!, /ticker\("a'&b"\)/);
    },
  );

  test(
    'without a key the page asks for one and sends nothing; a wrong one is 401, a known entity tag 304',
    browserTest,
    async (t) => {
      const watched = await operation(t, 'markets');
      watched.expect(/status of 401/);
      const asked: string[] = [];
      watched.page.on('request', (request) => request.url().includes('/v1/') && asked.push(request.url()));
      const key = watched.page.getByLabel('API key', { exact: true });
      const markets = form(watched);
      await markets.send(/^Enter an API key first\.$/);
      assert.deepEqual(asked, []);
      assert.equal(await watched.page.evaluate('document.activeElement.id'), 'api-key');
      await key.fill('mdk_wrong');
      await markets.send(/^401 Unauthorized/);
      assert.match(await markets.part('Body'), /"code": "INVALID_API_KEY"/);
      await key.fill(service.credentials.key);
      await markets.send(/^200 OK/);
      const [, tag] = /^etag: (.+)$/m.exec(await markets.part('Headers'))!;
      await markets.field('If-None-Match').fill(tag!);
      await markets.send(/^304 Not Modified/);
    },
  );

  test(
    'the key is asked for once a tab, can be forgotten, and is in no attribute, no address, no history and nothing that outlives the tab',
    browserTest,
    async (t) => {
      const watched = await operation(t, 'tickers', { viewport: phone });
      const { page } = watched;
      const { key } = service.credentials;
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      await page.getByLabel('API key', { exact: true }).fill(key);
      await form(watched).send(/^200 OK/);
      assert.ok(!(await page.content()).includes(key));
      const stored = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, document.cookie, location.href, history.state])',
      );
      assert.ok(!stored.includes(key));
      assert.ok(addresses.length > 0 && !addresses.some((address) => address.includes(key)));
      await page.goto(`${service.service.baseUrl}/cs/docs/time`);
      await page.getByRole('button', { name: 'Odeslat požadavek' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /^200 OK/ })
        .waitFor();
      const { page: other } = await operation(t, 'time');
      assert.equal(await other.getByLabel('API key', { exact: true }).inputValue(), '', 'another tab has no key');
      await page.getByRole('button', { name: 'Zapomenout' }).click();
      assert.equal(await page.evaluate<number>('sessionStorage.length'), 0);
      await page.goBack();
      await form(watched).send(/^Enter an API key first\.$/);
      assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), '');
      assert.equal(await page.getByRole('button', { name: 'Forget' }).isVisible(), false);
    },
  );

  test('the key is shown only while that is asked for', browserTest, async (t) => {
    const { page } = await operation(t, 'ticker');
    const field = page.locator('#api-key');
    assert.equal(await field.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await field.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide' }).click();
    assert.equal(await field.getAttribute('type'), 'password');
  });
});
