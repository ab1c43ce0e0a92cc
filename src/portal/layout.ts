import { type Fragment, type Html, html } from '../html.ts';
import { assetRoute } from './assets.ts';
import { identity, link, markdownRoute, type Site } from './site.ts';

/** What one page has of its own. */
export interface PageContent {
  /** Path of the page on this listener. */
  readonly route: string;
  /** Stands before the name of the service in the title; `undefined` for the name alone. */
  readonly title: string | undefined;
  /** One sentence for search engines and link previews. */
  readonly description: string;
  /** Holds the page's one `h1`. */
  readonly main: Html;
  /** Table of contents of a long page. */
  readonly contents?: Html;
  /** Scripts of this page by their names in `web/portal`, beside the one of every page. */
  readonly scripts?: readonly string[];
  /** Without scripts, have the browser ask for the page again after this many seconds. */
  readonly refreshSeconds?: number;
  /** How the page is laid out; a column of text unless given. */
  readonly kind?: 'landing' | 'reference' | 'status';
}

const menu = [
  { path: '/guides', label: 'Guides' },
  { path: '/docs', label: 'Reference' },
  { path: '/errors', label: 'Errors' },
  { path: '/status', label: 'Status' },
] as const;

/** The whole page as text, ASCII only. */
export function layout(site: Site, content: PageContent): string {
  const { name } = identity(site);
  const { title, description, contents, main, route, kind } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh(content.refreshSeconds)}<title>${title === undefined ? name : html`${title} &middot; ${name}`}</title>
<meta name="description" content="${description}">
<link rel="icon" type="image/svg+xml" href="${link(site, '/favicon.svg')}">
<link rel="alternate" type="text/markdown" href="${link(site, markdownRoute(route))}">
<link rel="stylesheet" href="${link(site, assetRoute('portal.css'))}">
${['portal', ...(content.scripts ?? [])].map((script) => html`<script type="module" src="${link(site, assetRoute(`${script}.js`))}"></script>\n`)}</head>
<body class="${kind ?? 'text'}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">
<p class="name"><a href="${link(site, '/')}"><img src="${link(site, '/favicon.svg')}" alt="" width="26" height="26">${name}</a></p>
<nav class="menu" aria-label="Pages"><ul>
${menu.map(({ path, label }) => menuItem(site, path, label, route))}</ul></nav>
</div></header>
<div class="${contents === undefined ? 'page' : 'page with-contents'}">
${contents}<main id="main" tabindex="-1">
${main}
</main>
</div>
${footer(site, route)}</body>
</html>
`.text;
}

function refresh(seconds: number | undefined): Fragment {
  if (seconds === undefined) return undefined;
  return html`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>\n`;
}

function menuItem(site: Site, path: string, label: string, route: string): Fragment {
  const current = route === path ? 'page' : route.startsWith(`${path}/`) ? 'true' : undefined;
  return html`<li><a href="${link(site, path)}"${current === undefined ? undefined : html` aria-current="${current}"`}>${label}</a></li>\n`;
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
<p>API version ${version}, server release ${site.version}. Read only: every operation is a GET.</p>
</div></footer>
`;
}
