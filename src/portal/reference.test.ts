import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from '../contract/errors.ts';
import { limitTable, pollingIntervals } from '../contract/limits.ts';
import { pageHtml } from './layout.ts';
import { operationRoute } from './operations.ts';
import { type Element, named, parsePage } from './parsed-page.testing.ts';
import { referencePages } from './reference.ts';
import { siteFor } from './site.testing.ts';

const site = siteFor('en');
const { document } = site;
const pages = new Map(referencePages(site).map((page) => [page.route, parsePage(pageHtml(site, page))]));

function tableText(route: string, label: string): string {
  const elements = pages.get(route)!;
  const at = elements.findIndex(({ attributes }) => attributes.get('aria-label') === label);
  const table = elements.slice(at).find(({ name }) => name === 'table');
  assert.ok(at !== -1 && table !== undefined, `${route} has no table "${label}"`);
  return table.text;
}

function mainOf(route: string): Element {
  return named(pages.get(route)!, 'main')[0]!;
}

test('every operation has a page with its purpose, its parameters, the headers of its answer and its own errors', () => {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const route = operationRoute(path);
    const { text } = mainOf(route);
    assert.ok(text.includes(`GET ${path}`) && text.includes(get.summary), path);
    for (const { name } of get.parameters)
      assert.ok(tableText(route, `Parameters of ${path}`).includes(name), `${path} ${name}`);
    const success = get.responses['200']!;
    assert.ok(!('$ref' in success));
    for (const name of Object.keys(success.headers)) assert.ok(text.includes(name), `${path} ${name}`);
  }
  for (const code of ['INVALID_PARAMETER', 'UNKNOWN_SYMBOL', 'MARKET_DATA_UNAVAILABLE', 'SERVICE_MAINTENANCE'])
    assert.ok(tableText('/docs/ticker', 'Errors of /v1/ticker').includes(code), code);
});

test('an error of every operation is told once, on the page of common errors, and no error is told nowhere', () => {
  const common = tableText('/docs/common', 'Errors common to all operations');
  for (const code of ['INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']) {
    assert.ok(common.includes(code), code);
    for (const path of Object.keys(document.paths)) {
      const errors = mainOf(operationRoute(path)).text;
      assert.ok(!errors.includes(`${code}4`) && !errors.includes(`${code}5`), `${path} ${code}`);
    }
  }
  const all = [...pages.keys()].map((route) => mainOf(route).text).join(' ');
  for (const code of errorCodes) assert.ok(all.includes(code), code);
});

test('every example body of every operation is shown whole', () => {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const shown = new Set(named(pages.get(operationRoute(path))!, 'pre').map(({ text }) => text));
    const success = get.responses['200']!;
    assert.ok(!('$ref' in success));
    const examples = Object.values(success.content!['application/json']!.examples);
    assert.ok(examples.length > 0, path);
    for (const { value, summary } of examples)
      assert.ok(shown.has(JSON.stringify(value, null, 2)), `${path} ${summary}`);
  }
});

test('every field of a body is shown under its whole name with its meaning, those of lists and objects within it too', () => {
  const tickers = tableText('/docs/tickers', 'Fields of GET /v1/tickers');
  for (const name of ['tickers', 'tickers[].symbol', 'tickers[].buyPrice', 'tickers[].timestampMs'])
    assert.ok(tickers.includes(name), name);
  const status = tableText('/docs/status', 'Fields of GET /v1/status');
  for (const name of ['components.ticker', 'maintenance.from', 'maintenance.description', 'lastUpdatedAtMs'])
    assert.ok(status.includes(name), name);
  assert.ok(status.includes('Values known today: operational, degraded, outage, maintenance.'));
  assert.ok(tableText('/docs/common', 'Fields of an error').includes('requestId'));
  for (const schema of [document.components.schemas.Ticker, document.components.schemas.Market] as const) {
    const route = schema === document.components.schemas.Ticker ? '/docs/tickers' : '/docs/markets';
    for (const [name, { description }] of Object.entries((schema as Described).properties)) {
      const { text } = mainOf(route);
      assert.ok(text.includes(`[].${name}`) && text.includes(description.replaceAll('`', '')), name);
    }
  }
});

interface Described {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

test('every limit and every recommended interval stands in a table', () => {
  const limits = tableText('/docs', 'Limits');
  for (const { name, requestsPerMinute, counting } of Object.values(limitTable)) {
    assert.ok(limits.includes(`${name}${requestsPerMinute}${counting}`), name);
  }
  const polling = tableText('/docs', 'Operations');
  for (const { path, reason } of pollingIntervals)
    assert.ok(polling.includes(`GET ${path}`) && polling.includes(reason), path);
  for (const words of ['every 5 seconds', 'every hour', 'every 60 seconds', 'once, when your client starts'])
    assert.ok(polling.includes(words), words);
});

test('the contents of every page list all pages of the reference, and every section of this one', () => {
  for (const [route, elements] of pages) {
    const [contents] = named(elements, 'nav').filter(({ attributes }) => attributes.get('class') === 'contents');
    const main = elements.slice(elements.findIndex(({ name }) => name === 'main'));
    for (const { text } of named(main, 'h2')) assert.ok(contents!.text.includes(text), `${route} ${text}`);
    for (const path of Object.keys(document.paths)) assert.ok(contents!.text.includes(`GET ${path}`), route);
  }
});
