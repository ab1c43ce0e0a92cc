import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { EpochMs } from '../../src/ground/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';

const pages = ['/guides', '/guides/polling', '/docs', '/errors', '/errors/not-found'];

describe('the portal over HTTP', () => {
  const clock = new FakeClock('2026-11-21T10:00:00.123Z');
  let api: ListenerHarness;

  before(async () => {
    api = await ListenerHarness.start({ clock, limits: { key: 10, address: 3, failedAuthentication: 3 } });
  });
  after(() => api.stop());

  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    api.get(target, { key: null, method, headers });

  test('a page, its twin and an asset are answered conditionally, compressed, and to HEAD without a body', async () => {
    const asset = /src="(\/assets\/portal-\w+\.js)"/.exec((await get('/docs')).body.toString())![1]!;
    for (const target of [...pages, ...pages.map((page) => `${page}.md`), asset, '/llms.txt', '/favicon.svg']) {
      const whole = await get(target);
      assert.equal(whole.status, 200, target);
      const again = await get(target, { 'If-None-Match': whole.headers.etag! });
      assert.deepEqual([again.status, again.body.length], [304, 0], target);
      const head = await get(target, {}, 'HEAD');
      assert.deepEqual([head.status, head.body.length], [200, 0], target);
      assert.equal(head.headers['content-length'], String(whole.body.length), target);
      const coded = await get(target, { 'Accept-Encoding': 'gzip' });
      assert.deepEqual(gunzipSync(coded.body), whole.body, target);
      const { status, headers } = await get(target, {}, 'POST');
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], target);
    }
  });

  test('text beyond ASCII is UTF-8 on the wire', async () => {
    const { body, headers } = await get('/guides/prices.md');
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
    assert.ok(body.toString('utf8').includes('best ask \u00d7 (1 + fee)'));
    assert.equal(headers['content-length'], String(body.length));
  });

  test('no limit counts the portal, whoever asks and however often', async () => {
    for (let count = 0; count < 5; count++) {
      for (const target of ['/docs', '/status', '/status/summary.json', '/llms.txt', '/index.md']) {
        const { status, headers } = await api.get(target, { key: count % 2 === 0 ? null : 'mdk_wrong' });
        assert.deepEqual([status, headers['x-ratelimit-limit']], [200, undefined], target);
      }
    }
    assert.equal((await get('/')).headers['x-ratelimit-remaining'], '2');
  });

  test('an unknown page and an asset of another build are 404 like any unknown path', async () => {
    await clock.advance(60_000);
    for (const target of ['/guides/none', '/assets/portal-000000000000.js', '/docs.html']) {
      assert.equal((await get(target)).status, 404, target);
    }
  });

  test('the root is JSON for programs, HTML for browsers and Markdown for those who ask for it', async () => {
    const typeFor = async (accept: string) => {
      // The root counts on the address.
      await clock.advance(60_000);
      return (await get('/', { Accept: accept })).headers['content-type'];
    };
    assert.equal(await typeFor('*/*'), 'application/json');
    assert.equal(await typeFor('text/html,*/*;q=0.8'), 'text/html; charset=utf-8');
    assert.equal(await typeFor('text/html, application/xhtml+xml, */*'), 'text/html; charset=utf-8');
    assert.equal(await typeFor('text/html;q=0.5, */*'), 'application/json');
    assert.equal(await typeFor('text/html;q=0'), 'application/json');
    assert.equal(await typeFor('text/markdown, text/html;q=0.5'), 'text/markdown; charset=utf-8');
  });

  test('at the root JSON goes before pages that are as welcome', async () => {
    const typeFor = async (accept: string) => {
      // The root counts on the address.
      await clock.advance(60_000);
      return (await get('/', { Accept: accept })).headers['content-type'];
    };
    const json = 'application/json';
    assert.equal(await typeFor('application/json, text/html, text/plain, */*'), json);
    assert.equal(await typeFor('text/html, application/json'), json);
    assert.equal(await typeFor('text/markdown;q=0.9, application/json;q=0.9'), json);
    assert.equal(await typeFor('text/html, application/json;q=0.9'), 'text/html; charset=utf-8');
  });

  test('the summary is for any web page to read, never stored, and follows the feed and the windows', async () => {
    const summary = async () => {
      const response = await get('/status/summary.json');
      assert.equal(response.headers['content-type'], 'application/json');
      assert.equal(response.headers['access-control-allow-origin'], '*');
      assert.equal(response.headers['cache-control'], 'no-store');
      return json<{ status: { indicator: string }; scheduled_maintenances: { status: string }[] }>(response);
    };
    assert.equal((await summary()).status.indicator, 'major');
    api.list('BTC');
    api.tick('BTC', '50000.00', '50010.00');
    assert.equal((await summary()).status.indicator, 'none');
    const now = clock.now();
    const from = (now + 60_000) as EpochMs;
    const to = (now + 120_000) as EpochMs;
    api.service.setWindows([{ from, to, description: 'Upgrade \u2013 in two steps.' }]);
    assert.deepEqual(
      (await summary()).scheduled_maintenances.map(({ status }) => status),
      ['scheduled'],
    );
    await clock.advance(60_000);
    const running = await summary();
    assert.deepEqual(
      running.scheduled_maintenances.map(({ status }) => status),
      ['in_progress'],
    );
    assert.equal(running.status.indicator, 'maintenance');
    for (const target of [...pages, '/status', '/status.md', '/llms-full.txt']) {
      assert.equal((await get(target)).status, 200, target);
    }
    await clock.advance(60_000);
    assert.deepEqual((await summary()).scheduled_maintenances, []);
  });
});
