import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type ErrorCode, errorTable } from '../contract/errors.ts';
import { contractLimits, type LimitCategory } from '../contract/limits.ts';
import { type Html, html } from '../ground/html.ts';
import { type Block, browserOnly, type Content, cards, division, frame, heading, paragraph } from './blocks.ts';
import { errorLink } from './errors.ts';
import { guideIn, isTranslated, translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import { link, type Site } from './site.ts';

const repository = new URL('../../', import.meta.url);

interface GuideSource {
  readonly slug: string;
  readonly name: string;
  readonly purpose: string;
  /** Where its Markdown is in the repository. */
  readonly file: string;
}

/** Every guide, in reading order. */
export const guideSources: readonly GuideSource[] = [
  {
    slug: 'quick-start',
    name: 'Quick start',
    purpose: 'From a key to live prices, in curl, TypeScript and Python.',
    file: 'docs/clients/quick-start.md',
  },
  {
    slug: 'polling',
    name: 'Polling well',
    purpose: 'How often to ask, when to wait, and how to measure the clock.',
    file: 'docs/clients/polling.md',
  },
  {
    slug: 'status',
    name: 'Status and maintenance',
    purpose: 'When prices are too old to trade on, and what to do around a window.',
    file: 'docs/clients/status.md',
  },
  {
    slug: 'markets',
    name: 'Market states, missing symbols',
    purpose: 'What market states mean, and why a symbol can be missing.',
    file: 'docs/clients/markets.md',
  },
  {
    slug: 'prices',
    name: 'Prices, and what is in them',
    purpose: 'What a price contains, how it is rounded, and how old it is.',
    file: 'docs/clients/prices.md',
  },
  {
    slug: 'limits',
    name: 'Limits',
    purpose: 'What is counted, what the headers say, and what happens at the limit.',
    file: 'docs/clients/limits.md',
  },
  {
    slug: 'errors',
    name: 'Reading errors',
    purpose: 'One shape for every error, and which of them are worth a retry.',
    file: 'docs/clients/errors.md',
  },
  {
    slug: 'versioning',
    name: 'Versioning',
    purpose: 'What can change without notice, and how to be ready for it.',
    file: 'docs/clients/versioning.md',
  },
  {
    slug: 'typescript-client',
    name: 'TypeScript client',
    purpose: 'The client that does the waiting, retrying and polling for you.',
    file: 'client/README.md',
  },
  {
    slug: 'python-client',
    name: 'Python client',
    purpose: 'Waiting, retrying and polling done for you, sync and async.',
    file: 'client-python/README.md',
  },
];

/** A guide read from its file. */
export interface Guide {
  readonly route: string;
  readonly name: string;
  readonly purpose: string;
  /** Its Markdown, with the addresses of this service and the routes of this listener. */
  readonly text: string;
}

/**
 * Every guide in reading order, with this service’s addresses for those of the examples. In a package its first heading
 * is its name.
 */
export function readGuides(site: Site): readonly Guide[] {
  return guideSources.map(({ slug, file, name, purpose }) => {
    const text = guideIn(site.language, slug, readFileSync(new URL(file, repository), 'utf8').trim());
    const titled = file.endsWith('/README.md') ? text.replace(/^# .*$/m, `# ${translate(site, name)}`) : text;
    return {
      route: guideRoute(slug),
      name: translate(site, name),
      purpose: translate(site, purpose),
      text: withRoutes(withOwnFigures(withOwnAddresses(titled, site), slug, site), file),
    };
  });
}

/** The list of guides. */
export function guideIndex(guides: readonly Guide[]): PortalPage {
  return {
    route: '/guides',
    title: 'Guides',
    description: 'How to use the API well: first requests, polling, markets, prices, limits, errors and versioning.',
    body: [
      heading(1, 'Guides'),
      paragraph('lead', 'Short pages, one question each. Tests run every program in them against the service.'),
      cards(guides),
    ],
  };
}

/** The page of each guide, with links to its neighbours. */
export function guidePages(site: Site, guides: readonly Guide[]): readonly PortalPage[] {
  const entries = guides.map(({ route, name }) => ({ route, title: name }));
  return guides.map((guide, index) => ({
    route: guide.route,
    parent: '/guides',
    navigation: { title: 'Guides', entries },
    title: /^# (.*)$/m.exec(guide.text)?.[1],
    description: guide.purpose,
    body: [prose(site, guide), neighbours(site, guides[index - 1], guides[index + 1])],
  }));
}

/** The text of a guide. One that is not translated is the documentation of a package: the page says so first. */
function prose(site: Site, { route, text, purpose }: Guide): Content {
  if (isTranslated(site.language, route.replace('/guides/', ''))) return division('prose', text);
  const [, title = '', rest = ''] = /^# ([^\n]*)\n+(.*)$/s.exec(text)!;
  return [
    heading(1, title),
    paragraph('lead', purpose),
    paragraph('note', 'The documentation of this package is in English.'),
    frame((inner) => html`<div class="prose" lang="en">\n${inner}</div>\n`, rest),
  ];
}

function neighbours(site: Site, previous: Guide | undefined, next: Guide | undefined): Block {
  const neighbour = (label: string, guide: Guide | undefined): Html => {
    if (guide === undefined) return html`<span></span>\n`;
    return html`<a href="${link(site, guide.route)}"><span class="quiet small">${label}</span> ${guide.name}</a>\n`;
  };
  return browserOnly(
    () => html`<nav class="neighbours" aria-label="${translate(site, 'Other guides')}">
${neighbour(translate(site, 'Previous'), previous)}${neighbour(translate(site, 'Next'), next)}</nav>
`,
  );
}

function guideRoute(slug: string): string {
  return `/guides/${slug}`;
}

/** The text with a service's own addresses in place of those in the files. */
function withOwnAddresses(text: string, { baseUrl, errorsUrl }: Site): string {
  return text
    .replaceAll('https://api.example.com/errors', errorsUrl)
    .replaceAll(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:8080/g, baseUrl);
}

/** The figures of the table of limits are those of the service. */
function withOwnFigures(text: string, slug: string, { limits }: Site): string {
  if (slug !== 'limits') return text;
  const figures = new Map(Object.entries(contractLimits).map(([category, figure]) => [String(figure), category]));
  return text.replaceAll(/(?<=\| )\d+(?= \|)/g, (figure) =>
    String(limits[figures.get(figure) as LimitCategory] ?? figure),
  );
}

/** The text with routes in place of links to files, and with a link on every error code. */
function withRoutes(text: string, file: string): string {
  return text
    .replaceAll(/(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(?=[)#])/g, (_, path: string) =>
      routeOfFile(posix.join(posix.dirname(file), path)),
    )
    .replaceAll(/(?<!\[)`([A-Z_]+)`/g, (span, name: string) =>
      name in errorTable ? errorLink(name as ErrorCode) : span,
    );
}

/** The route of a file; the list of guides where it has no page. */
function routeOfFile(file: string): string {
  if (file === 'docs/openapi/v1.json') return '/openapi/v1.json';
  const guide = guideSources.find((source) => source.file === file);
  return guide === undefined ? '/guides' : guideRoute(guide.slug);
}
