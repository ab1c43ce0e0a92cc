import { type Fragment, type Html, html, trusted } from './html.ts';
import { identity, link, type Site } from './site.ts';
import { stylesheet } from './stylesheet.ts';

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
  /** Have the browser ask for the page again after this many seconds. */
  readonly refreshSeconds?: number;
}

const menu = [
  { path: '/', label: 'Start' },
  { path: '/docs', label: 'Reference' },
  { path: '/errors', label: 'Errors' },
  { path: '/status', label: 'Status' },
  { path: '/openapi/v1.json', label: 'OpenAPI' },
] as const;

/** The whole page as text, ASCII only. */
export function layout(site: Site, content: PageContent): string {
  const { name, version } = identity(site);
  const { title, description, contents, main } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${content.refreshSeconds === undefined ? undefined : html`<meta http-equiv="refresh" content="${content.refreshSeconds}">\n`}<title>${title === undefined ? name : html`${title} &middot; ${name}`}</title>
<meta name="description" content="${description}">
<style>${trusted(stylesheet)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="page">
<p class="name"><a href="${link(site, '/')}">${name}</a></p>
<nav class="menu" aria-label="Pages"><ul>
${menu.map(({ path, label }) => menuItem(site, path, label, content.route))}</ul></nav>
</div></header>
<div class="${contents === undefined ? 'page' : 'page with-contents'}">
${contents}<main id="main">
${main}
</main>
</div>
<footer class="page"><p>API version ${version}, server release ${site.version}. Read only: every operation is a GET.</p></footer>
</body>
</html>
`.text;
}

function menuItem(site: Site, path: string, label: string, route: string): Fragment {
  const current = route === path ? 'page' : path !== '/' && route.startsWith(`${path}/`) ? 'true' : undefined;
  return html`<li><a href="${link(site, path)}"${current === undefined ? undefined : html` aria-current="${current}"`}>${label}</a></li>\n`;
}
