import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { dayOf, noHistory, type StatusHistory } from '../../src/board/status-history.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { exportedStatus } from '../../src/portal/status-export.ts';
import { assertAccessible, browserTest, openBrowser, phone } from '../support/browser.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { forms, keepPicture } from './console-stage.ts';

const hourMs = 3_600_000;

describe('the status page in a browser', () => {
  test(
    'shows a window that is announced while it is open, in the reader’s own time, and its end',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { timeZone: 'Asia/Tokyo' });
      const service = await ServiceHarness.start(t);
      await page.goto(`${service.service.baseUrl}/status`);
      await page.getByText('No maintenance is announced.').waitFor();
      const day = Date.UTC(2030, 0, 15, 20);
      const announced = await service.withStore(({ windows }) =>
        windows.announce({
          from: day as EpochMs,
          to: (day + hourMs) as EpochMs,
          description: 'Upgrade <b>of</b> the database.',
        }),
      );
      await page.getByText('Upgrade <b>of</b> the database.').waitFor();
      const text = await page.locator('#windows').innerText();
      assert.match(text, /Announced/);
      assert.match(text, /16 Jan 2030, 05:00:00 (GMT\+9|JST) to 16 Jan 2030, 06:00:00/);
      const [from] = await page.locator('#windows time').all();
      assert.equal(await from!.getAttribute('datetime'), '2030-01-15T20:00:00.000Z');
      await assertAccessible(page);
      await service.withStore(({ windows }) => windows.cancel(announced.id));
      await page.getByText('No maintenance is announced.').waitFor();
    },
  );

  test(
    'shows its history in the zone of the reader, with its name, and what its colours mean',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { timeZone: 'Asia/Tokyo' });
      const api = await ListenerHarness.start({ clock: systemClock });
      t.after(() => api.stop());
      const from = Date.UTC(2030, 0, 15, 20) as EpochMs;
      const to = (from + hourMs) as EpochMs;
      const states = { operational: 20 * hourMs, degraded: 0, maintenance: hourMs, outage: hourMs };
      api.service.history = {
        days: [{ component: 'market-data', day: dayOf(systemClock.now()), states }],
        incidents: [{ id: 'inc_1', component: 'market-data', state: 'outage', from, to }],
        windows: [],
      };
      for (const path of ['/status', '/cs/status'])
        for (const [viewport, colorScheme] of forms) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          await page.goto(`http://127.0.0.1:${api.port}${path}`);
          const zone = /16.*2030.*5:00:00.*(GMT\+9|JST|UTC\+9).*6:00:00/;
          await page
            .locator('#past li time', { hasText: /GMT\+9|JST|UTC\+9/ })
            .first()
            .waitFor();
          assert.match(await page.locator('#past li').first().innerText(), zone);
          await keepPicture(page, `history ${path.slice(1, 3)} ${viewport.width} ${colorScheme}`);
          await assertAccessible(page);
        }
    },
  );

  test(
    'shows an incident that is opened while it is open, each update soon after it is written, and its review',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { timeZone: 'Asia/Tokyo' });
      const service = await ServiceHarness.start(t);
      const { withStore } = { withStore: service.withStore.bind(service) };
      await page.goto(`${service.service.baseUrl}/status`);
      await page.getByText('Updated every 5 seconds').waitFor();
      const { id } = await withStore(({ incidents }) =>
        incidents.open({
          title: 'Prices of some markets are late',
          titleCs: 'Ceny některých trhů se opožďují',
          text: 'The exchange has lost its feed of some markets: https://exchange.example/status.\n\nWe read them over REST meanwhile.',
          textCs: 'Burza ztratila část svých dat. Zatím je čteme přes REST.',
          parts: ['market-data'],
        }),
      );
      await page.getByRole('heading', { name: 'Open incidents' }).waitFor();
      await page.locator('#state .meaning', { hasText: 'An incident is open: see below.' }).waitFor();
      await page.getByRole('link', { name: 'https://exchange.example/status', exact: true }).waitFor();
      assert.match(await page.locator('#open time').first().innerText(), /GMT\+9|JST|UTC\+9/);
      await withStore(({ incidents }) =>
        incidents.update(id, { state: 'monitoring', text: 'The exchange says that it is mended.' }),
      );
      await page.locator('#open .word', { hasText: 'Monitoring' }).waitFor();
      await inEveryForm(page, service.service.baseUrl, 'incident open');
      await page.goto(`${service.service.baseUrl}/status`);
      await withStore(({ incidents }) =>
        incidents.close(id, { text: 'All markets are live.', review: 'A certificate of theirs had run out.' }),
      );
      await page.locator('#past').getByText('A certificate of theirs had run out.').waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Open incidents' }).count(), 0);
      await page.locator('#past summary', { hasText: 'Updates: 3' }).click();
      await page.locator('#past').getByText('We read them over REST meanwhile.').waitFor();
      await inEveryForm(page, service.service.baseUrl, 'incident over');
    },
  );

  test('shows all windows, the running one as such, and maintenance as the state', browserTest, async (t) => {
    const watched = await openBrowser(t, { colorScheme: 'dark' });
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    const now = systemClock.now();
    const window = (fromMs: number, toMs: number, description: string) => ({
      from: (now + fromMs) as EpochMs,
      to: (now + toMs) as EpochMs,
      description,
    });
    api.tick('BTC', '50000.00', '50010.00');
    api.service.setWindows([
      window(48 * hourMs, 49 * hourMs, 'Third.'),
      window(-hourMs, hourMs, 'First.'),
      window(24 * hourMs, 25 * hourMs, 'Second.'),
    ]);
    await watched.page.goto(`http://127.0.0.1:${api.port}/status`);
    await watched.page.getByText('Updated every 5 seconds').waitFor();
    assert.deepEqual(await watched.page.locator('.window .about').allInnerTexts(), ['First.', 'Second.', 'Third.']);
    assert.deepEqual(await watched.page.locator('.window .word').allInnerTexts(), [
      'Running',
      'Announced',
      'Announced',
    ]);
    assert.equal(await watched.page.locator('#state .word').innerText(), 'Maintenance');
    await assertAccessible(watched.page);
    await watched.close();
  });

  test(
    'says that it cannot reach the service, since when, and that what it shows is old; and recovers by itself',
    browserTest,
    async (t) => {
      const watched = await openBrowser(t);
      const { page } = watched;
      watched.expect(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
      const port = await fixedPort();
      const first = await ListenerHarness.start({ clock: systemClock, port });
      t.after(() => first.stop());
      first.tick('BTC', '50000.00', '50010.00');
      await page.goto(`http://127.0.0.1:${port}/status`);
      await page.getByText('Updated every 5 seconds').waitFor();
      assert.equal(await page.locator('#state .word').innerText(), 'Operational');
      await first.stop();
      const alert = page.getByRole('alert').filter({ hasText: /has not reached the service since \d\d:\d\d:\d\d/ });
      await alert.waitFor({ timeout: 20_000 });
      assert.match(await alert.innerText(), /What it shows is from \d\d:\d\d:\d\d and may have changed/);
      assert.equal(await page.locator('#state .word').innerText(), 'Unknown');
      await assertAccessible(page);
      const again = await ListenerHarness.start({ clock: systemClock, port });
      t.after(() => again.stop());
      await alert.waitFor({ state: 'hidden', timeout: 20_000 });
      await page.locator('#state .word').filter({ hasText: 'Outage' }).waitFor();
      assert.match(await page.locator('#age').innerText(), /No data has arrived yet/);
      await watched.close();
    },
  );

  test('never shows an answer as fresh once it is old, as after a sleep of the machine', browserTest, async (t) => {
    const { page, expect, close } = await openBrowser(t);
    expect(/ERR_/);
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    api.tick('BTC', '50000.00', '50010.00');
    await page.clock.install();
    await page.goto(`http://127.0.0.1:${api.port}/status`);
    await page.getByText('Updated every 5 seconds').waitFor();
    await page.route('**/status/summary.json', () => {});
    await page.clock.fastForward(3_600_000);
    await page.locator('#state .word').filter({ hasText: 'Unknown' }).waitFor();
    assert.match(await page.locator('#age').innerText(), /^1 hour/);
    await close();
  });

  test('the start page tells the state too, and when it cannot', browserTest, async (t) => {
    const watched = await openBrowser(t);
    watched.expect(/ERR_/);
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    api.tick('BTC', '50000.00', '50010.00');
    await watched.page.goto(`http://127.0.0.1:${api.port}/`);
    await watched.page
      .locator('#live-state')
      .filter({ hasText: /Operational Market data is .+ old\. No maintenance/ })
      .waitFor();
    await api.stop();
    await watched.page
      .locator('#live-state')
      .filter({ hasText: /Unreachable This page has had no answer/ })
      .waitFor({ timeout: 20_000 });
    await watched.close();
  });

  test(
    'shows ninety days of each component, incidents as they come, and past maintenance, in Czech too',
    browserTest,
    async (t) => {
      const { page } = await openBrowser(t, { viewport: phone });
      const api = await ListenerHarness.start({ clock: systemClock });
      t.after(() => api.stop());
      const now = systemClock.now();
      const day = dayOf(now);
      const states = { operational: 3_600_000, degraded: 0, maintenance: 0, outage: 600_000 };
      const from = (now - 3 * hourMs) as EpochMs;
      const incident = { id: 'inc_1', component: 'market-data', state: 'outage', from } as const;
      const history: StatusHistory = {
        days: [{ component: 'market-data', day, states }],
        incidents: [],
        windows: [{ id: 'win_1', from, to: (from + 60_000) as EpochMs, description: 'Upgrade.', createdAt: from }],
      };
      api.service.history = history;
      await page.clock.install();
      await page.goto(`http://127.0.0.1:${api.port}/status`);
      await page.getByRole('img', { name: /^Market data: 85\.71% operational, outage 10 minutes/ }).waitFor();
      assert.equal(await page.locator('.days span').count(), 180);
      api.service.history = { ...history, incidents: [{ ...incident, to: (from + 600_000) as EpochMs }] };
      await page.clock.fastForward(60_000);
      await page.getByText('No market data arrived').waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('link', { name: 'Čeština' }).click();
      await page.getByText('Tržní data nepřicházela').waitFor();
      await page.getByText('Zatím nepřišla žádná data.').waitFor();
      await assertAccessible(page);
    },
  );

  test('says that no data arrives from its first seconds, and how old it is', browserTest, async (t) => {
    const { page } = await openBrowser(t);
    const api = await ListenerHarness.start({ clock: systemClock });
    t.after(() => api.stop());
    const fed = (agoMs: number) =>
      api.feed.feedCurrent('fallback', (systemClock.now() - agoMs) as EpochMs, systemClock.monotonicMs() - agoMs);
    fed(0);
    await page.goto(`http://127.0.0.1:${api.port}/status`);
    const meaning = page.locator('#state .meaning');
    await meaning.filter({ hasText: 'works worse than usual: see the age of the data' }).waitFor();
    fed(7_000);
    await meaning.filter({ hasText: 'No market data is arriving.' }).waitFor();
    await page
      .locator('#age')
      .filter({ hasText: /^\d+ seconds, last update at/ })
      .waitFor();
    await assertAccessible(page);
  });

  test(
    'exported to another host, it shows the state of the service and each new copy, and says at once when it is gone',
    browserTest,
    async (t) => {
      const watched = await openBrowser(t);
      const { page } = watched;
      watched.expect(/request to another origin|ERR_/);
      const api = await ListenerHarness.start({ clock: systemClock });
      t.after(() => api.stop());
      api.tick('BTC', '50000.00', '50010.00');
      const baseUrl = `http://127.0.0.1:${api.port}`;
      const urls = { baseUrl, errorsUrl: `${baseUrl}/errors` };
      const offer = { ...urls, document: openApiDocument(urls), version: '1.0.0' };
      const now = systemClock.now();
      const files = new Map(exportedStatus(offer, { now, history: noHistory, written: [], windows: [] }));
      const host = await serve(t, files);
      await page.clock.install();
      await page.goto(`${host}/`);
      await page.locator('#state .word').filter({ hasText: 'Operational' }).waitFor();
      await assertAccessible(page);
      const incident = { id: 'inc_1', component: 'market-data', state: 'outage', from: now, to: undefined } as const;
      const later = exportedStatus(offer, {
        now,
        history: { ...noHistory, incidents: [incident] },
        written: [],
        windows: [],
      });
      files.set('index.html', later.get('index.html')!);
      await page.clock.fastForward(60_000);
      await page.getByText('No market data arrived').waitFor();
      await page.getByRole('link', { name: 'Čeština' }).click();
      await page.locator('#state .word').filter({ hasText: 'V provozu' }).waitFor();
      await api.stop();
      await page.locator('#state .word').filter({ hasText: 'Neznámý' }).waitFor({ timeout: 10_000 });
      await page.getByRole('alert').filter({ hasText: 'nemůže spojit se službou' }).waitFor();
    },
  );
});

async function inEveryForm(page: Page, baseUrl: string, name: string): Promise<void> {
  for (const path of ['/status', '/cs/status'])
    for (const [viewport, colorScheme] of forms) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(`${baseUrl}${path}`);
      await page.locator('.incident').first().waitFor();
      await keepPicture(page, `${name} ${path.slice(1, 3)} ${viewport.width} ${colorScheme}`);
      await assertAccessible(page);
      const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      assert.ok(width <= viewport.width, `${name}: ${width} px wide`);
    }
}

/** A plain host of files. Resolves with its address. */
async function serve(t: Pick<TestContext, 'after'>, files: ReadonlyMap<string, string>): Promise<string> {
  const types: Readonly<Record<string, string>> = {
    html: 'text/html',
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
  };
  const server = createServer(({ url = '' }, response) => {
    const path = url.slice(1).replace(/(^|\/)$/, '$1index.html');
    const text = files.get(path);
    const type = types[path.split('.').at(-1)!] ?? 'text/plain';
    response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': type }).end(text, 'latin1');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
