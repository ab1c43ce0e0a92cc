import { errorCodes } from '../contract/errors.ts';
import { asciiJson } from '../http/ascii-json.ts';
import type { Resource } from '../http/resource.ts';
import { assetResource, portalAssets } from './assets.ts';
import { errorIndex, errorPage } from './errors.ts';
import { type Guide, guideIndex, guidePages, readGuides } from './guides.ts';
import { homePage } from './home.ts';
import type { PortalPage } from './layout.ts';
import { favicon, llmsFull, llmsIndex, robots, sitemap } from './llms.ts';
import { referencePage } from './reference.ts';
import { fixedPage, fixedText, livePage, rootResource } from './resources.ts';
import { identity, type Site } from './site.ts';
import { statusPage } from './status.ts';
import { summaryResource } from './status-summary.ts';

export interface PublicPages {
  /** `/` in all of its forms. It counts on the client's address, unlike the pages. */
  readonly root: Resource;
  /** Resources by path. No limit counts them, and they answer during maintenance. */
  readonly pages: ReadonlyMap<string, Resource>;
}

/** The developer portal: everything for people on the public listener, and the same for machines that read. */
export function publicPages(site: Site): PublicPages {
  const guides = readGuides(site);
  const home = homePage(site, guides);
  const pages = [
    guideIndex(guides),
    ...guidePages(guides),
    referencePage(site),
    errorIndex(),
    ...errorCodes.map((code) => errorPage(site, code)),
  ];
  const [homeResource, homeMarkdown] = fixedPage(site, home);
  const resources = [
    homeMarkdown,
    ...pages.flatMap((page) => fixedPage(site, page)),
    ...livePage(site, '/status', ({ now }, { service }) =>
      statusPage({ body: service.status(now), windows: service.windows(now) }),
    ),
    summaryResource(site),
    ...machineFiles(site, [home, ...pages], guides),
    ...[...portalAssets().values()].map(assetResource),
  ];
  return {
    root: rootResource(homeResource, asciiJson(rootDocument(site))),
    pages: new Map(resources.map((resource) => [resource.route, resource])),
  };
}
function machineFiles(site: Site, pages: readonly PortalPage[], guides: readonly Guide[]): readonly Resource[] {
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
