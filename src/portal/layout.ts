import { type Fragment, type Html, html } from '../html.ts';
import { assetRoute } from './assets.ts';
import { type Content, contentHtml, contentMarkdown, withAddresses } from './blocks.ts';
import { identity, link, markdownRoute, type Site } from './site.ts';

/** A page as data. It is rendered as HTML and as Markdown. */
export interface PortalPage {
  /** Path of the page on this listener. */
  readonly route: string;
  /** Precedes the name of the service in the title; `undefined` for the name alone. */
  readonly title: string | undefined;
  /** One sentence for search engines and link previews. */
  readonly description: string;
  /** Begins with the page's one heading of the first level. */
  readonly body: Content;
  /** The page of the menu that this one belongs to. */
  readonly parent?: '/guides' | '/errors';
  readonly navigation?: Navigation;
  /** Scripts of this page by their names in `web/portal`, in addition to the one of every page. */
  readonly scripts?: readonly string[];
  /** Without scripts, the browser reloads the page after this many seconds. */
  readonly refreshSeconds?: number;
  /** The layout of the page; a column of text by default. */
  readonly kind?: 'landing' | 'reference' | 'status';
}

/** A list of links beside the page. */
export interface Navigation {
  readonly title: string;
  readonly entries: readonly Entry[];
  /** Whether the entries are pages of the same kind. Such a list is hidden on narrow screens. */
  readonly isOfSiblings?: boolean;
}

/** An entry of a navigation; deep ones are hidden on narrow screens. */
export interface Entry {
  /** An anchor of this page, or the route of another. */
  readonly target: string;
  readonly title: string;
  readonly below?: readonly Entry[];
  readonly isDeep?: boolean;
}

const menu = {
  '/guides': 'Guides',
  '/docs': 'Reference',
  '/errors': 'Errors',
  '/status': 'Status',
} as const;

/** The page as Markdown. */
export function pageMarkdown(site: Site, { body }: PortalPage): string {
  return `${withAddresses(site, contentMarkdown(body).trim())}\n`;
}

/** The page as HTML, ASCII only. */
export function pageHtml(site: Site, page: PortalPage): string {
  const { name } = identity(site);
  const { title, description, body, route, kind, parent, navigation, scripts = [], refreshSeconds } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refreshSeconds && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>\n`}<title>${title && html`${title} &middot; `}${name}</title>
<meta name="description" content="${description}">
<link rel="icon" type="image/svg+xml" href="${link(site, '/favicon.svg')}">
<link rel="alternate" type="text/markdown" href="${link(site, markdownRoute(route))}">
<link rel="stylesheet" href="${link(site, assetRoute('portal.css'))}">
${['portal', ...scripts].map((script) => html`<script type="module" src="${link(site, assetRoute(`${script}.js`))}"></script>\n`)}</head>
<body class="${kind ?? 'text'}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">
<p class="name"><a href="${link(site, '/')}"><img src="${link(site, '/favicon.svg')}" alt="" width="26" height="26">${name}</a></p>
<nav class="menu" aria-label="Pages"><ul>
${Object.entries(menu).map(([path, label]) => menuItem(site, path, label, page))}</ul></nav>
</div></header>
<div class="${navigation === undefined ? 'page' : 'page with-contents'}">
${navigation && navigationHtml(site, navigation, route)}<main id="main" tabindex="-1">
${parent && html`<p class="crumb" data-web="crumb"><a href="${link(site, parent)}">${menu[parent]}</a></p>\n`}${contentHtml(site, body)}</main>
</div>
${footer(site, route)}</body>
</html>
`.text;
}

function menuItem(site: Site, path: string, label: string, { route, parent }: PortalPage): Html {
  const current = path === route ? 'page' : path === parent ? 'true' : undefined;
  return html`<li><a href="${link(site, path)}"${current && html` aria-current="${current}"`}>${label}</a></li>\n`;
}

function navigationHtml(site: Site, { title, entries, isOfSiblings }: Navigation, route: string): Html {
  return html`<nav class="${isOfSiblings ? 'contents siblings' : 'contents'}" aria-labelledby="contents"><h2 id="contents">${title}</h2>
${entryList(site, entries, route)}</nav>
`;
}

function entryList(site: Site, entries: readonly Entry[], route: string): Fragment {
  const items = entries.map(({ target, title, below }) => {
    const current = target === route ? html` aria-current="page"` : undefined;
    const href = target.startsWith('#') ? target : link(site, target);
    return html`<li><a href="${href}"${current}>${title}</a>${below && entryList(site, below, route)}</li>\n`;
  });
  if (items.length === 0) return undefined;
  return html`<ul${entries[0]?.isDeep ? html` class="deep"` : undefined}>\n${items}</ul>\n`;
}

function footer(site: Site, route: string): Html {
  const { version } = identity(site);
  return html`<footer class="bottom"><div class="bar">
<nav aria-label="More"><ul>
<li><a href="${link(site, '/openapi/v1.json')}">OpenAPI 3.1</a></li>
<li><a href="${link(site, markdownRoute(route))}">This page as Markdown</a></li>
<li><a href="${link(site, '/llms.txt')}">llms.txt</a></li>
<li><a href="${link(site, '/status/summary.json')}">Status as JSON</a></li>
</ul></nav>
<p>API version ${version}, server release ${site.version}. Read-only: every operation is a GET.</p>
</div></footer>
`;
}
