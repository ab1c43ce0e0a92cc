import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import { documentSchemas } from '../contract/document-schemas.testing.ts';
import { errorCodes, errorTable, slugOf } from '../contract/errors.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { EpochMs } from '../ground/clock.ts';
import { readModelOf } from '../http/read-model.testing.ts';
import type { Resource } from '../http/resource.ts';
import { FeedStatus } from '../market/service-status.ts';
import { publicPages } from './pages.ts';
import { type Element, named, parsePage } from './parsed-page.testing.ts';

const clock = new FakeClock();
const usual = { baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors', version: '1.0.0' };

function offer({ baseUrl, errorsUrl, version } = usual) {
  const document = openApiDocument({ baseUrl, errorsUrl });
  const { root, pages, lost } = publicPages({ document, baseUrl, errorsUrl, version });
  const everything = new Map<string, Resource>([['/', root], ...pages]);
  const html = [...everything].filter(([route]) => !/\.[a-z]+$|.\/$/.test(route));
  return { document, root, pages, lost, everything, all: new Map<string, Resource>(html) };
}

function answer(resource: Resource, accept = 'text/html') {
  const service = new ServiceBoard(new FeedStatus(), clock);
  service.setWindows([{ from: 0 as EpochMs, to: (clock.now() + 60_000) as EpochMs, description: 'A <b>test</b>.' }]);
  const given = resource.answer({ now: clock.now(), query: '', headers: { accept } }, { ...readModelOf(), service });
  assert.ok(given.kind === 'text' || given.kind === 'page');
  const text = given.kind === 'text' ? given.text : String(given.page.as('identity').body);
  return { ...given, text, headers: headerMap(given.extraHeaders) };
}

function headerMap(list: readonly string[]): Map<string, string> {
  return new Map(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]!] as const] : [])));
}

/** `all` are the pages as HTML; `everything` has their twins, assets and files for machines too. */
const { document, root, pages, lost, everything, all } = offer();
const texts = new Map([...all].map(([route, page]) => [route, answer(page).text]));
const parsed = new Map([...texts].map(([route, text]) => [route, parsePage(text)]));

test('every page names its language, fits a phone, and has a title of its own and one main heading', () => {
  const titles = new Set<string>();
  for (const [route, elements] of parsed) {
    const language = /^\/cs(\/|$)/.test(route) ? 'cs' : 'en';
    assert.ok(texts.get(route)!.startsWith(`<!doctype html>\n<html lang="${language}">\n`), route);
    const viewport = named(elements, 'meta').find(({ attributes }) => attributes.get('name') === 'viewport');
    assert.equal(viewport?.attributes.get('content'), 'width=device-width, initial-scale=1', route);
    assert.equal(named(elements, 'h1').length, 1, route);
    assert.equal(named(elements, 'main').length, 1, route);
    const [title, ...others] = named(elements, 'title');
    assert.deepEqual(others, [], route);
    titles.add(`${language} ${title!.text}`);
  }
  assert.equal(titles.size, parsed.size);
});

test('within the content of every page headings follow in order, without a level left out', () => {
  for (const [route, elements] of parsed) {
    const main = elements.slice(elements.findIndex(({ name }) => name === 'main'));
    const levels = named(main, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6').map(({ name }) => Number(name[1]));
    assert.equal(levels[0], 1, route);
    for (const [index, level] of levels.slice(1).entries())
      assert.ok(level <= levels[index]! + 1, `${route} ${levels}`);
  }
});

test('every page is ASCII alone, whatever the configuration holds', () => {
  const foreign = offer({
    baseUrl: 'https://b\u00f6rse.example',
    errorsUrl: 'https://b\u00f6rse.example/e',
    version: '1\u20ac',
  });
  for (const each of [...all.values(), ...foreign.all.values()]) {
    for (const accept of ['text/html', 'application/json']) assert.match(answer(each, accept).text, /^[\n\x20-\x7e]+$/);
  }
});

test('every link of every page leads to a path that exists, and every anchor to an element of its page', () => {
  for (const [route, elements] of parsed) {
    const links = named(elements, 'a').map(({ attributes }) => attributes.get('href')!);
    assert.ok(links.length > 5, route);
    for (const link of links) {
      const [path, anchor] = link.split('#');
      const target = path === '' ? route : path!;
      assert.ok(target === '/openapi/v1.json' || everything.has(target), `${route} links to ${link}`);
      if (anchor !== undefined) assert.ok(idsOf(parsed.get(target)!).has(anchor), `${route} links to ${link}`);
    }
  }
});

function idsOf(elements: readonly Element[]): ReadonlySet<string> {
  return new Set(elements.flatMap(({ attributes }) => attributes.get('id') ?? []));
}

test('no two elements of a page share an id, and what labels an element exists', () => {
  for (const [route, elements] of parsed) {
    const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
    assert.equal(new Set(ids).size, ids.length, route);
    for (const { attributes } of elements) {
      const label = attributes.get('aria-labelledby');
      if (label !== undefined) assert.ok(ids.includes(label), `${route} ${label}`);
    }
  }
});

test('behind a base URL with a path of its own every link starts with that path', () => {
  const { all: moved } = offer({ ...usual, baseUrl: 'https://example.com/market/data' });
  for (const [route, page] of moved) {
    for (const { name, attributes } of parsePage(answer(page).text)) {
      const target = attributes.get('href') ?? attributes.get('src') ?? attributes.get('data-path');
      if (target === undefined || name === 'html') continue;
      assert.ok(target.startsWith('#') || target.startsWith('/market/data/'), `${route} links to ${target}`);
    }
  }
});

test('every error code has a page that tells its cause, what to do, whether to retry, and shows it as it is served', () => {
  for (const code of errorCodes) {
    const { status, title, cause, action, retry, exampleDetail } = errorTable[code];
    const elements = parsed.get(`/errors/${slugOf(code)}`)!;
    assert.equal(named(elements, 'h1')[0]!.text, title);
    const [main] = named(elements, 'main');
    for (const text of [code, String(status), cause, action, retry])
      assert.ok(main!.text.includes(text), `${code} ${text}`);
    const [head, body] = named(elements, 'pre')[0]!.text.split('\n\n');
    assert.match(head!, new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    assert.equal(/^Retry-After: \d+$/m.test(head!), status === 429 || status === 503);
    const { requestId, ...example } = JSON.parse(body!) as Record<string, unknown>;
    assert.ok(head!.includes(`X-Request-Id: ${requestId}`));
    assert.deepEqual(example, {
      type: `${usual.errorsUrl}/${slugOf(code)}`,
      title,
      status,
      code,
      detail: exampleDetail,
    });
  }
});

test('every error type of the OpenAPI document leads to a page, wherever the error pages are configured to be', () => {
  const elsewhere = offer({ ...usual, errorsUrl: 'https://help.example.com/api-errors' });
  for (const { document: each, pages: served, base } of [
    { document, pages, base: `${usual.errorsUrl}/` },
    { ...elsewhere, base: 'https://help.example.com/api-errors/' },
  ]) {
    const types = [...JSON.stringify(each).matchAll(/"type":"(https:[^"]+)"/g)].map((match) => match[1]!);
    assert.ok(types.length > 10);
    for (const type of types)
      assert.ok(type.startsWith(base) && served.has(`/errors/${type.slice(base.length)}`), type);
  }
});

test('the list of errors links to the page of every error, in each language', () => {
  for (const prefix of ['', '/cs']) {
    const links = new Set(named(parsed.get(`${prefix}/errors`)!, 'a').map(({ attributes }) => attributes.get('href')));
    for (const code of errorCodes) assert.ok(links.has(`${prefix}/errors/${slugOf(code)}`), `${prefix} ${code}`);
  }
});

test('a page may use what this origin serves and nothing else: no script or style within it runs', () => {
  for (const [route, page] of all) {
    const { headers } = answer(page);
    assert.equal(
      headers.get('Content-Security-Policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      route,
    );
    assert.equal(headers.get('Referrer-Policy'), 'no-referrer');
  }
});

test('no page has a script or style of its own, and all it loads is served here', () => {
  for (const [route, elements] of parsed) {
    for (const { name, attributes, text } of elements) {
      assert.ok(!['style', 'iframe', 'object', 'base'].includes(name), `${route} ${name}`);
      if (name === 'script') assert.equal(text, '', route);
      const loaded = attributes.get('src') ?? (name === 'link' ? attributes.get('href') : undefined);
      if (loaded !== undefined) assert.ok(everything.has(loaded), `${route} loads ${loaded}`);
      for (const attribute of attributes.keys()) {
        assert.ok(attribute !== 'style' && !attribute.startsWith('on'), `${route} ${attribute}`);
      }
    }
  }
});

test('no field for a key has a value in the page, and none of them stands in a form', () => {
  for (const [route, elements] of parsed) {
    const fields = named(elements, 'input').filter(({ attributes }) => attributes.get('type') === 'password');
    assert.equal(fields.length, /\/docs\/(time|status|markets|tickers?)$/.test(route) ? 1 : 0, route);
    for (const { attributes } of fields) {
      assert.equal(attributes.get('value'), undefined);
      assert.equal(attributes.get('name'), undefined);
      assert.equal(attributes.get('autocomplete'), 'off');
    }
  }
});

test('everything answers during maintenance; what cannot change may be kept, and the status never may', () => {
  for (const [route, page] of everything) {
    assert.equal(page.answersInMaintenance, true, route);
    assert.equal(page.route, route);
    if (/.\/$/.test(route)) continue;
    const given = answer(page);
    const isFeed = route.endsWith('/feed.atom');
    assert.equal(given.kind, /^(\/cs)?\/status/.test(route) && !isFeed ? 'text' : 'page', route);
    if (given.kind !== 'page') continue;
    const isAsset = route.startsWith('/assets/');
    const kept = isAsset ? 'max-age=31536000, immutable' : 'max-age=300';
    assert.equal(given.cacheControl, `public, ${isFeed ? 'no-cache' : kept}`, route);
  }
  for (const page of all.values()) assert.equal(answer(page).contentType, 'text/html; charset=utf-8');
});

test('no two pages share an entity tag', () => {
  const tags = [...all.values()]
    .map((page) => answer(page))
    .flatMap((given) => (given.kind === 'page' ? given.page.entityTag('gzip') : []));
  assert.equal(new Set([...tags, 'status', 'its Czech form']).size, all.size);
});

test('the root as JSON is the documented root document, and its links are the pages that are served', () => {
  const { text, contentType } = answer(root, '*/*');
  assert.equal(contentType, 'application/json');
  const body = JSON.parse(text) as { links: Record<'openapi' | 'reference' | 'errors' | 'status', string> };
  assert.deepEqual(documentSchemas(document, 'asServer')({ $ref: '#/components/schemas/RootDocument' }, body), []);
  const { openapi, ...forPeople } = body.links;
  assert.equal(openapi, `${usual.baseUrl}/openapi/v1.json`);
  for (const link of Object.values(forPeople)) assert.ok(pages.has(new URL(link).pathname), link);
});

test('the root page shows a ready command with the configured address and a place for the key', () => {
  const commands = named(parsed.get('/')!, 'pre').map(({ text }) => text);
  assert.equal(
    commands[0],
    `curl -i -H "X-EXCHANGE-APIKEY: $API_KEY" \\\n  'https://api.example.com/v1/ticker?symbol=BTCEUR'`,
  );
});

test('limits are those of the service on every page that has them', () => {
  const limits = { key: 123, address: 45, failedAuthentication: 7 };
  const { root: start, pages: limited } = publicPages({
    ...usual,
    document: openApiDocument({ ...usual, limits }),
    limits,
  });
  const shown = (route: string) =>
    named(parsePage(answer(route === '/' ? start : limited.get(route)!).text), 'main')[0]!.text;
  assert.match(shown('/'), /123 requests a minute/);
  assert.match(shown('/errors/rate-limit-exceeded'), /X-RateLimit-Limit: 123/);
  assert.match(shown('/errors/invalid-api-key'), /X-RateLimit-Limit: 7/);
  for (const route of ['/guides/limits', '/cs/guides/limits']) assert.match(shown(route), /123.*45.*7/s);
});

test('what the configuration holds is shown to the letter and is never markup', () => {
  const hostile = `https://api.example.com/"><script>alert('&amp;')</script>`;
  const { all: shown } = offer({ baseUrl: hostile, errorsUrl: `${hostile}/errors`, version: '<script>1' });
  for (const [route, page] of shown) {
    const elements = parsePage(answer(page).text);
    for (const { attributes, text } of named(elements, 'script')) {
      assert.match(attributes.get('src') ?? '', /\/assets\/[a-z-]+-\w+\.js$/, route);
      assert.equal(text, '', route);
    }
    assert.match(named(elements, 'footer')[0]!.text, /(server release|vydání serveru) <script>1[,.]/, route);
  }
  assert.ok(named(parsePage(answer(shown.get('/')!).text), 'pre')[0]!.text.includes(hostile.replaceAll("'", "'\\''")));
});

test('text and links are readable on their backgrounds, in the light and in the dark scheme (WCAG 2.2, 1.4.3)', () => {
  const theme = readFileSync(new URL('../../web/theme.css', import.meta.url), 'utf8');
  const [light, dark] = theme.split('@media (prefers-color-scheme: dark)').map(coloursOf);
  assert.ok(light!.size > 25 && dark!.size > 20);
  for (const colours of [light!, new Map([...light!, ...dark!])]) {
    const readable = (name: string, ground: string) => {
      const [less, more] = [colours.get(name)!, colours.get(ground)!].sort((one, other) => one - other);
      assert.ok((more! + 0.05) / (less! + 0.05) >= 4.5, `${name} on ${ground}`);
    };
    for (const name of ['text', 'quiet', 'accent', 'good', 'warn', 'bad', 'plan', 'buy', 'sell']) {
      for (const ground of ['page', 'sunken', 'raised']) readable(name, ground);
    }
    for (const name of ['accent', 'good', 'warn', 'bad', 'plan']) readable(name, `${name}-soft`);
    for (const name of ['text', 'quiet', 'name', 'string', 'number', 'word']) {
      for (const ground of ['page', 'raised']) readable(`code-${name}`, `code-${ground}`);
    }
    readable('on-accent', 'accent');
    readable('on-accent', 'accent-strong');
  }
});

function coloursOf(css: string): Map<string, number> {
  return new Map(
    [...css.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name!, luminance(colour!)]),
  );
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

test('a slash at the end of a path leads to the page, with the query', () => {
  const { pages: moved } = offer({ ...usual, baseUrl: 'https://example.com/market' });
  const slashed = [...moved.keys()].filter((route) => /.\/$/.test(route));
  assert.ok(slashed.length > 60);
  const lead = (route: string, query = '') =>
    moved.get(route)!.answer({ now: clock.now(), query, headers: {} }, readModelOf());
  assert.deepEqual(lead('/docs/ticker/', 'a=b'), { kind: 'redirect', location: '/market/docs/ticker?a=b' });
  assert.deepEqual(lead('/cs/'), { kind: 'redirect', location: '/market/cs' });
});

test('a reader from elsewhere gets the language the browser asks for; one who follows a link keeps theirs', () => {
  const languageOf = (headers: Record<string, string>, resource = pages.get('/errors')!) => {
    const given = resource.answer(
      { now: clock.now(), query: '', headers: { accept: 'text/html', ...headers } },
      readModelOf(),
    );
    assert.ok(given.kind === 'page' || given.kind === 'text');
    const text = given.kind === 'text' ? given.text : String(given.page.as('identity').body);
    return /<html lang="(..)">/.exec(text)?.[1];
  };
  const czech = { 'accept-language': 'cs-CZ,cs;q=0.9,en;q=0.8' };
  assert.equal(languageOf({}), 'en');
  assert.equal(languageOf(czech), 'cs');
  assert.equal(languageOf({ 'accept-language': 'en-GB,cs;q=0.5' }), 'en');
  assert.equal(languageOf({ 'accept-language': 'de,sk' }), 'en');
  assert.equal(languageOf({ ...czech, 'sec-fetch-site': 'same-origin' }), 'en');
  assert.equal(languageOf({ ...czech, 'sec-fetch-site': 'none' }), 'cs');
  assert.equal(languageOf({}, pages.get('/cs/errors')), 'cs');
  assert.equal(languageOf(czech, root), 'cs');
  assert.equal(languageOf(czech, lost), 'cs');
});

test('every page leads to itself in the other language', () => {
  for (const [route, elements] of parsed) {
    const other = route.startsWith('/cs') ? route.slice(3) || '/' : route === '/' ? '/cs' : `/cs${route}`;
    const links = named(elements, 'a').filter(({ attributes }) => attributes.has('hreflang'));
    assert.deepEqual(
      links.map(({ attributes }) => attributes.get('href')),
      [other],
      route,
    );
  }
});

test('a page tells to repeat no sooner than Retry-After, but for maintenance, which can end early', () => {
  const ofPages = errorCodes.map(
    (code) => [code, named(parsed.get(`/errors/${slugOf(code)}`)!, 'main')[0]!.text] as const,
  );
  const strict = ofPages.filter(([, text]) => text.includes('Repeat the request no sooner.')).map(([code]) => code);
  assert.deepEqual(strict, ['RATE_LIMIT_EXCEEDED', 'MARKET_DATA_UNAVAILABLE', 'SERVICE_OVERLOADED']);
  const maintenance = ofPages.find(([code]) => code === 'SERVICE_MAINTENANCE')![1];
  assert.match(maintenance, /Until then ask only GET \/v1\/status: a window can end early\./);
});

test('no sentence of a Czech page is English, but for the documentation of packages', () => {
  const texts = (elements: readonly Element[]) =>
    named(elements, 'h1', 'h2', 'h3', 'p', 'li', 'th', 'td', 'dt', 'dd', 'label', 'summary').map(({ text }) => text);
  const czech = [...parsed].filter(([route]) => /^\/cs(\/|$)/.test(route));
  assert.ok(czech.length > 30);
  for (const [route, elements] of czech) {
    const english = new Set(texts(parsed.get(route.slice(3) || '/')!));
    const isOfPackage = named(elements, 'div').some(({ attributes }) => attributes.get('lang') === 'en');
    const left = texts(elements).filter((text) => english.has(text) && /\b[a-z]+ [a-z]+ [a-z]+\b/.test(text));
    if (!isOfPackage) assert.deepEqual(left, [], route);
  }
});

test('a person at an address that does not exist is told so, in a page that names no address of its own', () => {
  const given = answer(lost);
  assert.equal(given.kind === 'text' && given.status, 404);
  const elements = parsePage(given.text);
  assert.equal(named(elements, 'h1')[0]!.text, 'Page not found');
  assert.deepEqual(
    named(elements, 'link').filter(({ attributes }) => attributes.get('rel') === 'alternate'),
    [],
  );
});
