import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type ErrorCode, errorTable } from '../contract/errors.ts';
import { contractLimits, type LimitCategory } from '../contract/limits.ts';
import { type Html, html } from '../ground/html.ts';
import { type Block, browserOnly, type Content, cards, division, frame, heading, paragraph } from './blocks.ts';
import { errorLink } from './errors.ts';
import sources from './guides.json' with { type: 'json' };
import { guideIn, isTranslated, translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import { link, type Site } from './site.ts';

const repository = new URL('../../', import.meta.url);

/** A guide read from its file. */
export interface Guide {
  readonly route: string;
  readonly name: string;
  readonly purpose: string;
  /** Its Markdown, with the addresses of this service and the routes of this listener. */
  readonly text: string;
}

/** Every guide in reading order, with this service’s addresses for those of the examples. In a package its first heading is its name. */
export function readGuides(site: Site): readonly Guide[] {
  return sources.map(({ slug, file, name, purpose }) => {
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
  const guide = sources.find((source) => source.file === file);
  return guide === undefined ? '/guides' : guideRoute(guide.slug);
}
