import { type Fragment, type Html, html, trusted } from '../ground/html.ts';
import { languages } from '../ground/languages.ts';
import { assetRoute } from './assets.ts';
import { type Content, contentHtml, contentMarkdown, withAddresses } from './blocks.ts';
import { languageNames, translate } from './language.ts';
import { identity, link, markdownRoute, nameOf, type Site, searchRoute } from './site.ts';
import { fromTemplate } from './template.ts';

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
  readonly parent?: '/guides' | '/errors' | '/docs';
  /** A list of links beside the page, to it and to others. It shows the sections of the page too. */
  readonly navigation?: { readonly title: string; readonly entries: readonly Entry[] };
  /** Scripts of this page by their names in `web/portal`, in addition to the one of every page. */
  readonly scripts?: readonly string[];
  /** Without scripts, the browser reloads the page after this many seconds. */
  readonly refreshSeconds?: number;
  /** The layout of the page; a column of text by default. */
  readonly kind?: 'landing' | 'reference' | 'status';
  /** The route of its feed of news. */
  readonly feed?: string;
  /** The page holds a form that is sent to this origin. */
  readonly hasForm?: boolean;
  /** 200 when left out. */
  readonly status?: 400 | undefined;
  /** The page is shown in place of one that does not exist: it has no address and no Markdown. */
  readonly isLost?: boolean;
}

export interface Entry {
  readonly route: string;
  readonly title: string;
}

const menu = {
  '/guides': 'Guides',
  '/docs': 'Reference',
  '/errors': 'Errors',
  '/status': 'Status',
} as const;

/** A page in both of its forms. */
export interface RenderedPage {
  readonly page: PortalPage;
  readonly html: string;
  readonly markdown: string;
}

export function renderedPage(site: Site, page: PortalPage): RenderedPage {
  return { page, html: pageHtml(site, page), markdown: pageMarkdown(site, page) };
}

/** The page as Markdown. */
export function pageMarkdown(site: Site, { body }: PortalPage): string {
  return `${withAddresses(site, contentMarkdown(site, body).trim())}\n`;
}

/** The page as HTML, ASCII only. */
export function pageHtml(site: Site, page: PortalPage): string {
  const { body, kind = 'text', navigation, route, title, description, scripts = [], refreshSeconds } = page;
  const { logo } = site.operator;
  const content = contentHtml(site, body);
  return fromTemplate(site, 'page', {
    language: site.language,
    kind,
    name: nameOf(site),
    content,
    title: title && html`${translate(site, title)} &middot; `,
    description: translate(site, description),
    reload: refreshSeconds && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>\n`,
    icon: link(site, logo?.route ?? '/favicon.svg'),
    iconType: logo?.contentType ?? 'image/svg+xml',
    iconWidth: logo === undefined ? html` width="26"` : undefined,
    alternates: alternates(site, page),
    style: link(site, site.style.route),
    scripts: ['portal', ...scripts].map(
      (script) => html`<script type="module" src="${link(site, assetRoute(`${script}.js`))}"></script>\n`,
    ),
    home: link(site, '/'),
    search: site.isElsewhere ? undefined : searchButton(site),
    languages: languageSwitch(site, page),
    menu: Object.entries(menu).map(([path, label]) => menuItem(site, path, translate(site, label), page)),
    frame: navigation === undefined ? 'page' : 'page with-contents',
    navigation: navigation && navigationHtml(site, navigation, route, content),
    links: footerLinks(site, page),
    versions: translate(site, 'API version {version}, server release {release}. Read-only: every operation is a GET.', {
      version: identity(site).version,
      release: site.version,
    }),
  }).text;
}

/** Where else the page is: as Markdown, in other languages, as news. */
function alternates(site: Site, { route, feed, isLost }: PortalPage): Fragment {
  const markdown = html`<link rel="alternate" type="text/markdown" href="${link(site, markdownRoute(site, route))}">\n`;
  const translated = languages.map(
    (language) => html`<link rel="alternate" hreflang="${language}" href="${link({ ...site, language }, route)}">\n`,
  );
  const news =
    feed &&
    html`<link rel="alternate" type="application/atom+xml" title="${translate(site, 'Status')}" href="${link(site, feed)}">\n`;
  return [isLost ? html`<meta name="robots" content="noindex">\n` : [markdown, translated], news];
}

function searchButton(site: Site): Html {
  const index = link(site, searchRoute(site));
  return html`<button type="button" class="search-button plain" id="search-button" data-index="${index}" hidden="hidden">${translate(site, 'Search')}</button>\n`;
}

/** The same page in the other languages. */
function languageSwitch(site: Site, { route }: PortalPage): readonly Html[] {
  return languages
    .filter((language) => language !== site.language)
    .map(
      (language) =>
        html`<p class="language"><a href="${link({ ...site, language }, route)}" lang="${language}" hreflang="${language}">${languageNames[language]}</a></p>\n`,
    );
}

function menuItem(site: Site, path: string, label: string, { route, parent }: PortalPage): Html {
  const current = path === route ? 'page' : path === parent ? 'true' : undefined;
  return html`<li><a href="${link(site, path)}"${current && html` aria-current="${current}"`}>${label}</a></li>\n`;
}

/** Folded on narrow screens; wide ones show it whole, whether it is open or not. */
function navigationHtml(
  site: Site,
  { title, entries }: NonNullable<PortalPage['navigation']>,
  route: string,
  content: Html,
): Html {
  const items = entries.map((entry) => {
    const isHere = entry.route === route;
    const current = isHere ? html` aria-current="page"` : undefined;
    return html`<li><a href="${link(site, entry.route)}"${current}>${translate(site, entry.title)}</a>${isHere ? sectionList(content) : undefined}</li>\n`;
  });
  return html`<nav class="contents" aria-label="${translate(site, title)}"><details><summary>${translate(site, title)}</summary>
<ul>\n${items}</ul>\n</details></nav>
`;
}

/** The headings of the second level. */
function sectionList(content: Html): Html | undefined {
  const headings = [...content.text.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)];
  const items = headings.map(([, id, title = '']) =>
    trusted(`<li><a href="#${id}">${title.replaceAll(/<[^>]*>/g, '')}</a></li>\n`),
  );
  return items.length === 0 ? undefined : html`<ul>\n${items}</ul>\n`;
}

function footerLinks(site: Site, { route, isLost }: PortalPage): Fragment {
  const { contact, terms } = site.operator;
  const links: readonly (readonly [address: string | undefined, label: string])[] = [
    [contact, 'Contact'],
    [terms, 'Terms of use'],
    [link(site, '/openapi/v1.json'), 'OpenAPI 3.1'],
    [isLost ? undefined : link(site, markdownRoute(site, route)), 'This page as Markdown'],
    [link(site, '/llms.txt'), 'llms.txt'],
    [link(site, '/status/summary.json'), 'Status as JSON'],
  ];
  return links.map(
    ([address, label]) => address && html`<li><a href="${address}">${translate(site, label)}</a></li>\n`,
  );
}
