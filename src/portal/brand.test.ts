import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Board } from '../board/board.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { ReadModel } from '../http/resource.ts';
import { publicPages } from './pages.ts';
import { named, parsePage } from './parsed-page.testing.ts';

const addresses = { baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' };
const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';
const { pages } = publicPages({
  ...addresses,
  document: openApiDocument(addresses),
  version: '1.0.0',
  brand: {
    name: 'B\u00f6rse <b>Example</b>',
    contact: 'mailto:help@example.com',
    terms: 'https://example.com/terms?a=1&b=2',
    logo: { kind: 'svg', bytes: Buffer.from(svg) },
    colours: { light: '#7a1f5c', dark: '#ffb3de' },
  },
});

function answer(route: string) {
  const sources: ReadModel = { board: {} as Board, service: {} as ReadModel['service'] };
  const given = pages.get(route)!.answer({ now: 0 as EpochMs, query: '', headers: {} }, sources);
  assert.ok(given.kind === 'page');
  const body = given.page.as('identity').body;
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  return { ...given, text: bytes.toString('utf8') };
}

test('every page has the name, the logo, the contact and the terms of the operator, in each language', () => {
  for (const [route, contact] of [
    ['/docs', 'Contact'],
    ['/cs/docs', 'Kontakt'],
  ] as const) {
    const elements = parsePage(answer(route).text);
    assert.ok(named(elements, 'title')[0]!.text.endsWith('B\u00f6rse <b>Example</b>'), route);
    const links = new Map(named(elements, 'a').map(({ attributes, text }) => [attributes.get('href'), text]));
    assert.equal(links.get('mailto:help@example.com'), contact);
    assert.ok(links.has('https://example.com/terms?a=1&b=2'));
    const logo = named(elements, 'img')[0]!.attributes.get('src')!;
    assert.equal(answer(logo).text, svg);
    assert.equal(answer(logo).contentType, 'image/svg+xml');
    assert.match(answer(logo).extraHeaders.join(' '), /default-src 'none'.*sandbox/);
  }
  assert.match(answer('/llms.txt').text, /^# B\u00f6rse/);
});

test('the colours are in the style of the pages, each in its scheme, with what goes with them', () => {
  const style = named(parsePage(answer('/docs').text), 'link').find(
    ({ attributes }) => attributes.get('rel') === 'stylesheet',
  );
  const { text } = answer(style!.attributes.get('href')!);
  const [light, dark] = text.slice(text.indexOf('--accent: #7a1f5c')).split('@media (prefers-color-scheme: dark)');
  for (const [part, colour] of [
    [light, '#7a1f5c'],
    [dark, '#ffb3de'],
  ]) {
    assert.ok(part!.includes(`--accent: ${colour};`));
    for (const name of ['strong', 'soft']) assert.match(part!, new RegExp(`--accent-${name}: #[0-9a-f]{6};`));
  }
});
