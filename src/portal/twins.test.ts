import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, linksOf } from '../../test/repository/markdown.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import { noHistory } from '../board/status-history.ts';
import type { WrittenIncident } from '../board/written-incidents.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Resource } from '../http/resource.ts';
import { FeedStatus } from '../market/service-status.ts';
import { publicPages } from './pages.ts';
import { named, parsePage, readText } from './parsed-page.testing.ts';
import { markdownRoute } from './site.ts';

const clock = new FakeClock();
const addresses = { baseUrl: 'https://b\u00f6rse.example/market', errorsUrl: 'https://b\u00f6rse.example/e' };
const { root, pages } = publicPages({ ...addresses, document: openApiDocument(addresses), version: '1.0.0' });
const all = new Map<string, Resource>([['/', root], ...pages]);
const routes = [...all.keys()].filter((route) => !/\.[a-z]+$|.\/$/.test(route));

function twinOf(route: string): string {
  return markdownRoute({ language: 'en' }, route).replace(/^\/cs\.md$/, '/cs/index.md');
}

function window(fromMinutes: number, description: string) {
  const from = clock.now() + fromMinutes * 60_000;
  return { from: from as EpochMs, to: (from + 120_000) as EpochMs, description };
}

const outage = { id: 'inc_2', component: 'api', state: 'outage' } as const;

/** An incident with what Markdown takes for markup. */
function incident(id: string, to: EpochMs | undefined): WrittenIncident {
  const at = (clock.now() - 60_000) as EpochMs;
  const text = '# 1. *Look* at\n- this.\n\n[Here] (javascript:x) | `code` <b>';
  const state = to === undefined ? 'monitoring' : 'resolved';
  return {
    id,
    state,
    title: 'Prices of *some* <markets>',
    titleCs: undefined,
    parts: ['api', 'market-data'],
    from: at,
    to,
    updates: [
      { number: 2, state, at, text: 'Over.', textCs: 'Je po všem.' },
      { number: 1, state: 'investigating', at, text, textCs: undefined },
    ],
    review: to && text,
    reviewCs: undefined,
    reviewedAt: to,
    updatedAt: at,
  };
}

function answer(route: string, accept?: string) {
  const service = new ServiceBoard(new FeedStatus(), clock);
  service.written = [incident('inc_1', undefined), incident('inc_2', (clock.now() - 1_000) as EpochMs)];
  service.history = {
    ...noHistory,
    incidents: [{ ...outage, from: (clock.now() - 60_000) as EpochMs, to: clock.now() }],
  };
  service.setWindows([window(-1, 'Upgrade of *the* <b>database</b>, see [x].'), window(60, '1. A | B')]);
  const given = all
    .get(route)!
    .answer({ now: clock.now(), query: '', headers: { accept } }, { board: {} as Board, service });
  assert.ok(given.kind === 'text' || given.kind === 'page');
  const bytes = given.kind === 'text' ? Buffer.from(given.text) : given.page.as('identity').body;
  const text = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes.toString('utf8');
  return { text, contentType: given.contentType, vary: given.kind === 'page' ? given.vary : undefined };
}

test('every page has a twin in Markdown, named in its head, and gives it to whoever asks for Markdown', () => {
  assert.ok(routes.length > 25);
  for (const route of routes) {
    const page = answer(route, 'text/html');
    const alternate = named(parsePage(page.text), 'link').find(
      ({ attributes }) => attributes.get('rel') === 'alternate',
    );
    assert.equal(alternate?.attributes.get('href'), `/market${twinOf(route)}`);
    assert.equal(alternate?.attributes.get('type'), 'text/markdown');
    const twin = answer(twinOf(route));
    assert.equal(twin.contentType, 'text/markdown; charset=utf-8');
    assert.match(twin.text, /^# \S/);
    const asked = answer(route, 'text/markdown, text/html;q=0.9');
    assert.deepEqual([asked.text, asked.contentType], [twin.text, twin.contentType], route);
    assert.equal(answer(route, 'text/html, text/markdown;q=0.9').contentType, 'text/html; charset=utf-8');
    if (page.vary !== undefined)
      assert.equal(page.vary, 'Accept, Accept-Encoding, Accept-Language, Sec-Fetch-Site', route);
  }
});

test('a twin says what its page says, word by word and block by block', () => {
  for (const route of routes) {
    const page = answer(route, 'text/html').text;
    const twin = answer(twinOf(route)).text;
    assert.equal(wordsOf(withoutMarkup(twin)), wordsOf(readText(page, 'main')), route);
    const blocks = blocksOf(twin).map(({ text }) => text.trimEnd());
    assert.deepEqual(
      blocks,
      named(parsePage(page), 'pre').map(({ text }) => text.trimEnd()),
      route,
    );
  }
});

/** The words of a Markdown text that a reader sees: no targets of links, languages of code or numbers of lists. */
function withoutMarkup(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)\s]*\)/g, ']')
    .replaceAll(/^ *```\w+$/gm, '')
    .replaceAll(/^\d+\. /gm, '');
}

/** Letters and digits alone, in their order: what is left when markup and spaces are gone. */
function wordsOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

test('every link of every twin and of llms.txt leads to something that is served here', () => {
  const texts = [...routes.map(twinOf), '/llms.txt'].map((route) => [route, answer(route).text] as const);
  let checked = 0;
  for (const [route, text] of texts) {
    for (const link of linksOf(text)) {
      if (link.startsWith('#')) continue;
      assert.ok(link.startsWith(`${addresses.baseUrl}/`), `${route} links to ${link}`);
      const path = link.slice(addresses.baseUrl.length).split('#')[0]!;
      assert.ok(path === '/openapi/v1.json' || all.has(path), `${route} links to ${link}`);
      checked++;
    }
  }
  assert.ok(checked > 200, `only ${checked} were found`);
});

test('llms.txt names every guide and every error, and llms-full.txt has all of their texts', () => {
  const index = answer('/llms.txt').text;
  const full = answer('/llms-full.txt').text;
  assert.match(index, /^# Market Data API\n\n> /);
  for (const route of routes.filter((each) => /^\/(guides|errors|docs)\/|^\/docs$/.test(each))) {
    assert.ok(index.includes(`(${addresses.baseUrl}${twinOf(route)})`), route);
    assert.ok(full.includes(answer(twinOf(route)).text.trim()), route);
  }
});

test('the map of the site lists every page once', () => {
  const { text, contentType } = answer('/sitemap.xml');
  assert.equal(contentType, 'application/xml');
  const listed = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url!.replaceAll('&#246;', '\u00f6'));
  assert.deepEqual(new Set(listed), new Set(routes.map((route) => addresses.baseUrl + route)));
  assert.equal(listed.length, routes.length);
});
