import { errorCodes } from '../contract/errors.ts';
import { asciiJson } from '../http/ascii-json.ts';
import type { Resource } from '../http/resource.ts';
import { root } from '../http/resources/root.ts';
import { assetResource, portalAssets } from './assets.ts';
import { errorIndex, errorPage, errorRoute } from './errors.ts';
import { guideIndex, guidePages } from './guides.ts';
import { homePage } from './home.ts';
import { favicon, llmsFull, llmsIndex, robots, sitemap } from './llms.ts';
import { fixedPage, fixedText, inWireForm, livePage, markdownType, type ReadyPage, twinOf } from './page-resources.ts';
import { pageHeaders } from './policy.ts';
import { referencePage } from './reference.ts';
import { identity, markdownRoute, type Site } from './site.ts';
import { statusPage } from './status.ts';
import { summaryResource } from './status-summary.ts';

export interface PublicPages {
  /** `/`, in all of its forms: counted on the address, so it stands apart from the pages. */
  readonly root: Resource;
  /** What no limit counts, by path. All of it answers during maintenance. */
  readonly pages: ReadonlyMap<string, Resource>;
}

/** The developer portal: everything for people on the public listener, and the same for machines that read. */
export function publicPages(site: Site): PublicPages {
  const guides = guidePages(site);
  const made = (route: string, html: string): ReadyPage => ({ route, html, markdown: twinOf(site, html) });
  const home = made('/', homePage(site, guides));
  const pages: ReadyPage[] = [
    made('/guides', guideIndex(site, guides)),
    ...guides,
    made('/docs', referencePage(site)),
    made('/errors', errorIndex(site)),
    ...errorCodes.map((code) => made(errorRoute(code), errorPage(site, code))),
  ];
  const resources = [
    ...pages.flatMap((page) => fixedPage(page)),
    ...livePage(site, '/status', ({ now }, { service }) =>
      statusPage(site, { body: service.status(now), windows: service.windows(now) }),
    ),
    summaryResource(site),
    fixedText(markdownRoute('/'), home.markdown, markdownType),
    ...machineFiles(site, [home, ...pages], guides),
    ...[...portalAssets().values()].map(assetResource),
  ];
  const forms = { json: asciiJson(rootDocument(site)), html: home.html, markdown: inWireForm(home.markdown) };
  return {
    root: root(forms, pageHeaders),
    pages: new Map(resources.map((resource) => [resource.route, resource])),
  };
}

function machineFiles(
  site: Site,
  pages: readonly ReadyPage[],
  guides: Parameters<typeof llmsIndex>[1],
): readonly Resource[] {
  const plain = 'text/plain; charset=utf-8';
  const routes = [...pages.map(({ route }) => route), '/status'];
  const inFull = pages.filter(({ route }) => route !== '/' && route !== '/guides' && route !== '/errors');
  return [
    fixedText('/llms.txt', llmsIndex(site, guides), plain),
    fixedText('/llms-full.txt', llmsFull(site, inFull), plain),
    fixedText('/robots.txt', robots(site), plain),
    fixedText('/sitemap.xml', sitemap(site, routes), 'application/xml'),
    fixedText('/favicon.svg', favicon, 'image/svg+xml'),
    // Browsers ask for it on their own where a document names no icon; a 404 would count on their address.
    fixedText('/favicon.ico', favicon, 'image/svg+xml'),
  ];
}

function rootDocument(site: Site) {
  const { baseUrl, errorsUrl } = site;
  return {
    ...identity(site),
    links: {
      openapi: `${baseUrl}/openapi/v1.json`,
      reference: `${baseUrl}/docs`,
      errors: errorsUrl,
      status: `${baseUrl}/status`,
    },
  };
}
