import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type ErrorCode, errorTable } from '../contract/errors.ts';
import { type Fragment, type Html, html } from '../html.ts';
import { siblingList } from './contents.ts';
import { errorRoute } from './errors.ts';
import { layout } from './layout.ts';
import { type RenderedMarkdown, renderMarkdown } from './markdown-page.ts';
import { link, type Site } from './site.ts';

/** A guide: a Markdown file of this repository, shown in the portal. */
interface GuideSource {
  readonly slug: string;
  readonly file: string;
  /** As lists of guides name it. */
  readonly name: string;
  /** Stands above it in place of the file's own first heading. */
  readonly title?: string;
  /** What a reader finds there, in a few words. */
  readonly purpose: string;
}

/** In the order in which they are best read. */
export const guideSources: readonly GuideSource[] = [
  {
    slug: 'quick-start',
    name: 'Quick start',
    file: 'docs/clients/quick-start.md',
    purpose: 'From a key to live prices, in curl, TypeScript and Python.',
  },
  {
    slug: 'polling',
    name: 'Polling well',
    file: 'docs/clients/polling.md',
    purpose: 'How often to ask, when to wait, and how to measure the clock.',
  },
  {
    slug: 'markets',
    name: 'Market states, missing symbols',
    file: 'docs/clients/markets.md',
    purpose: 'What the states of a market mean, and why a symbol can be missing.',
  },
  {
    slug: 'prices',
    name: 'Prices, and what is in them',
    file: 'docs/clients/prices.md',
    purpose: 'What a price contains, how it is rounded, and how old it is.',
  },
  {
    slug: 'limits',
    name: 'Limits',
    file: 'docs/clients/limits.md',
    purpose: 'What is counted, what the headers say, and what happens at the limit.',
  },
  {
    slug: 'errors',
    name: 'Reading errors',
    file: 'docs/clients/errors.md',
    purpose: 'One shape for every error, and which of them are worth a retry.',
  },
  {
    slug: 'versioning',
    name: 'Versioning',
    file: 'docs/clients/versioning.md',
    purpose: 'What can change without notice, and how to be ready for it.',
  },
  {
    slug: 'typescript-client',
    name: 'TypeScript client',
    title: 'TypeScript client',
    file: 'client/README.md',
    purpose: 'The client that does the waiting, retrying and polling for you.',
  },
];

const repository = new URL('../../', import.meta.url);

/** A page of guides, as HTML and as the Markdown it was made from. */
export interface GuidePage {
  readonly route: string;
  readonly title: string;
  readonly purpose: string;
  readonly html: string;
  readonly markdown: string;
}

export function guideRoute(slug: string): string {
  return `/guides/${slug}`;
}

/** Every guide, read from its file, with the addresses of this service in place of those of the examples. */
export function guidePages(site: Site): readonly GuidePage[] {
  return guideSources.map((source, index) => {
    const text = withAddresses(textOf(source), site);
    const rendered = renderMarkdown(text, {
      target: (href) => portalLink(site, source.file, href),
      targetOfCode: (code) => (code in errorTable ? link(site, errorRoute(code as ErrorCode)) : undefined),
    });
    const { slug, name, purpose } = source;
    return {
      route: guideRoute(slug),
      title: name,
      purpose,
      html: guidePage(site, index, rendered),
      markdown: withTwinLinks(text, site, source.file),
    };
  });
}

function textOf({ file, title }: GuideSource): string {
  const text = readFileSync(new URL(file, repository), 'utf8');
  return title === undefined ? text : text.replace(/^# .*$/m, `# ${title}`);
}

/** The list of guides. */
export function guideIndex(site: Site, guides: readonly GuidePage[]): string {
  return layout(site, {
    route: '/guides',
    title: 'Guides',
    description: 'How to use the API well: first requests, polling, markets, prices, limits, errors and versioning.',
    main: html`<h1>Guides</h1>
<p class="lead">Short pages, each on one question. Every program in them is run against the service by its tests.</p>
${guideCards(site, guides)}`,
  });
}

/** Links to guides with what each is for. */
export function guideCards(site: Site, guides: readonly Pick<GuidePage, 'route' | 'title' | 'purpose'>[]): Html {
  const cards = guides.map(
    ({ route, title, purpose }) => html`<li><a href="${link(site, route)}">${title}</a><p>${purpose}</p></li>\n`,
  );
  return html`<ul class="cards">\n${cards}</ul>\n`;
}

function guidePage(site: Site, index: number, { title, headings, body }: RenderedMarkdown): string {
  const { slug, purpose } = guideSources[index]!;
  return layout(site, {
    route: guideRoute(slug),
    title,
    description: purpose,
    contents: siblingList(site, { label: 'Guides', siblings, route: guideRoute(slug), headings }),
    main: html`<p class="crumb" data-web="crumb"><a href="${link(site, '/guides')}">Guides</a></p>
<h1>${title}</h1>
<div class="prose">
${body}</div>
${neighbours(site, index)}`,
  });
}

function neighbours(site: Site, index: number): Html {
  const one = (label: string, source: GuideSource | undefined): Fragment => {
    if (source === undefined) return html`<span></span>\n`;
    return html`<a href="${link(site, guideRoute(source.slug))}"><span class="quiet small">${label}</span> ${source.name}</a>\n`;
  };
  return html`<nav class="neighbours" aria-label="Other guides">
${one('Before', guideSources[index - 1])}${one('Next', guideSources[index + 1])}</nav>`;
}

const siblings = guideSources.map(({ slug, name }) => ({ route: guideRoute(slug), title: name }));

/** The addresses that stand in the files for a service's own. */
function withAddresses(text: string, { baseUrl, errorsUrl }: Site): string {
  return text
    .replaceAll('https://api.example.com/errors', errorsUrl)
    .replaceAll(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:8080/g, baseUrl);
}

/** Where a link of a file leads in the portal. A file that has no page there leads to the list of guides. */
function portalLink(site: Site, file: string, href: string): string {
  if (/^https?:/.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const route = routeOfFile(posix.join(posix.dirname(file), path));
  return link(site, route) + (anchor === undefined ? '' : `#${anchor}`);
}

function routeOfFile(file: string): string {
  if (file === 'docs/openapi/v1.json') return '/openapi/v1.json';
  const guide = guideSources.find((source) => source.file === file);
  return guide === undefined ? '/guides' : guideRoute(guide.slug);
}

/** For readers of Markdown, a relative link leads to the Markdown of its target, under the whole address. */
function withTwinLinks(text: string, site: Site, file: string): string {
  return text.replaceAll(/(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))/g, (_, path: string, anchor = '') => {
    const route = routeOfFile(posix.join(posix.dirname(file), path));
    return `${site.baseUrl}${route}${route.endsWith('.json') ? '' : '.md'}${anchor}`;
  });
}
